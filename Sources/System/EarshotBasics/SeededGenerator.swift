/// SplitMix64: a small random number generator with its seed as its whole state.
///
///     s ← s + 0x9E3779B97F4A7C15
///     z ← (s ⊕ s≫30) · 0xBF58476D1CE4E5B9;  z ← (z ⊕ z≫27) · 0x94D049BB133111EB;  output z ⊕ z≫31
///
/// The same seed gives the same sequence on every machine, so a failing simulation can be replayed from the seed that
/// it printed. Not for secrets. Cost: about 1 ns a number.
///
/// Source: Steele, Lea, Flood: Fast splittable pseudorandom number generators, OOPSLA 2014.
public struct SeededGenerator: RandomNumberGenerator, Sendable {
    private var state: UInt64

    /// Starts the sequence of `seed`. Every seed works, also 0.
    public init(seed: UInt64) {
        state = seed
    }

    /// The next 64 uniformly distributed bits.
    public mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }

    /// A number uniformly distributed in [0, 1), with 24 random bits.
    public mutating func uniform() -> Float {
        Float(next() >> 40) * 0x1p-24
    }
}
