/// What a microphone hears.
public struct AirSound: Sendable {
    /// Samples a second.
    public let sampleRateHertz: Int
    /// When each talker's first sample arrives: samples, to about one, as if nothing were lost.
    public let startSamples: [Int]

    private var source: any SoundSource
    private var gaps: Gaps?

    init(_ source: any SoundSource, gaps: Gaps?, sampleRateHertz: Int, startSamples: [Int]) {
        self.source = source
        self.gaps = gaps
        self.sampleRateHertz = sampleRateHertz
        self.startSamples = startSamples
    }

    /// Fills the beginning of `block` up to the next samples that are lost; shape [any but empty].
    /// - Returns: how many samples are missing just before these, and how many were filled; both are 0 at the end.
    public mutating func readPiece(into block: inout MutableSpan<Float>) -> (droppedCount: Int, count: Int) {
        guard gaps == nil else { return gaps!.readPiece(into: &block) }
        return (0, source.read(into: &block))
    }

    /// All that is left, without a word of what is missing.
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
