import CEarshotKernels
import EarshotCoding
import EarshotDSP
import RealModule

/// Searches for the sync pattern at every time and frequency offset.
///
///     c[row][bin] = x / (1 + x/C),   x = E[row][bin]/floor[bin],   C = 3
///     score[s][f] = Σᵢ c[s + 4·i][2·syncTone[i] + f],   i = 0 ..< 8
///
/// on a grid of a quarter symbol and half a tone spacing. Energies saturate at C, so that a few loud ones, the data of another
/// frame, do not look like a pattern; they saturate smoothly, so that a loud frame still has one best place.
///
/// If a share 1 − h of a row's window was lost, the missing part counts as noise's mean, c + (1 − h)·c̄: a hole neither helps
/// nor hurts a pattern, and there is no pattern in a hole. The noise knows h, so it is the same behind a hole as before.
///
/// The search works on blocks of eight symbols: it scores block b when block b + 1 is there, and finds a pattern 9 to 17
/// symbols behind its start, before the shortest frame is over. Local maxima above the threshold are candidates. No allocation
/// after `init`.
struct SyncSearch: ~Copyable {
    /// The number of rows in a symbol.
    static let rowsPerSymbol = 4
    /// The number of symbols in a block: after a hole of whole blocks the search continues as if the hole had not been.
    static let blockSymbolCount = FrameLayout.syncToneCount
    /// The number of rows in a block: the length of the sync pattern.
    static let blockRowCount = rowsPerSymbol * FrameLayout.syncToneCount
    /// C, at which energy over noise saturates. At 5 dB of tone energy over noise and a false-alarm rate of 10⁻⁴ a place, 3
    /// misses 10 % of patterns; no saturation 10.6 %, C = 8 8.9 %, C = 2 11.5 % (10⁵ trials).
    static let saturation: Float = 3
    /// c̄, the mean of c in noise: C − C²·e^C·E₁(C).
    static let meanOfNoise: Float = 0.64
    /// The mean of a score in noise.
    static let meanScore = Float(FrameLayout.syncToneCount) * meanOfNoise
    /// How much more a candidate needs for each doubling of the channels: about as many come from noise as with one channel
    /// (2·10⁶ scores of noise: 0.48 more for two channels, 1.06 for four, 1.9 for eight).
    private static let scorePerDoubling: Float = 0.53
    /// The maximum number of candidates from a block: limits the work that hostile input can cause.
    static let maximumCandidateCount = 12

    /// A candidate with this dominance on the grid does not wait for `GridLikelihood`: the receiver should know soon that a
    /// frame is on the air. One in ten of noise's candidates has it in `fast`, hardly one in the other profiles.
    private static let evidentDominance: Float = 0.9
    private static let peakReach = ScoreGrid.peakReach
    /// The rows kept before the latest block: those in which candidates wait, and what `GridLikelihood` looks at before them.
    private static let keptRowCount = 2 * peakReach + (1 + waitCount) * blockRowCount
    /// The number of blocks for which a candidate waits for `GridLikelihood`. Then all is there but the last symbol or two of
    /// the shortest frame.
    private static let waitCount = 2
    /// The distance from one bin's cells to the next one's: several blocks, so that rows are seldom moved.
    private static let cellStride = keptRowCount + 8 * blockRowCount

    private let format: BasebandFormat
    private let form: KernelForm
    /// The distance of each sync tone's cells from a pattern's first cell.
    private let patternFirsts: [Int]
    private let spectrum: BlockSpectrum
    /// The energies of the latest block; shape [binCount][blockRowCount].
    private var energies: [Float]
    /// c; shape [binCount][cellStride].
    private var cells: [Float]
    /// h of each row of the cells: those of rows of which a part was lost do not count for `GridLikelihood`.
    private var cellShares = [Float](repeating: 0, count: cellStride)
    /// The latest block's first row in `cells`.
    private var latestRow = keptRowCount - blockRowCount
    private var blocksMade = 0
    /// The first block since the start or `restart`.
    private var firstBlock = 0
    /// h of each row of the latest block, see `BasebandHistory`.
    private var heldShares = [Float](repeating: 1, count: blockRowCount)
    private var hasLostRows = false
    /// The scores of the block scored last.
    private(set) var grid: ScoreGrid
    private var likelihood: GridLikelihood
    /// The candidates of the latest blocks that wait for `GridLikelihood`.
    private var waiting: [Candidate] = []
    /// Candidates rejected by `GridLikelihood` so far.
    private(set) var unlikelyCount = 0
    /// The block behind the latest whose cells were divided by noise that was not settled.
    private var settledBlock = 0
    /// Whether the cells are no longer those among which the waiting candidates were found.
    private var cellsChanged = false

    /// The minimum score of a candidate.
    private let minimumScore: Float

    init(format: BasebandFormat, channelCount: Int = 1, form: KernelForm = .best) {
        self.format = format
        self.form = form
        minimumScore = format.minimumSearchScore + SyncSearch.scorePerDoubling * .log2(Float(channelCount))
        let maximumOffset = format.maximumOffsetHalfSpacings
        grid = ScoreGrid(offsetCount: 2 * maximumOffset + 1)
        spectrum = BlockSpectrum(
            windowLength: format.samplesPerSymbol, highestBin: format.profile.toneCount - 1 + maximumOffset, form: form)
        patternFirsts = format.profile.syncTones.enumerated().map { symbol, tone in
            2 * tone * SyncSearch.cellStride + SyncSearch.rowsPerSymbol * symbol
        }
        likelihood = GridLikelihood(profile: format.profile, binStride: SyncSearch.cellStride, form: form)
        waiting.reserveCapacity(SyncSearch.waitCount * SyncSearch.maximumCandidateCount)
        energies = [Float](repeating: 0, count: spectrum.binCount * SyncSearch.blockRowCount)
        cells = [Float](
            repeating: 0, count: spectrum.binCount * SyncSearch.cellStride + GridLikelihood.overreach)
    }

    /// The history's end index at which the next block is complete.
    var dueIndex: Int { blocksMade * SyncSearch.blockRowCount * spectrum.hop + spectrum.inputCount }

    /// The samples from the first row of the block before the latest to `dueIndex`.
    var blockSpan: Int { SyncSearch.blockRowCount * spectrum.hop + spectrum.inputCount }

    /// Takes in the block at `dueIndex`, and scores the block before.
    /// - Parameters:
    ///   - history: holds the block.
    ///   - noise: takes in the block too.
    /// - Returns: the number of the block that was scored, whose scores are in `grid`; nil if none was.
    mutating func processBlock(_ history: BasebandHistory, _ noise: inout BandNoise) -> Int? {
        let first = blocksMade * SyncSearch.blockRowCount * spectrum.hop
        makeRoom()
        if history.isLost(from: first) {
            fillAllLost()
        } else {
            measureEnergies(history, from: first)
            normalise(&noise)
        }
        blocksMade += 1
        if !noise.isSettled {
            settledBlock = blocksMade
        }
        let scored = blocksMade - 2
        guard scored >= firstBlock else { return nil }
        score()
        return scored
    }

    /// Moves the indices back with the history's. All rows are lost.
    mutating func rewind(blockCount: Int) {
        blocksMade -= blockCount
        settledBlock -= blockCount
        firstBlock = 0
        waiting.removeAll(keepingCapacity: true)
    }

    /// Makes room for a block behind the latest one.
    private mutating func makeRoom() {
        latestRow += SyncSearch.blockRowCount
        guard latestRow + SyncSearch.blockRowCount > SyncSearch.cellStride else { return }
        let (kept, dropped) = (SyncSearch.keptRowCount, latestRow - SyncSearch.keptRowCount)
        let binCount = spectrum.binCount
        cells.withUnsafeMutableBufferPointer { cells in
            for bin in 0..<binCount {
                let first = cells.baseAddress! + bin * SyncSearch.cellStride
                first.update(from: first + dropped, count: kept)
            }
        }
        for row in 0..<kept {
            cellShares[row] = cellShares[row + dropped]
        }
        latestRow = kept
    }

    /// Measures the latest block's energies in the baseband from `first` on.
    private mutating func measureEnergies(_ history: BasebandHistory, from first: Int) {
        if first < history.lostEndIndex {
            noteLost(history, from: first)
        }
        for row in 0..<SyncSearch.blockRowCount {
            cellShares[latestRow + row] = heldShares[row]
        }
        history.withSamples(from: first, count: spectrum.inputCount) { samples in
            spectrum.process(samples, into: &energies)
        }
    }

    /// Notes the held share of each row that is about to be made.
    private mutating func noteLost(_ history: BasebandHistory, from first: Int) {
        for row in 0..<SyncSearch.blockRowCount {
            let share = history.heldShare(from: first + row * spectrum.hop, count: spectrum.windowLength)
            heldShares[row] = share
            hasLostRows = hasLostRows || share < 1
        }
    }

    /// Goes back to the first block that begins at or behind a sample: the history has changed from there on.
    mutating func restart(from index: Int, _ noise: inout BandNoise) {
        let blockLength = SyncSearch.blockRowCount * spectrum.hop
        let block = max(0, (index + blockLength - 1) / blockLength)
        guard block < blocksMade else { return }
        (blocksMade, firstBlock, settledBlock) = (block, block, block)
        cellsChanged = true
        noise.forget()
        hasLostRows = false
        for row in heldShares.indices {
            heldShares[row] = 1
        }
        grid.clear()
    }

    /// Turns the latest block's energies into cells.
    private mutating func normalise(_ noise: inout BandNoise) {
        noise.update(block: energies, heldShares: hasLostRows ? heldShares : [])
        let (inverse, binCount, first) = (noise.inverseFloor, spectrum.binCount, latestRow)
        cells.withUnsafeMutableBufferPointer { cells in
            earshot_block_saturate(
                form.number, energies, binCount, inverse, SyncSearch.saturation, cells.baseAddress! + first,
                SyncSearch.cellStride)
        }
        if hasLostRows {
            fillLost()
        }
    }

    /// Sets all cells of the latest block to noise's mean.
    private mutating func fillAllLost() {
        for bin in 0..<spectrum.binCount {
            let first = bin * SyncSearch.cellStride + latestRow
            for cell in first..<first + SyncSearch.blockRowCount {
                cells[cell] = SyncSearch.meanOfNoise
            }
        }
        for row in latestRow..<latestRow + SyncSearch.blockRowCount {
            cellShares[row] = 0
        }
    }

    /// Adds noise's mean to the latest block's cells for the lost parts of their windows.
    private mutating func fillLost() {
        for row in 0..<SyncSearch.blockRowCount where heldShares[row] < 1 {
            for bin in 0..<spectrum.binCount {
                cells[bin * SyncSearch.cellStride + latestRow + row] +=
                    (1 - heldShares[row]) * SyncSearch.meanOfNoise
            }
            heldShares[row] = 1
        }
        hasLostRows = false
    }

    /// Scores the block before the latest.
    private mutating func score() {
        grid.moveBlock()
        let (carried, offsetCount, first) = (ScoreGrid.carriedRowCount, grid.offsetCount, scoredRow)
        cells.withUnsafeBufferPointer { cells in
            grid.scores.withUnsafeMutableBufferPointer { scores in
                grid.maxima.withUnsafeMutableBufferPointer { maxima in
                    earshot_block_patterns(
                        form.number, cells.baseAddress! + first, patternFirsts, SyncSearch.cellStride, offsetCount,
                        scores.baseAddress! + carried, ScoreGrid.rowCount, maxima.baseAddress! + carried)
                }
            }
        }
    }

    /// The first row in `cells` of the block before the latest, which is scored.
    private var scoredRow: Int { latestRow - SyncSearch.blockRowCount }

    // MARK: Channels

    /// Adds another channel's scores of the latest scored block to this one's; see `ScoreGrid.add`.
    mutating func add(_ other: borrowing SyncSearch, coherence: Float) {
        grid.add(other.grid, mean: SyncSearch.meanScore, coherence: coherence)
    }

    /// The sums of `ChannelCoherence` over the latest block's cells of two channels: every second bin, and every fourth row,
    /// since these have no sample in common.
    func cellSums(with other: borrowing SyncSearch) -> SIMD8<Float> {
        var (count, sums) = (Float(0), SIMD8<Float>())
        let limit = ChannelCoherence.maximumCell
        for bin in stride(from: 0, to: spectrum.binCount, by: 2) {
            let (own, others) = (bin * SyncSearch.cellStride + latestRow, bin * SyncSearch.cellStride + other.latestRow)
            for row in stride(from: 0, to: SyncSearch.blockRowCount, by: SyncSearch.rowsPerSymbol) {
                let (x, y) = (min(cells[own + row], limit), min(other.cells[others + row], limit))
                count += 1
                sums += SIMD8(0, x, y, x * x, y * y, x * y, 0, 0)
            }
        }
        sums[0] = count
        return sums
    }

    /// This channel's own score at the place of a candidate of a block, above the mean of noise.
    func excess(at candidate: Candidate, _ block: Int) -> Float {
        let first = firstCell(of: candidate, block)
        var score: Float = 0
        for distance in patternFirsts { score += cells[first + distance] }
        return score - SyncSearch.meanScore
    }

    /// Adds share·x of all tones in the sync symbols of a candidate of a block; shape [syncToneCount][M].
    func addRatios(at candidate: Candidate, _ block: Int, share: Float, to sums: inout [Float]) {
        let (first, toneCount) = (firstCell(of: candidate, block), format.profile.toneCount)
        // A thousandth below C, x is 60 dB above the noise: far above all others is enough.
        let (saturation, highest) = (SyncSearch.saturation, 0.999 * SyncSearch.saturation)
        let cells = cells.span
        var all = sums.mutableSpan
        for symbol in 0..<FrameLayout.syncToneCount {
            let own = first + SyncSearch.rowsPerSymbol * symbol
            var target = all._mutatingExtracting(symbol * toneCount..<(symbol + 1) * toneCount)
            for tone in 0..<toneCount {
                let c = min(max(cells[own + 2 * tone * SyncSearch.cellStride], 0), highest)
                target[tone] += share * (c / (1 - c / saturation))
            }
        }
    }

    /// The cell of tone 0 at a candidate's start and offset, in the block scored last.
    private func firstCell(of candidate: Candidate, _ block: Int) -> Int {
        let row = Int(candidate.start) / spectrum.hop - block * SyncSearch.blockRowCount
        let steps = (candidate.offsetHertz / Float(format.profile.toneSpacingHertz / 2)).rounded()
        return (Int(steps) + grid.offsetCount / 2) * SyncSearch.cellStride + scoredRow + row
    }

    /// Appends the peaks of a block's scores, without their dominance; at most `maximumCandidateCount`.
    mutating func pickPeaks(_ block: Int, into candidates: inout [Candidate]) {
        let already = candidates.count
        let firstRow = block * SyncSearch.blockRowCount - ScoreGrid.carriedRowCount
        for row in ScoreGrid.judgedRows where grid.maxima[row] >= minimumScore {
            for offset in 0..<grid.offsetCount {
                let score = grid.scores[grid.index(row: row, offset: offset)]
                guard score >= minimumScore, grid.isPeak(row: row, offset: offset) else { continue }
                let candidate = Candidate(
                    start: Double((firstRow + row) * spectrum.hop),
                    offsetHertz: Float(offset - grid.offsetCount / 2) * Float(format.profile.toneSpacingHertz / 2),
                    score: score)
                candidates.keepBest(candidate, from: already, maximumCount: SyncSearch.maximumCandidateCount)
            }
        }
    }

    // MARK: Waiting

    /// Takes back those of a block's candidates that may well be noise: they wait for more of their symbols.
    /// - Parameters:
    ///   - candidates: those from index `first` on are of this block, and have their dominance.
    ///   - first: the index of the block's first candidate.
    ///   - block: the block.
    mutating func holdBack(_ candidates: inout [Candidate], from first: Int, _ block: Int) {
        var keptCount = first
        for index in first..<candidates.count {
            if block > settledBlock && mayWait(candidates[index]) {
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
        (SyncCheck.minimumUnrefinedDominance..<SyncSearch.evidentDominance).contains(candidate.dominance)
    }

    /// Asks `GridLikelihood` for the waiting candidates with the symbols that are there, and appends those that have waited
    /// long enough. If their cells are gone, candidates wait no longer.
    mutating func judgeWaiting(into candidates: inout [Candidate]) {
        var keptCount = 0
        for index in waiting.indices {
            let candidate = waiting[index]
            let row = latestRow + Int(candidate.start) / spectrum.hop - (blocksMade - 1) * SyncSearch.blockRowCount
            guard cellsChanged || isLikely(candidate, row: row) else {
                unlikelyCount += 1
                continue
            }
            let isLast = latestRow - row > SyncSearch.waitCount * SyncSearch.blockRowCount + SyncSearch.peakReach
            if isLast || cellsChanged {
                candidates.append(candidate)
            } else {
                waiting[keptCount] = candidate
                keptCount += 1
            }
        }
        waiting.removeLast(waiting.count - keptCount)
        cellsChanged = false
    }

    private mutating func isLikely(_ candidate: Candidate, row: Int) -> Bool {
        let halfSpacings = 2 * candidate.offsetHertz / Float(format.profile.toneSpacingHertz)
        let rowsLeft = latestRow + SyncSearch.blockRowCount - 1 - row
        return likelihood.isLikely(
            cells, shares: cellShares, row: row, offset: Int(halfSpacings.rounded()) + grid.offsetCount / 2,
            offsetCount: grid.offsetCount,
            symbolCount: min(rowsLeft / SyncSearch.rowsPerSymbol, GridLikelihood.maximumSymbolCount))
    }
}
