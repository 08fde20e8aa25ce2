import EarshotCoding
import RealModule

/// Searches for bursts: R sync patterns one burst spacing apart, each of which may be too quiet to be found alone.
///
///     sum[s][f] = Σⱼ score[s + shift(j, f)][f],   shift(j, f) = round(4·j·(K + G)·N'/N),   j = 0 ..< R
///
/// on the grid of `SyncSearch`, with its scores, a token's K tones and the gap's G. The offset gives the rate of the
/// clock, and so the distance of the repeats: ±0.5 % are three rows over four tokens.
///
/// In white noise a sum of 8·R cells has the mean 8·R·c̄ and the deviation 0.455·√(8·R); the threshold is 3.2
/// deviations above the mean. Four repeats at 2.75 dB of tone energy over noise, of which the grid loses half a
/// decibel, are 7.0 ± 1.2 deviations above it.
///
/// Cost: R additions per place, and memory for the scores of the whole history. No allocation after `init`.
struct RepeatSearch {
    /// The standard deviation of c in noise.
    private static let deviationOfNoise: Float = 0.455
    /// The minimum of a sum above noise's mean, in deviations.
    private static let minimumDeviations: Float = 3.2
    /// The increase for each doubling of the channels: then noise causes about as many candidates as with one channel.
    private static let deviationsPerDoubling: Float = 0.35

    /// R: the number of repeats.
    let repeatCount: Int
    /// The candidates that have not been taken yet.
    private(set) var candidates: [Candidate] = []
    /// The minimum of a sum.
    let minimumSum: Float
    /// The mean of a sum in noise.
    private let meanSum: Float

    private let format: BasebandFormat
    private let offsetCount: Int
    /// shift(j, f); shape [R][offsetCount].
    private let shifts: [Int]
    /// The number of blocks from a burst's first pattern to its last one.
    private let lagBlockCount: Int
    private let ringBlockCount: Int
    /// The latest scores; a ring of blocks.
    private var ring: [Float]
    private var latestBlock = -1
    private var grid: ScoreGrid

    /// Creates a search for bursts of `repeatCount` frames in one of `channelCount` channels, whose latest `keptCount`
    /// baseband samples can change.
    init(format: BasebandFormat, repeatCount: Int, keptCount: Int, channelCount: Int = 1) {
        self.format = format
        self.repeatCount = repeatCount
        let offsetCount = 2 * format.maximumOffsetHalfSpacings + 1
        let grid = ScoreGrid(offsetCount: offsetCount)
        let spacingRows = Double(SyncSearch.rowsPerSymbol * FrameLayout.burstSpacingToneCount)
        let shifts = (0..<repeatCount).flatMap { index in
            (0..<offsetCount).map { column in
                let offset = column - offsetCount / 2
                let hertz = Float(offset) * Float(format.profile.toneSpacingHertz / 2)
                let scale = format.symbolLength(offsetHertz: hertz) / Double(format.samplesPerSymbol)
                return Int((Double(index) * spacingRows * scale).rounded())
            }
        }
        let blockLength = SyncSearch.blockSymbolCount * format.samplesPerSymbol
        lagBlockCount = ((shifts.max() ?? 0) + SyncSearch.blockRowCount - 1) / SyncSearch.blockRowCount
        ringBlockCount = keptCount / blockLength + lagBlockCount + 2
        let (count, deviation) = (Float(8 * repeatCount), RepeatSearch.deviationOfNoise)
        let deviations =
            RepeatSearch.minimumDeviations + RepeatSearch.deviationsPerDoubling * .log2(Float(channelCount))
        meanSum = count * SyncSearch.meanOfNoise
        minimumSum = meanSum + deviations * deviation * count.squareRoot()
        self.shifts = shifts
        self.offsetCount = offsetCount
        self.grid = grid
        // Before the start there is noise.
        ring = [Float](
            repeating: 8 * SyncSearch.meanOfNoise, count: ringBlockCount * SyncSearch.blockRowCount * offsetCount)
        candidates.reserveCapacity(4 * SyncSearch.maximumCandidateCount)
    }

    /// Takes the scores of the next block or of an earlier one, and adds up the bursts whose last pattern begins in it.
    /// - Parameters:
    ///   - scores: the scores of the block, after the rows of the previous block.
    ///   - block: the number of the block, 0 or more.
    mutating func take(_ scores: ScoreGrid, block: Int) {
        if block != latestBlock + 1 {
            grid.clear()
        }
        latestBlock = block
        let firstRow = block % ringBlockCount * SyncSearch.blockRowCount
        for offset in 0..<offsetCount {
            let first = scores.index(row: ScoreGrid.carriedRowCount, offset: offset)
            for row in 0..<SyncSearch.blockRowCount {
                ring[(firstRow + row) * offsetCount + offset] = scores.scores[first + row]
            }
        }
        let burstBlock = block - lagBlockCount
        guard burstBlock >= 0 else { return }
        addUp(burstBlock)
    }

    /// Adds another channel's sums of the latest block to this one's; see `ScoreGrid.add`.
    mutating func add(_ other: RepeatSearch, coherence: Float) {
        guard latestBlock >= lagBlockCount else { return }
        grid.add(other.grid, mean: meanSum, coherence: coherence)
    }

    /// Looks for bursts in the latest block's sums.
    mutating func pickPeaks() {
        guard latestBlock >= lagBlockCount else { return }
        pickPeaks(latestBlock - lagBlockCount)
    }

    /// Removes the candidates, which were taken.
    mutating func removeCandidates() {
        candidates.removeAll(keepingCapacity: true)
    }

    /// Moves the indices back with those of the history.
    mutating func rewind(blockCount: Int) {
        latestBlock -= blockCount
        grid.clear()
    }

    /// Computes the sums of a block.
    private mutating func addUp(_ block: Int) {
        grid.moveBlock()
        let ringRowCount = ringBlockCount * SyncSearch.blockRowCount
        let firstRow = block * SyncSearch.blockRowCount
        for row in 0..<SyncSearch.blockRowCount {
            var highest: Float = 0
            for column in 0..<offsetCount {
                var sum: Float = 0
                for index in 0..<repeatCount {
                    let ringRow = (firstRow + row + shifts[index * offsetCount + column]) % ringRowCount
                    sum += ring[ringRow * offsetCount + column]
                }
                grid.scores[grid.index(row: ScoreGrid.carriedRowCount + row, offset: column)] = sum
                highest = max(highest, sum)
            }
            grid.maxima[ScoreGrid.carriedRowCount + row] = highest
        }
    }

    private mutating func pickPeaks(_ block: Int) {
        let already = candidates.count
        let hop = format.samplesPerSymbol / SyncSearch.rowsPerSymbol
        let firstRow = block * SyncSearch.blockRowCount - ScoreGrid.carriedRowCount
        for row in ScoreGrid.judgedRows where grid.maxima[row] >= minimumSum && firstRow + row >= 0 {
            for offset in 0..<offsetCount
            where grid.scores[grid.index(row: row, offset: offset)] >= minimumSum
                && grid.isPeak(row: row, offset: offset)
            {
                let candidate = Candidate(
                    start: Double((firstRow + row) * hop),
                    offsetHertz: Float(offset - offsetCount / 2) * Float(format.profile.toneSpacingHertz / 2),
                    score: grid.scores[grid.index(row: row, offset: offset)])
                candidates.keepBest(
                    candidate, from: already, maximumCount: SyncSearch.maximumCandidateCount)
            }
        }
    }
}
