/// Extracts one channel from interleaved samples. Cost: a copy; with two channels by vectors, 5 times as fast as one by
/// one.
enum Deinterleaving {
    /// Copies every `stride`-th sample.
    /// - Parameters:
    ///   - source: the channel's first sample.
    ///   - stride: the distance to its next one.
    ///   - count: the number of samples to copy.
    ///   - separated: receives the channel's samples; shape [count or more].
    static func copy<Sample>(
        _ source: UnsafePointer<Sample>, stride: Int, count: Int, into separated: inout [Sample]
    ) {
        precondition(count <= separated.count, "\(count) samples, room for \(separated.count)")
        separated.withUnsafeMutableBufferPointer { separated in
            guard let target = separated.baseAddress else { return }
            // The compiler generates vector code for a constant stride.
            if stride == 2 {
                copy(source, target, stride: 2, count)
            } else {
                copy(source, target, stride: stride, count)
            }
        }
    }

    @inline(__always)
    private static func copy<Sample>(
        _ source: UnsafePointer<Sample>, _ target: UnsafeMutablePointer<Sample>, stride: Int, _ count: Int
    ) {
        for index in 0..<count { target[index] = source[index &* stride] }
    }
}
