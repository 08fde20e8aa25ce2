#if _pointerBitWidth(_32)
    /// A place in an input, in samples of one channel, or a number of such samples. Int has 32 bits here, which count half a day
    /// at 48 kHz.
    public typealias SampleIndex = Int64
#else
    /// A place in an input, in samples of one channel, or a number of such samples. It has 64 bits also where Int has 32.
    public typealias SampleIndex = Int
#endif
