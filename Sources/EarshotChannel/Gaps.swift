/// A recording with holes: a computer that was busy, a cable that was touched, a packet that was lost.
public struct Gaps: SoundSource {
    /// What is left of a hole.
    public enum Kind: String, CaseIterable, Sendable {
        /// Silence, as long as what was there.
        case silenced
        /// Nothing: what follows comes too early. `readPiece` tells.
        case removed
    }

    private static let blockLength = 4_096

    private var source: any SoundSource
    private let kind: Kind
    private var holes: Holes
    private var hole: Range<Int>?
    /// Samples of the source that are read.
    private var position = 0
    private var buffer: ReadBuffer

    /// - Parameter holes: in samples of the source.
    public init(_ source: any SoundSource, holes: Holes, kind: Kind) {
        self.source = source
        self.kind = kind
        self.holes = holes
        hole = self.holes.next()
        buffer = ReadBuffer(length: kind == .removed ? Self.blockLength : 0)
    }

    /// See the protocol. Removed samples are missing without a word.
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

    /// Fills the beginning of `block` up to the next removed samples, shape [any but empty].
    /// - Returns: how many samples were removed just before these, and how many were filled. Dropped ones come with a
    ///   count of 0 where the source ends in a hole; both are 0 at the end.
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

    /// Passes over the hole at this place, and those directly behind it.
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
