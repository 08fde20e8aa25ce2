import EarshotCoding

/// Candidates that may well be noise wait for more of their symbols on the search's grid, and `GridLikelihood` rejects most of
/// them: then they cost no refinement. No allocation after `init`.
struct WaitingCandidates: ~Copyable {
    /// A candidate with this dominance on the grid does not wait: the receiver should know soon that a frame is on the air. One
    /// in ten of noise's candidates has it in `fast`, hardly one in the other profiles.
    private static let evidentDominance: Float = 0.9

    /// Candidates rejected so far.
    private(set) var rejectedCount = 0

    private let format: BasebandFormat
    /// The cells of each channel; all have as many blocks.
    private let cells: [SearchCells]
    private var likelihood: GridLikelihood
    private var waiting: [Candidate] = []

    init(format: BasebandFormat, cells: [SearchCells]) {
        self.format = format
        self.cells = cells
        likelihood = GridLikelihood(profile: format.profile, channelCount: cells.count)
        waiting.reserveCapacity(2 * (cells.count + 1) * SearchCells.waitCount * SyncSearch.maximumCandidateCount)
    }

    /// Takes back those of a block's candidates that may well be noise.
    /// - Parameters:
    ///   - candidates: those from index `first` on are of this block, and have their dominance.
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

    /// Whether a candidate is neither clear nor rejected yet.
    private func mayWait(_ candidate: Candidate) -> Bool {
        (SyncCheck.minimumUnrefinedDominance..<WaitingCandidates.evidentDominance).contains(candidate.dominance)
            && waiting.count < waiting.capacity
    }

    /// Asks `GridLikelihood` for the waiting candidates with the symbols that are there, and appends those that have waited
    /// long enough. If their cells are gone, candidates wait no longer.
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

    /// Forgets all: the samples of all that waits are lost.
    mutating func removeAll() {
        waiting.removeAll(keepingCapacity: true)
    }
}
