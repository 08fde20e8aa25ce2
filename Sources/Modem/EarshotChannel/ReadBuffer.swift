/// A stage's buffer for input that it changes.
///
/// It is a separate type, because a stage cannot lend two of its properties at once: the samples' span and the source.
struct ReadBuffer: Sendable {
    private(set) var samples: [Float]

    init(length: Int) {
        samples = [Float](repeating: 0, count: length)
    }

    /// Reads at most `count` samples, and at most as many as there is room for.
    /// - Returns: the number of samples read.
    mutating func read(_ count: Int, from source: inout any SoundSource) -> Int {
        var span = samples.mutableSpan
        var wanted = span._mutatingExtracting(0..<count)
        return source.read(into: &wanted)
    }
}
