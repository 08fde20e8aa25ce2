#if _pointerBitWidth(_32)
    /// A place in an input, in samples of one channel, or a number of such samples. On this platform Int has 32 bits,
    /// which suffice for half a day at 48 kHz.
    public typealias SampleIndex = Int64
#else
    /// A place in an input, in samples of one channel, or a number of such samples. It has 64 bits even on platforms
    /// where Int has 32.
    public typealias SampleIndex = Int
#endif
