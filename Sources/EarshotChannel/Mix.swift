/// Several sounds at once, each from a sample of its own on.
///
///     y[n] = Σ gₖ·xₖ[n − sₖ]
///
/// Ends with the last of its parts, or where it is told to. Backgrounds do not count: a programme over endless noise is
/// a mix of both with the noise in the background, and as long as the programme.
///
/// Holds a block, and a part only until it has ended.
public struct Mix: SoundSource {
    /// One sound of a mix.
    public struct Part: Sendable {
        /// x.
        public var source: any SoundSource
        /// s, not negative: where it begins.
        public var startSample: Int
        /// g.
        public var gain: Float
        /// Whether it stops where the others have ended.
        public var isBackground: Bool

        /// See the properties of the same names.
        public init(_ source: any SoundSource, startSample: Int = 0, gain: Float = 1, isBackground: Bool = false) {
            precondition(startSample >= 0, "a part that begins at sample \(startSample)")
            self.source = source
            self.startSample = startSample
            self.gain = gain
            self.isBackground = isBackground
        }
    }

    private static let blockLength = 4_096

    /// Last ones first.
    private var waiting: [Part]
    private var sounding: [Part] = []
    private let length: Int?
    private var position = 0
    private var buffer = ReadBuffer(length: Mix.blockLength)

    /// - Parameter length: how long the mix is: longer ones are cut off, shorter ones go on with their backgrounds or as
    ///   silence. Without it a mix of backgrounds alone is empty, and one with an endless part goes on for ever.
    public init(_ parts: [Part], length: Int? = nil) {
        precondition(length ?? 0 >= 0, "a mix of \(length ?? 0) samples")
        // Those that begin together stay in order, so that sums are always the same.
        waiting = parts.enumerated()
            .sorted { ($1.element.startSample, $1.offset) < ($0.element.startSample, $0.offset) }
            .map(\.element)
        self.length = length
    }

    /// See the protocol.
    public mutating func read(into block: inout MutableSpan<Float>) -> Int {
        var filled = 0
        while filled < block.count {
            let count = min(Mix.blockLength, block.count - filled, (length ?? .max) - position)
            var piece = block._mutatingExtracting(filled..<filled + count)
            let soundingCount = mix(into: &piece)
            let pieceCount = length == nil ? soundingCount : count
            filled += pieceCount
            position += pieceCount
            if pieceCount < count || count == 0 { break }
        }
        return filled
    }

    /// Fills a piece of at most a block.
    /// - Returns: how far its parts reach, backgrounds aside.
    private mutating func mix(into piece: inout MutableSpan<Float>) -> Int {
        for index in 0..<piece.count {
            piece[index] = 0
        }
        while let part = waiting.last, part.startSample < position + piece.count {
            sounding.append(part)
            waiting.removeLast()
        }
        var reach = waiting.contains { !$0.isBackground } ? piece.count : 0
        var kept: [Part] = []
        for number in sounding.indices {
            let first = max(sounding[number].startSample - position, 0)
            let wanted = piece.count - first
            let count = buffer.read(wanted, from: &sounding[number].source)
            let gain = sounding[number].gain
            for index in 0..<count {
                piece[first + index] += gain * buffer.samples[index]
            }
            if !sounding[number].isBackground { reach = max(reach, first + count) }
            if count == wanted { kept.append(sounding[number]) }
        }
        sounding = kept
        return reach
    }
}
