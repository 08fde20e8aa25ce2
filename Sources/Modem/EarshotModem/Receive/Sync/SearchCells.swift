import EarshotCoding

/// The cells of one channel's search: energy over noise, saturated, in the rows of the latest blocks.
///
/// Shape [binCount][stride]. The rows move to the front when the room after them is used up, so a row's place changes
/// only between blocks. A class, because the search writes the cells that `WaitingCandidates` reads. One thread uses a
/// receiver, and no method here calls back into its owner, so the runtime need not check accesses. No allocation after
/// `init`.
final class SearchCells {
    /// The number of blocks for which a candidate waits for `GridLikelihood`. Then only the last one or two symbols of
    /// the shortest frame are missing.
    static let waitCount = 1
    /// The number of rows kept before the latest block: those in which candidates wait, and those that `GridLikelihood`
    /// reads before them.
    private static let keptRowCount =
        2 * ScoreGrid.peakReach + (SyncSearch.patternBlockCount + waitCount) * SyncSearch.blockRowCount
    /// The distance from one bin's cells to the next one's: several blocks, so that rows are rarely moved.
    static let stride = keptRowCount + 8 * SyncSearch.blockRowCount

    /// c, followed by the cells that `GridLikelihood` may read beyond it.
    @exclusivity(unchecked) var values: [Float]
    /// h of each row: a row of which a part was lost does not count for `GridLikelihood`.
    @exclusivity(unchecked) var heldShares = [Float](repeating: 0, count: stride)
    /// log2 of the noise's level in each row: that of the floor that divides its energies, plus the row's own over it,
    /// which is 0 for a row at the floor. See `NoiseFloor.rowDeviations`.
    @exclusivity(unchecked) private var levels = [Float](repeating: 0, count: stride)
    /// The latest block's first row.
    @exclusivity(unchecked) private(set) var latestRow = keptRowCount - SyncSearch.blockRowCount
    /// The number of blocks so far; the latest block is this number − 1.
    @exclusivity(unchecked) private(set) var blockCount = 0
    /// The block after the last one normalised by an unsettled floor.
    @exclusivity(unchecked) private(set) var settledBlock = 0
    /// Whether the search has restarted: the cells are no longer those in which earlier candidates were found.
    @exclusivity(unchecked) var hasRestarted = false

    private let binCount: Int

    init(binCount: Int) {
        self.binCount = binCount
        values = [Float](repeating: 0, count: binCount * SearchCells.stride + GridLikelihood.overreach)
    }

    /// The first row of the block that the search scores: its patterns end in the latest block.
    var scoredRow: Int { latestRow - SyncSearch.patternBlockCount * SyncSearch.blockRowCount }

    /// Makes room for a block after the latest one.
    func beginBlock() {
        latestRow += SyncSearch.blockRowCount
        guard latestRow + SyncSearch.blockRowCount > SearchCells.stride else { return }
        let (kept, dropped) = (SearchCells.keptRowCount, latestRow - SearchCells.keptRowCount)
        values.withUnsafeMutableBufferPointer { values in
            for bin in 0..<binCount {
                let first = values.baseAddress! + bin * SearchCells.stride
                first.update(from: first + dropped, count: kept)
            }
        }
        heldShares.withUnsafeMutableBufferPointer { shares in
            for row in 0..<kept { shares[row] = shares[row + dropped] }
        }
        levels.withUnsafeMutableBufferPointer { levels in
            for row in 0..<kept { levels[row] = levels[row + dropped] }
        }
        latestRow = kept
    }

    /// Writes the latest block's cells.
    /// - Parameter body: receives the first cell of the first bin; the bins are `stride` apart.
    func withLatestBlock(_ body: (UnsafeMutablePointer<Float>) -> Void) {
        // Here and not in a mutating method of `SyncSearch`, where Swift 6.3 fails to compile the access for ThreadSanitizer.
        values.withUnsafeMutableBufferPointer { body($0.baseAddress! + latestRow) }
    }

    /// Counts the block for which room was made.
    func endBlock(isSettled: Bool) {
        blockCount += 1
        if !isSettled { settledBlock = blockCount }
    }

    /// Sets h of the latest block's rows.
    func setHeldShares(_ shares: [Float]) {
        heldShares.replaceSubrange(latestRow..<latestRow + SyncSearch.blockRowCount, with: shares)
    }

    /// Sets the levels of the latest block's rows.
    /// - Parameters:
    ///   - floor: log2 of the floor's level.
    ///   - deviations: the rows' deviations from it; nil if all are 0.
    func setLevels(floor: Float, deviations: [Float]?) {
        for row in 0..<SyncSearch.blockRowCount {
            let deviation = deviations?[row] ?? 0
            levels[latestRow + row] = deviation == 0 ? 0 : floor + deviation
        }
    }

    /// log2 of the noise's level in the row in which each sync tone of a pattern begins.
    /// - Parameter row: the pattern's first row, among those that are kept.
    func noiseLevels(from row: Int) -> SIMD8<Float> {
        var result = SIMD8<Float>()
        for index in result.indices {
            result[index] = levels[row + SyncSearch.rowsPerSymbol * FrameLayout.syncPlace(index)]
        }
        return result
    }

    /// Sets all cells of the latest block, which was lost.
    func fillBlock(_ value: Float) {
        for bin in 0..<binCount {
            let first = bin * SearchCells.stride + latestRow
            for cell in first..<first + SyncSearch.blockRowCount { values[cell] = value }
        }
        for row in latestRow..<latestRow + SyncSearch.blockRowCount { heldShares[row] = 0 }
    }

    /// Adds a value to the cells of one of the latest block's rows.
    func add(_ value: Float, row: Int) {
        for bin in 0..<binCount { values[bin * SearchCells.stride + latestRow + row] += value }
    }

    /// Records that the search restarts at a block.
    func restart(block: Int) {
        (blockCount, settledBlock, hasRestarted) = (block, block, true)
    }

    /// Moves the indices back with those of the history.
    func rewind(blockCount count: Int) {
        blockCount -= count
        settledBlock -= count
    }
}
