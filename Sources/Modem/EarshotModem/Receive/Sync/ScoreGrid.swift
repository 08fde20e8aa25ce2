import CEarshotKernels

/// Scores over time and frequency offset, a block at a time, and their peaks.
///
/// The grid keeps a few rows of the previous block, so that peaks at a block's edge are compared with both sides.
struct ScoreGrid {
    /// A peak must be the maximum of this many rows on either side.
    static let peakReach = 4
    /// The number of rows kept from the previous block.
    static let carriedRowCount = 2 * peakReach
    /// The rows that have neighbours on both sides.
    static let judgedRows = peakReach..<carriedRowCount + SyncSearch.blockRowCount - peakReach

    /// The number of rows.
    static let rowCount = carriedRowCount + SyncSearch.blockRowCount

    let offsetCount: Int
    /// Shape [offsetCount][rowCount].
    var scores: [Float]
    /// The maximum score of each row.
    var maxima: [Float]

    init(offsetCount: Int) {
        self.offsetCount = offsetCount
        scores = [Float](repeating: 0, count: offsetCount * ScoreGrid.rowCount)
        maxima = [Float](repeating: 0, count: ScoreGrid.rowCount)
    }

    /// The place of a score in `scores`.
    func index(row: Int, offset: Int) -> Int { offset * ScoreGrid.rowCount + row }

    /// Forgets the previous block.
    mutating func clear() {
        for index in scores.indices {
            scores[index] = 0
        }
        for row in maxima.indices {
            maxima[row] = 0
        }
    }

    /// Makes room for a block: the last rows of the latest block become those of the previous one.
    mutating func moveBlock() {
        let (carried, blockRowCount) = (ScoreGrid.carriedRowCount, SyncSearch.blockRowCount)
        for offset in 0..<offsetCount {
            let first = index(row: 0, offset: offset)
            for row in first..<first + carried {
                scores[row] = scores[row + blockRowCount]
            }
        }
        for row in 0..<carried {
            maxima[row] = maxima[row + blockRowCount]
        }
    }

    /// Copies the block of another grid.
    mutating func setBlock(_ other: ScoreGrid) {
        for offset in 0..<offsetCount {
            for row in ScoreGrid.carriedRowCount..<ScoreGrid.rowCount {
                scores[index(row: row, offset: offset)] = other.scores[index(row: row, offset: offset)]
            }
        }
        for row in ScoreGrid.carriedRowCount..<ScoreGrid.rowCount { maxima[row] = other.maxima[row] }
    }

    /// Adds the block of another grid to this one's.
    ///
    ///     score = μ + √(Σ_a max(0, score_a − μ)²)
    ///
    /// μ is the mean of a channel's scores in noise. The likelihood of a pattern with a different level in each channel
    /// grows with the sum of squares, so all channels with equally good reception count, and a channel that hears
    /// nothing does not. The squares of channels that have noise in common, with a coherence of g, count 1/(1 + g) of
    /// that, but not less than a single channel.
    mutating func add(_ other: ScoreGrid, mean: Float, coherence: Float = 0) {
        let first = ScoreGrid.carriedRowCount
        other.scores.withUnsafeBufferPointer { terms in
            scores.withUnsafeMutableBufferPointer { sums in
                maxima.withUnsafeMutableBufferPointer { maxima in
                    earshot_add_scores(
                        terms.baseAddress! + first, offsetCount, ScoreGrid.rowCount, SyncSearch.blockRowCount, mean,
                        1 / (1 + coherence), sums.baseAddress! + first, maxima.baseAddress! + first)
                }
            }
        }
    }

    /// Whether no cell within a symbol and one and a half tone spacings scores more. Of equal cells the first one is the peak.
    func isPeak(row: Int, offset: Int) -> Bool {
        let score = scores[index(row: row, offset: offset)]
        for otherRow in row - ScoreGrid.peakReach...row + ScoreGrid.peakReach {
            for otherOffset in max(0, offset - 3)...min(offsetCount - 1, offset + 3) {
                let other = scores[index(row: otherRow, offset: otherOffset)]
                if other > score || (other == score && (otherRow, otherOffset) < (row, offset)) {
                    return false
                }
            }
        }
        return true
    }
}
