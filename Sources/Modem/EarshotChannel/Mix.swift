/// Several sounds together, each from its own start sample.
///
///     y[n] = Σ gₖ·xₖ[n − sₖ]
///
/// The mix ends with its last part, or at a given length. Backgrounds do not count: a signal over endless noise is a
/// mix of both with the noise as background, and as long as the signal.
///
/// It keeps one block, and each part only until that part has ended.
public struct Mix: SoundSource {
    /// One sound of a mix.
    public struct Part: Sendable {
        /// x, the sound to add.
        public var source: any SoundSource
        /// s, ≥ 0: the sample at which the part starts.
        public var startSample: Int
        /// g, the gain as a factor.
        public var gain: Float
        /// Whether the part stops when all others have ended.
        public var isBackground: Bool

        /// Creates a part from its properties.
        public init(_ source: any SoundSource, startSample: Int = 0, gain: Float = 1, isBackground: Bool = false) {
            precondition(startSample >= 0, "a part that begins at sample \(startSample)")
            self.source = source
            self.startSample = startSample
            self.gain = gain
            self.isBackground = isBackground
        }
    }

    private static let blockLength = 4_096

    /// Reversed, so that the next part is the last.
    private var waiting: [Part]
    private var sounding: [Part] = []
    private let length: Int?
    private var position = 0
    private var buffer = ReadBuffer(length: Mix.blockLength)

    /// - Parameters:
    ///   - parts: the sounds to add.
    ///   - length: the length of the mix in samples: a longer mix is cut off, a shorter one continues with its
    ///     backgrounds or with silence. Without it, a mix of backgrounds alone is empty, and one with an endless part
    ///     never ends.
    public init(_ parts: [Part], length: Int? = nil) {
        precondition(length ?? 0 >= 0, "a mix of \(length ?? 0) samples")
        // Parts that start together keep their order, so that sums are always the same.
        waiting = parts.enumerated()
            .sorted { ($1.element.startSample, $1.offset) < ($0.element.startSample, $0.offset) }
            .map(\.element)
        self.length = length
    }

    /// Fills the beginning of `block` with the next samples and returns their number, 0 once the sound has ended.
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

    /// Fills a piece of at most one block.
    /// - Returns: the end of the last part in it, without backgrounds.
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
