/// A recording with holes, as caused by a busy computer, a touched cable or a lost packet.
public struct Gaps: SoundSource {
    /// The content of a hole.
    public enum Kind: String, CaseIterable, Sendable {
        /// Silence of the same length.
        case silenced
        /// No samples: later ones arrive too early. `readPiece` reports the gap.
        case removed
    }

    private static let blockLength = 4_096

    private var source: any SoundSource
    private let kind: Kind
    private var holes: Holes
    private var hole: Range<Int>?
    /// The number of samples read from the source.
    private var position = 0
    private var buffer: ReadBuffer

    /// - Parameters:
    ///   - source: the sound to interrupt.
    ///   - holes: the holes, in samples of the source.
    ///   - kind: the content of the holes.
    public init(_ source: any SoundSource, holes: Holes, kind: Kind) {
        self.source = source
        self.kind = kind
        self.holes = holes
        hole = self.holes.next()
        buffer = ReadBuffer(length: kind == .removed ? Self.blockLength : 0)
    }

    /// Fills the beginning of `block` with the next samples and returns their number, 0 once the sound has ended.
    /// Removed samples are missing without a mark.
    public mutating func read(into block: inout MutableSpan<Float>) -> Int {
        var filled = 0
        while filled < block.count {
            var rest = block._mutatingExtracting(filled..<block.count)
            let piece = readPiece(into: &rest)
            if piece.count == 0, piece.droppedCount == 0 { break }
            filled += piece.count
        }
        return filled
    }

    /// Fills the beginning of `block` with samples up to the next removed ones, shape [any but empty].
    /// - Returns: the number of samples removed directly before these, and the number of samples filled. If the source
    ///   ends in a hole, a removed count comes with a filled count of 0; both are 0 at the end.
    public mutating func readPiece(into block: inout MutableSpan<Float>) -> (droppedCount: Int, count: Int) {
        precondition(block.count > 0, "no room for a piece")
        if kind == .silenced {
            let count = source.read(into: &block)
            silence(&block, count: count)
            return (0, count)
        }
        let droppedCount = drop()
        let wanted = min(block.count, (hole?.lowerBound ?? .max) - position)
        var piece = block._mutatingExtracting(0..<wanted)
        let count = source.read(into: &piece)
        position += count
        return (droppedCount, count)
    }

    /// Skips the hole at this position, and those directly after it.
    private mutating func drop() -> Int {
        let start = position
        while let here = hole, here.lowerBound == position {
            while position < here.upperBound {
                let wanted = min(Self.blockLength, here.upperBound - position)
                let count = buffer.read(wanted, from: &source)
                position += count
                if count < wanted {
                    hole = nil
                    return position - start
                }
            }
            hole = holes.next()
        }
        return position - start
    }

    private mutating func silence(_ block: inout MutableSpan<Float>, count: Int) {
        let end = position + count
        while let here = hole, here.lowerBound < end {
            for index in max(here.lowerBound, position)..<min(here.upperBound, end) {
                block[index - position] = 0
            }
            if here.upperBound > end { break }
            hole = holes.next()
        }
        position = end
    }
}
