/// Scores over time and frequency offset, a block at a time, and their peaks.
///
/// The grid keeps a few rows of the block before, so that peaks at a block's edge are judged with both their sides.
struct ScoreGrid {
    /// A peak must stand out among this many rows on either side.
    static let peakReach = 4
    /// The rows kept from the block before.
    static let carriedRowCount = 2 * peakReach
    /// The rows that have neighbours on both sides.
    static let judgedRows = peakReach..<carriedRowCount + SyncSearch.blockRowCount - peakReach

    let offsetCount: Int
    /// The distance from row to row: the number of offsets, rounded up to a multiple of 8.
    let stride: Int
    /// Shape [carriedRowCount + blockRowCount][stride].
    var scores: [Float]
    /// The maximum score of each row.
    var maxima: [Float]

    init(offsetCount: Int) {
        self.offsetCount = offsetCount
        stride = (offsetCount + 7) / 8 * 8
        let rowCount = ScoreGrid.carriedRowCount + SyncSearch.blockRowCount
        scores = [Float](repeating: 0, count: rowCount * stride)
        maxima = [Float](repeating: 0, count: rowCount)
    }

    /// Forgets the block before.
    mutating func clear() {
        for index in scores.indices {
            scores[index] = 0
        }
        for row in maxima.indices {
            maxima[row] = 0
        }
    }

    /// Makes room for a block: the last rows of the latest block become those of the block before.
    mutating func moveBlock() {
        let (carried, blockRowCount, stride) = (ScoreGrid.carriedRowCount, SyncSearch.blockRowCount, stride)
        scores.withUnsafeMutableBufferPointer { scores in
            scores.baseAddress!.update(from: scores.baseAddress! + blockRowCount * stride, count: carried * stride)
        }
        for row in 0..<carried {
            maxima[row] = maxima[row + blockRowCount]
        }
    }

    /// Whether no cell within a symbol and one and a half tone spacings scores more. Of equal cells the first one is the peak.
    func isPeak(row: Int, offset: Int) -> Bool {
        let score = scores[row * stride + offset]
        for otherRow in row - ScoreGrid.peakReach...row + ScoreGrid.peakReach {
            for otherOffset in max(0, offset - 3)...min(offsetCount - 1, offset + 3) {
                let other = scores[otherRow * stride + otherOffset]
                if other > score || (other == score && (otherRow, otherOffset) < (row, offset)) {
                    return false
                }
            }
        }
        return true
    }
}
