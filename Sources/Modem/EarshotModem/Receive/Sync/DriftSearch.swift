import CEarshotKernels
import EarshotCoding
import EarshotDSP

/// Searches for sync patterns whose second group of tones is higher or lower than the first, because a person walks
/// past or a hand moves.
///
///     score[s][f] = max over d of (g₁[s][f − ⌊d/2⌋] + g₂[s][f − ⌊d/2⌋ + d] − (d = 0 ? 0 : e)),   d in half tone spacings
///
/// g are the sums of `SyncSearch` over the cells of each group. A profile has no such scores if its symbols are too
/// short for a drift of a quarter of a spacing.
///
/// Cost: eight additions and two for each d, for each offset and row. No allocation after `init`.
struct DriftSearch {
    /// e: there are many places with a drift for each without. 0.8, 1 and 1.2: 92, 91.5 and 91 % of people who walk past at −8 dB,
    /// `standard`; 1.17, 1.13 and 1.08 of the instructions for noise without drifts (seed 7001, by half spacings).
    static let extraScore: Float = 1

    /// The scores of the last scored block; without offsets in a profile without drifts.
    var grid: ScoreGrid

    private let form: KernelForm
    private let (reach, step): (Int, Int)
    /// g; shape [offsetCount][2][blockRowCount].
    private var groups: [Float]

    init(format: BasebandFormat, form: KernelForm = .best) {
        self.form = form
        (reach, step) = (format.maximumDriftHalfSpacings, format.driftStepHalfSpacings)
        grid = ScoreGrid(offsetCount: reach > 0 ? 2 * format.maximumOffsetHalfSpacings + 1 : 0)
        groups = [Float](repeating: 0, count: 2 * SyncSearch.blockRowCount * grid.offsetCount)
    }

    /// Scores the block that `SyncSearch` has scored.
    /// - Parameters:
    ///   - cells: holds the block.
    ///   - patternFirsts: the distance of each sync tone's cells from a pattern's first cell.
    ///   - plain: the scores without drifts.
    mutating func score(_ cells: SearchCells, _ patternFirsts: [Int], over plain: ScoreGrid) {
        guard reach > 0 else { return }
        grid.moveBlock()
        grid.setBlock(plain)
        let (carried, offsetCount, first) = (ScoreGrid.carriedRowCount, grid.offsetCount, cells.scoredRow)
        cells.values.withUnsafeBufferPointer { cells in
            grid.scores.withUnsafeMutableBufferPointer { scores in
                grid.maxima.withUnsafeMutableBufferPointer { maxima in
                    earshot_block_drifts(
                        form.number, cells.baseAddress! + first, patternFirsts, SearchCells.stride, offsetCount, reach,
                        step, DriftSearch.extraScore, &groups, scores.baseAddress! + carried, ScoreGrid.rowCount,
                        maxima.baseAddress! + carried)
                }
            }
        }
    }

    /// The d of a score; 0 if that is as good as any other.
    /// - Parameters:
    ///   - offset: f, in half spacings above the lowest.
    ///   - score: the score of a pattern whose groups have these offsets.
    func drift(atOffset offset: Int, _ score: ((first: Int, second: Int)) -> Float) -> Int {
        var (best, bestScore) = (0, score((offset, offset)))
        for drift in stride(from: -reach, through: reach, by: step) where drift != 0 {
            let first = offset - (drift >> 1)
            guard min(first, first + drift) >= 0, max(first, first + drift) < grid.offsetCount else { continue }
            let other = score((first, first + drift)) - DriftSearch.extraScore
            if other > bestScore { (best, bestScore) = (drift, other) }
        }
        return best
    }
}
