/// Where a stage puts what it reads and does not hand on as it is.
///
/// A type of its own, because a stage must not lend two of its properties at once: the samples' span and the source.
struct ReadBuffer: Sendable {
    private(set) var samples: [Float]

    init(length: Int) {
        samples = [Float](repeating: 0, count: length)
    }

    /// Reads at most as much as there is room for.
    /// - Returns: how many samples came.
    mutating func read(_ count: Int, from source: inout any SoundSource) -> Int {
        var span = samples.mutableSpan
        var wanted = span._mutatingExtracting(0..<count)
        return source.read(into: &wanted)
    }
}
