import CEarshotKernels
import EarshotCoding
import EarshotDSP
import RealModule

/// Searches for the sync pattern at every time and frequency offset.
///
///     c[row][bin] = x / (1 + x/C),   x = E[row][bin]/floor[bin],   C = 3
///     score[s][f] = Σᵢ c[s + 4·place[i]][2·syncTone[i] + f],   i = 0 ..< 8
///
/// on a grid of a quarter symbol and half a tone spacing. Energies saturate at C, so that a few loud ones, the data of
/// another frame, do not look like a pattern; they saturate smoothly, so that a loud frame still has a single best
/// place.
///
/// If the noise's level changes from row to row, x is divided by the row's level, 2^d[row] (`RowLevels`): an automatic
/// gain or a gate changes noise and pattern alike.
///
/// If a share 1 − h of a row's window was lost, the missing part counts as the mean of noise, c + (1 − h)·c̄: a hole
/// neither helps nor hurts a pattern, and does not look like one. The noise estimate uses h, so a hole does not change
/// it.
///
/// The pattern spans seventeen symbols. If the beginning of a frame is cut, its second group alone scores 12 of 24.
///
/// The search works on blocks of eight symbols: it scores block b when block b + 2 has arrived, and finds a pattern 18
/// to 26 symbols after its start, before the end of the shortest frame. Local maxima above the threshold are
/// candidates. No allocation after `init`.
struct SyncSearch: ~Copyable {
    /// The number of rows in a symbol.
    static let rowsPerSymbol = 4
    /// The number of symbols in a block: after a hole of whole blocks the search continues as if there were no hole.
    static let blockSymbolCount = 8
    /// The number of rows in a block.
    static let blockRowCount = rowsPerSymbol * blockSymbolCount
    /// The number of blocks after its own into which a pattern may extend.
    static let patternBlockCount = (FrameLayout.syncSpanToneCount + blockSymbolCount - 2) / blockSymbolCount
    /// C, at which energy over noise saturates. At 5 dB of tone energy over noise and a false-alarm rate of 10⁻⁴ a place, 3
    /// misses 10 % of patterns; no saturation 10.6 %, C = 8 8.9 %, C = 2 11.5 % (10⁵ trials).
    static let saturation: Float = 3
    /// c̄, the mean of c in noise: C − C²·e^C·E₁(C).
    static let meanOfNoise: Float = 0.64
    /// The mean of a score in noise.
    static let meanScore = Float(FrameLayout.syncToneCount) * meanOfNoise
    /// The increase of the minimum score beyond the usual offsets, where frames are rare and noise is not.
    static let unusualOffsetScore: Float = 0.8
    /// The maximum number of candidates per block, which limits the work that hostile input can cause.
    static let maximumCandidateCount = 12

    private let format: BasebandFormat
    private let form: KernelForm
    /// The distance of each sync tone's cells from a pattern's first cell.
    private let patternFirsts: [Int]
    private let spectrum: BlockSpectrum
    /// The energies of the latest block; shape [binCount][blockRowCount].
    private var energies: [Float]
    /// c of the latest blocks.
    let cells: SearchCells
    /// The first block since the start or `restart`.
    private var firstBlock = 0
    /// The first block without a tone that was removed. The noise forgets all blocks before it.
    private var cleanBlock = Int.min
    /// h of each row of the latest block, see `BasebandHistory`.
    private var heldShares = [Float](repeating: 1, count: blockRowCount)
    private var hasLostRows = false
    /// 1/level of each row of the latest block.
    private var rowFactors = [Float](repeating: 1, count: blockRowCount)
    /// The scores of the last scored block.
    private(set) var grid: ScoreGrid
    /// The scores of drifting patterns.
    private(set) var drifts: DriftSearch

    init(format: BasebandFormat, form: KernelForm = .best) {
        self.format = format
        self.form = form
        let maximumOffset = format.maximumOffsetHalfSpacings
        grid = ScoreGrid(offsetCount: 2 * maximumOffset + 1)
        drifts = DriftSearch(format: format, form: form)
        spectrum = BlockSpectrum(
            windowLength: format.samplesPerSymbol, highestBin: format.profile.toneCount - 1 + maximumOffset, form: form)
        patternFirsts = format.profile.syncTones.enumerated().map { index, tone in
            2 * tone * SearchCells.stride + SyncSearch.rowsPerSymbol * FrameLayout.syncPlace(index)
        }
        energies = [Float](repeating: 0, count: spectrum.binCount * SyncSearch.blockRowCount)
        cells = SearchCells(binCount: spectrum.binCount)
    }

    /// The history's end index at which the next block is complete.
    var dueIndex: Int { cells.blockCount * SyncSearch.blockRowCount * spectrum.hop + spectrum.inputCount }

    /// The number of samples from the first row of the block that is scored at `dueIndex` to `dueIndex`.
    var blockSpan: Int {
        SyncSearch.patternBlockCount * SyncSearch.blockRowCount * spectrum.hop + spectrum.inputCount
    }

    /// Processes the block at `dueIndex`, and scores the one whose patterns end in it.
    /// - Parameters:
    ///   - history: contains the block.
    ///   - noise: is updated with the block.
    /// - Returns: the number of the block that was scored, whose scores are in `grid`; nil if none was.
    mutating func processBlock(_ history: BasebandHistory, _ noise: inout BandNoise) -> Int? {
        let first = cells.blockCount * SyncSearch.blockRowCount * spectrum.hop
        if cells.blockCount == cleanBlock { noise.forget() }
        cells.beginBlock()
        if history.isLost(from: first) {
            cells.fillBlock(SyncSearch.meanOfNoise)
            cells.setLevels(floor: noise.level, deviations: nil)
        } else {
            measureEnergies(history, from: first)
            normalise(&noise)
        }
        cells.endBlock(isSettled: noise.isSettled)
        let scored = cells.blockCount - 1 - SyncSearch.patternBlockCount
        guard scored >= firstBlock else { return nil }
        score()
        return scored
    }

    /// Moves the indices back with those of the history. All rows are lost ones.
    mutating func rewind(blockCount: Int) {
        cells.rewind(blockCount: blockCount)
        firstBlock = 0
        if cleanBlock > 0 { cleanBlock -= blockCount }
    }

    /// Measures the latest block's energies in the baseband from `first` on.
    private mutating func measureEnergies(_ history: BasebandHistory, from first: Int) {
        if first < history.lostEndIndex {
            noteLost(history, from: first)
        }
        cells.setHeldShares(heldShares)
        history.withSamples(from: first, count: spectrum.inputCount) { samples in
            spectrum.process(samples, into: &energies)
        }
    }

    /// Stores the held share of each new row.
    private mutating func noteLost(_ history: BasebandHistory, from first: Int) {
        for row in 0..<SyncSearch.blockRowCount {
            let share = history.heldShare(from: first + row * spectrum.hop, count: spectrum.windowLength)
            heldShares[row] = share
            hasLostRows = hasLostRows || share < 1
        }
    }

    /// At the first block that begins at or after a sample, lets the noise forget all earlier blocks, which had a tone.
    mutating func forgetNoise(from index: Int) { cleanBlock = firstBlock(from: index) }

    /// The first block that begins at or after a sample.
    private func firstBlock(from index: Int) -> Int {
        let blockLength = SyncSearch.blockRowCount * spectrum.hop
        return max(0, (index + blockLength - 1) / blockLength)
    }

    /// Goes back to the first block that begins at or after a sample, because the history has changed from there on.
    mutating func restart(from index: Int, _ noise: inout BandNoise) {
        let block = firstBlock(from: index)
        guard block < cells.blockCount else { return }
        cells.restart(block: block)
        firstBlock = block
        noise.forget()
        hasLostRows = false
        for row in heldShares.indices {
            heldShares[row] = 1
        }
        grid.clear()
        drifts.grid.clear()
    }

    /// Turns the latest block's energies into cells.
    private mutating func normalise(_ noise: inout BandNoise) {
        noise.update(block: energies, heldShares: hasLostRows ? heldShares : [])
        let (inverse, binCount) = (noise.inverseFloor, spectrum.binCount)
        cells.setLevels(floor: noise.level, deviations: noise.rowDeviations)
        if let deviations = noise.rowDeviations {
            for row in deviations.indices { rowFactors[row] = .exp2(-deviations[row]) }
            earshot_scale_rows(rowFactors, binCount, &energies)
        }
        cells.withLatestBlock { cells in
            earshot_block_saturate(
                form.number, energies, binCount, inverse, SyncSearch.saturation, cells, SearchCells.stride)
        }
        guard hasLostRows else { return }
        for row in 0..<SyncSearch.blockRowCount where heldShares[row] < 1 {
            cells.add((1 - heldShares[row]) * SyncSearch.meanOfNoise, row: row)
            heldShares[row] = 1
        }
        hasLostRows = false
    }

    /// Scores the block whose patterns end in the latest block.
    private mutating func score() {
        grid.moveBlock()
        let (carried, offsetCount, first) = (ScoreGrid.carriedRowCount, grid.offsetCount, cells.scoredRow)
        cells.values.withUnsafeBufferPointer { cells in
            grid.scores.withUnsafeMutableBufferPointer { scores in
                grid.maxima.withUnsafeMutableBufferPointer { maxima in
                    earshot_block_patterns(
                        form.number, cells.baseAddress! + first, patternFirsts, SearchCells.stride, offsetCount,
                        scores.baseAddress! + carried, ScoreGrid.rowCount, maxima.baseAddress! + carried)
                }
            }
        }
        drifts.score(cells, patternFirsts, over: grid)
    }

    /// A peak of `drifts` with its drift, by which its middle may move by a quarter of a spacing.
    func withDrift(_ candidate: Candidate, _ block: Int) -> Candidate {
        let (row, halfSpacing) = (firstRow(of: candidate, block), Float(format.profile.toneSpacingHertz / 2))
        let drift = drifts.drift(atOffset: firstOffset(of: candidate)) { score(row, $0) }
        var candidate = candidate
        candidate.driftHertz = Float(drift) * halfSpacing
        candidate.offsetHertz += Float(drift & 1) * halfSpacing / 2
        return candidate
    }

    /// The score of a pattern whose groups have these offsets, in half spacings above the lowest.
    private func score(_ row: Int, _ offsets: (first: Int, second: Int)) -> Float {
        var score: Float = 0
        for (index, distance) in patternFirsts.enumerated() {
            let offset = index < FrameLayout.syncGroupToneCount ? offsets.first : offsets.second
            score += cells.values[offset * SearchCells.stride + row + distance]
        }
        return score
    }

    // MARK: Channels

    /// The sums of `ChannelCoherence` over the latest block's cells of two channels: every second bin, and every fourth
    /// row, because these have no sample in common.
    func cellSums(with other: borrowing SyncSearch) -> SIMD8<Float> {
        let limit = ChannelCoherence.maximumCell
        var (count, x, y, xx, yy, xy) = (Float(0), Float(0), Float(0), Float(0), Float(0), Float(0))
        let (own, others) = (cells.latestRow, other.cells.latestRow)
        cells.values.withUnsafeBufferPointer { values in
            other.cells.values.withUnsafeBufferPointer { otherValues in
                for bin in stride(from: 0, to: spectrum.binCount, by: 2) {
                    let first = bin &* SearchCells.stride
                    for row in 0..<SyncSearch.blockSymbolCount {
                        let place = first &+ SyncSearch.rowsPerSymbol &* row
                        let (a, b) = (min(values[own &+ place], limit), min(otherValues[others &+ place], limit))
                        (x, y) = (x + a, y + b)
                        (xx, yy, xy) = (xx + a * a, yy + b * b, xy + a * b)
                    }
                    count += Float(SyncSearch.blockSymbolCount)
                }
            }
        }
        return SIMD8(count, x, y, xx, yy, xy, 0, 0)
    }

    /// This channel's own score at the place of a block's candidate, above the mean of noise.
    func excess(at candidate: Candidate, _ block: Int) -> Float {
        let offset = firstOffset(of: candidate)
        return score(firstRow(of: candidate, block), (offset, offset)) - SyncSearch.meanScore
    }

    /// Adds share·x of all tones in the sync symbols of a block's candidate; shape [syncToneCount][M].
    func addRatios(at candidate: Candidate, _ block: Int, share: Float, to sums: inout [Float]) {
        let (row, toneCount) = (firstRow(of: candidate, block), format.profile.toneCount)
        let (offset, drift) = (firstOffset(of: candidate), candidate.driftHalfSpacings(format))
        // A thousandth below C, x is 60 dB above the noise, which is high enough.
        let (saturation, highest) = (SyncSearch.saturation, 0.999 * SyncSearch.saturation)
        cells.values.withUnsafeBufferPointer { cells in
            for symbol in 0..<FrameLayout.syncToneCount {
                let own =
                    (symbol < FrameLayout.syncGroupToneCount ? offset : offset + drift) * SearchCells.stride + row
                    + SyncSearch.rowsPerSymbol * FrameLayout.syncPlace(symbol)
                for tone in 0..<toneCount {
                    let c = min(max(cells[own + 2 * tone * SearchCells.stride], 0), highest)
                    sums[symbol * toneCount + tone] += share * (c / (1 - c / saturation))
                }
            }
        }
    }

    /// The offset of a candidate's first group, in half spacings above the lowest.
    private func firstOffset(of candidate: Candidate) -> Int {
        candidate.firstHalfSpacings(format) + grid.offsetCount / 2
    }

    /// The row of a candidate's start, in the last scored block.
    private func firstRow(of candidate: Candidate, _ block: Int) -> Int {
        cells.scoredRow + Int(candidate.start) / spectrum.hop - block * SyncSearch.blockRowCount
    }

    /// The noise's levels in a candidate's symbols, in the last scored block; see `Candidate.noiseLevels`.
    func noiseLevels(at candidate: Candidate, _ block: Int) -> SIMD8<Float> {
        cells.noiseLevels(from: firstRow(of: candidate, block))
    }

    /// Appends the peaks of a block's scores, without their dominance; at most `maximumCandidateCount`.
    /// - Parameters:
    ///   - scores: this channel's `grid`, or that of the sum over channels.
    ///   - block: the block.
    ///   - shares: the share of each channel in these scores.
    ///   - minimumScore: the minimum score of a candidate.
    ///   - candidates: receives the peaks.
    func pickPeaks(
        of scores: borrowing ScoreGrid, _ block: Int, _ shares: ChannelShares, minimumScore: Float,
        into candidates: inout [Candidate]
    ) {
        guard scores.maxima[ScoreGrid.judgedRows].contains(where: { $0 >= minimumScore }) else { return }
        let already = candidates.count
        let firstRow = block * SyncSearch.blockRowCount - ScoreGrid.carriedRowCount
        for row in ScoreGrid.judgedRows where scores.maxima[row] >= minimumScore {
            for offset in 0..<scores.offsetCount {
                let score = scores.scores[scores.index(row: row, offset: offset)]
                guard score >= minimumScore, scores.isPeak(row: row, offset: offset) else { continue }
                let distance = abs(offset - scores.offsetCount / 2)
                guard
                    distance <= format.usualOffsetHalfSpacings || score >= minimumScore + SyncSearch.unusualOffsetScore
                else { continue }
                let candidate = Candidate(
                    start: Double((firstRow + row) * spectrum.hop),
                    offsetHertz: Float(offset - scores.offsetCount / 2) * Float(format.profile.toneSpacingHertz / 2),
                    score: score, shares: shares)
                candidates.keepBest(candidate, from: already, maximumCount: SyncSearch.maximumCandidateCount)
            }
        }
    }
}
