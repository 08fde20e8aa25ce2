/// The sound that a microphone records.
public struct AirSound: Sendable {
    /// The sample rate in samples a second.
    public let sampleRateHertz: Int
    /// The arrival of each talker's first sample, as a sample index without regard to gaps, to about one sample; below 0 if the
    /// recording begins later.
    public let startSamples: [Int]

    /// The number of microphones.
    public var channelCount: Int { channels.count }

    private var channels: [Channel]
    /// One channel's samples of a block; used by arrays only.
    private var separated: [Float] = []

    /// The sound of one microphone. The gaps of all are the same.
    struct Channel: Sendable {
        var source: any SoundSource
        var gaps: Gaps?

        mutating func readPiece(into block: inout MutableSpan<Float>) -> (droppedCount: Int, count: Int) {
            guard gaps == nil else { return gaps!.readPiece(into: &block) }
            return (0, source.read(into: &block))
        }

        mutating func readPiece(into block: inout [Float]) -> (droppedCount: Int, count: Int) {
            var span = block.mutableSpan
            return readPiece(into: &span)
        }
    }

    init(_ channels: [Channel], sampleRateHertz: Int, startSamples: [Int]) {
        self.channels = channels
        self.sampleRateHertz = sampleRateHertz
        self.startSamples = startSamples
    }

    /// Fills the beginning of `block` with samples up to the next gap; shape [any but empty][channelCount]. Samples of several
    /// microphones are interleaved.
    /// - Returns: the number of frames missing directly before these, and the number of frames filled; both are 0 at the end.
    public mutating func readPiece(into block: inout MutableSpan<Float>) -> (droppedCount: Int, count: Int) {
        let channelCount = channels.count
        guard channelCount > 1 else { return channels[0].readPiece(into: &block) }
        let frameCount = block.count / channelCount
        precondition(frameCount > 0, "a block of \(block.count) samples for \(channelCount) channels")
        if separated.count != frameCount { separated = [Float](repeating: 0, count: frameCount) }
        var piece = (droppedCount: 0, count: 0)
        for number in channels.indices {
            piece = channels[number].readPiece(into: &separated)
            for index in 0..<piece.count {
                block[index * channelCount + number] = separated[index]
            }
        }
        return piece
    }

    /// All remaining samples, without a mark where samples are missing; shape [any][channelCount].
    public mutating func readAll() -> [Float] {
        var samples: [Float] = []
        var block = [Float](repeating: 0, count: 8_192)
        while true {
            var span = block.mutableSpan
            let piece = readPiece(into: &span)
            if piece == (0, 0) { return samples }
            samples += block[..<(piece.count * channels.count)]
        }
    }
}
