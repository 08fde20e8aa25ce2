/// A place in an input, in samples of one channel, or a number of such samples: Int, and 64 bits also where Int has 32, as in
/// WebAssembly: 32 bits count half a day at 48 kHz.
#if _pointerBitWidth(_32)
    public typealias SampleIndex = Int64
#else
    public typealias SampleIndex = Int
#endif
