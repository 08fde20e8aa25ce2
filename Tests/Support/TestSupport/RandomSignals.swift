extension RandomNumberGenerator {
    /// `count` random bytes.
    public mutating func bytes(_ count: Int) -> [UInt8] {
        (0..<count).map { _ in UInt8.random(in: 0...255, using: &self) }
    }

    /// Uniformly distributed complex numbers in the square ±1 ± j.
    public mutating func complex(_ count: Int) -> [SIMD2<Float>] {
        (0..<count).map { _ in SIMD2(Float.random(in: -1...1, using: &self), Float.random(in: -1...1, using: &self)) }
    }

    /// Uniformly distributed samples in ±1.
    public mutating func samples(_ count: Int) -> [Float] {
        (0..<count).map { _ in Float.random(in: -1...1, using: &self) }
    }

    /// Cuts 0 ..< count into consecutive pieces, each of a random length in `lengths`.
    public mutating func pieces(of count: Int, lengths: ClosedRange<Int>) -> [Range<Int>] {
        var pieces: [Range<Int>] = []
        var first = 0
        while first < count {
            let length = min(Int.random(in: lengths, using: &self), count - first)
            pieces.append(first..<first + length)
            first += length
        }
        return pieces
    }
}
