import EarshotCoding

/// Candidates that are likely noise wait for more of their symbols on the search's grid. `GridLikelihood` then rejects
/// most of them, so they need no refinement. No allocation after `init`.
struct WaitingCandidates: ~Copyable {
    /// A candidate with this dominance on the grid does not wait, because the receiver should know early that a frame
    /// is on the air. One in ten of noise's candidates has it in `fast`, almost none in the other profiles.
    private static let evidentDominance: Float = 0.9

    /// Candidates rejected so far.
    private(set) var rejectedCount = 0

    private let format: BasebandFormat
    /// The cells of each channel; all have the same number of blocks.
    private let cells: [SearchCells]
    private var likelihood: GridLikelihood
    private var waiting: [Candidate] = []

    init(format: BasebandFormat, cells: [SearchCells]) {
        self.format = format
        self.cells = cells
        likelihood = GridLikelihood(profile: format.profile, channelCount: cells.count)
        waiting.reserveCapacity(2 * (cells.count + 1) * SearchCells.waitCount * SyncSearch.maximumCandidateCount)
    }

    /// Removes a block's candidates that are likely noise, and lets them wait.
    /// - Parameters:
    ///   - candidates: those from index `first` on are from this block, and have their dominance.
    ///   - first: the index of the block's first candidate.
    ///   - block: the block.
    mutating func holdBack(_ candidates: inout [Candidate], from first: Int, _ block: Int) {
        guard cells.allSatisfy({ block > $0.settledBlock }) else { return }
        var keptCount = first
        for index in first..<candidates.count {
            if mayWait(candidates[index]) {
                waiting.append(candidates[index])
            } else {
                candidates[keptCount] = candidates[index]
                keptCount += 1
            }
        }
        candidates.removeLast(candidates.count - keptCount)
    }

    /// Whether a candidate is neither clear nor already rejected.
    private func mayWait(_ candidate: Candidate) -> Bool {
        (SyncCheck.minimumUnrefinedDominance..<WaitingCandidates.evidentDominance).contains(candidate.dominance)
            && waiting.count < waiting.capacity
    }

    /// Checks the waiting candidates by `GridLikelihood` with the symbols so far, and appends those that have waited
    /// long enough. If their cells are gone, candidates stop waiting.
    mutating func judge(into candidates: inout [Candidate]) {
        let haveRestarted = cells.contains { $0.hasRestarted }
        let (latestRow, latestBlock) = (cells[0].latestRow, cells[0].blockCount - 1)
        let hop = format.samplesPerSymbol / SyncSearch.rowsPerSymbol
        var keptCount = 0
        for index in waiting.indices {
            let candidate = waiting[index]
            let row = latestRow + Int(candidate.start) / hop - latestBlock * SyncSearch.blockRowCount
            let rowsLeft = latestRow + SyncSearch.blockRowCount - 1 - row
            guard haveRestarted || isLikely(candidate, row: row, symbolCount: rowsLeft / SyncSearch.rowsPerSymbol)
            else {
                rejectedCount += 1
                continue
            }
            let waitedBlockCount = SyncSearch.patternBlockCount - 1 + SearchCells.waitCount
            let isLast = latestRow - row > waitedBlockCount * SyncSearch.blockRowCount + ScoreGrid.peakReach
            if isLast || haveRestarted {
                candidates.append(candidate)
            } else {
                waiting[keptCount] = candidate
                keptCount += 1
            }
        }
        waiting.removeLast(waiting.count - keptCount)
        for cells in cells { cells.hasRestarted = false }
    }

    private mutating func isLikely(_ candidate: Candidate, row: Int, symbolCount: Int) -> Bool {
        let maximumOffset = format.maximumOffsetHalfSpacings
        return likelihood.isLikely(
            cells, candidate.shares, row: row, offset: candidate.firstHalfSpacings(format) + maximumOffset,
            drift: candidate.driftHalfSpacings(format), offsetCount: 2 * maximumOffset + 1,
            symbolCount: min(symbolCount, GridLikelihood.maximumSymbolCount))
    }

    /// Removes all candidates, because their samples are lost.
    mutating func removeAll() {
        waiting.removeAll(keepingCapacity: true)
    }
}
