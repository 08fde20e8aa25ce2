/// The sound that a microphone records.
public struct AirSound: Sendable {
    /// The sample rate in samples a second.
    public let sampleRateHertz: Int
    /// The arrival of each talker's first sample, as a sample index without regard to gaps, to about one sample.
    public let startSamples: [Int]

    private var source: any SoundSource
    private var gaps: Gaps?

    init(_ source: any SoundSource, gaps: Gaps?, sampleRateHertz: Int, startSamples: [Int]) {
        self.source = source
        self.gaps = gaps
        self.sampleRateHertz = sampleRateHertz
        self.startSamples = startSamples
    }

    /// Fills the beginning of `block` with samples up to the next gap; shape [any but empty].
    /// - Returns: the number of samples missing directly before these, and the number of samples filled; both are 0 at
    ///   the end.
    public mutating func readPiece(into block: inout MutableSpan<Float>) -> (droppedCount: Int, count: Int) {
        guard gaps == nil else { return gaps!.readPiece(into: &block) }
        return (0, source.read(into: &block))
    }

    /// All remaining samples, without a mark where samples are missing.
    public mutating func readAll() -> [Float] {
        var samples: [Float] = []
        var block = [Float](repeating: 0, count: 8_192)
        while true {
            var span = block.mutableSpan
            let piece = readPiece(into: &span)
            if piece == (0, 0) { return samples }
            samples += block[..<piece.count]
        }
    }
}
