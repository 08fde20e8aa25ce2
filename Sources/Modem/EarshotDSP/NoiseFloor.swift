import CEarshotKernels

/// The noise power in each bin of a spectrum, tracked over time. Hopping signals and steady tones barely affect it.
///
/// For each block of rows, some of which may be lost,
///
///     g[bin] = e^γ · exp(mean over rows of ln E[row][bin])     the mean of noise, from its geometric mean
///     a[bin] = mean over rows of E[row][bin]
///
/// smoothed over about `memoryBlocks` blocks, and
///
///     floor[bin] = max(g[bin], g_now[bin]/2, median over every other bin of a)
///
/// If the level changes from row to row (`RowLevels`, against its smoothed mean), g_now and a are computed from rows
/// scaled to the mean level, E·2^−d[row]. Otherwise a burst of a few milliseconds at the start, before an automatic
/// gain has settled, would raise a for eight blocks.
///
/// A hopping signal occupies a bin for a small share of the time, so it changes a geometric mean only slightly. A
/// steady tone stays in its bins: it raises their floor by all its power, and that of no other bin. The median of the
/// arithmetic means is the power of the hopping signals, spread over the band. If there is hardly any noise, it keeps
/// their side lobes from looking like signals.
///
/// (γ is Euler's constant: the mean of ln E of noise, whose E is exponentially distributed, is ln(mean) − γ.)
public struct NoiseFloor: ~Copyable {
    /// The number of blocks over which the floor is smoothed.
    public static let memoryBlocks: Float = 8
    /// The minimum noise power, −150 dB of full scale, so that digital silence has a floor.
    public static let minimumPower: Float = 1e-15

    /// The minimum share of a window that must be present; the energies of windows with less are ignored.
    public static let minimumHeldShare: Float = 0.25

    private let binCount: Int
    private let form: KernelForm
    private var blocksSeen: Float = 0
    private var smoothedLog: [Float]
    private var smoothedMean: [Float]
    private var blockLog: [Float]
    private var blockMean: [Float]
    private var scratch: [Float]
    private var inverse: [Float]
    /// 1/share of every other row of a block, and whether it counts: 1 or 0.
    private var rowScales = [Float](repeating: 1, count: BlockSpectrum.rowCount / 2)
    private var rowWeights = [Float](repeating: 1, count: BlockSpectrum.rowCount / 2)
    private var rowLogs = [Float](repeating: 0, count: BlockSpectrum.rowCount / 2)
    private var rowMeans = [Float](repeating: 0, count: BlockSpectrum.rowCount / 2)
    private var levels = RowLevels()
    /// The mean of the rows' levels, as log2, smoothed like the floor.
    private var smoothedLevel: Float = 0

    /// Creates a floor for `binCount` bins, before the first block.
    public init(binCount: Int) {
        self.init(binCount: binCount, form: .best)
    }

    /// The same with kernels of one form.
    package init(binCount: Int, form: KernelForm) {
        self.binCount = binCount
        self.form = form
        smoothedLog = [Float](repeating: 0, count: binCount)
        smoothedMean = smoothedLog
        blockLog = smoothedLog
        blockMean = smoothedLog
        scratch = smoothedLog
        inverse = smoothedLog
    }

    /// 1/floor after the latest block; shape [binCount]. Zeros before the first block.
    public var inverseFloor: [Float] { inverse }

    /// Whether the floor has seen as many blocks as it remembers. Before that, single bins are wrong by one or two
    /// decibels.
    public var isSettled: Bool { blocksSeen >= NoiseFloor.memoryBlocks }

    /// The mean of log2 floor over all bins, after the latest block of `BlockSpectrum`; 0 before the first.
    public private(set) var level: Float = 0

    /// log2 of the noise's level in each row of the latest block over `level`, as far as that is beyond 3 dB, and
    /// otherwise 0; shape [32]. Nil if it is 0 in all rows. See `RowLevels`.
    public var rowDeviations: [Float]? { levels.isUneven ? levels.deviations : nil }

    /// Forgets all blocks, so that the next one counts as the first.
    public mutating func forget() {
        blocksSeen = 0
    }

    /// Adds one block.
    /// - Parameters:
    ///   - energies: E from element `first` on; shape [rowCount][rowStride]. The first `binCount` of each row are used.
    ///   - first: the index of the first row's first energy.
    ///   - rowCount: 1 or more.
    ///   - rowStride: the distance from row to row.
    ///   - heldShares: the share of each row's window that was not lost, 0 ... 1; shape [rowCount], or empty if nothing was
    ///     lost. E is divided by the share. Rows with less than `minimumHeldShare` are left out, and a block with less than
    ///     half of its rows left changes nothing.
    public mutating func update(
        _ energies: [Float], from first: Int, rowCount: Int, rowStride: Int, heldShares: [Float] = []
    ) {
        let binCount = binCount
        var heldCount = rowCount
        for share in heldShares where share < NoiseFloor.minimumHeldShare {
            heldCount -= 1
        }
        guard 2 * heldCount >= rowCount else { return }
        precondition(first >= 0 && rowCount > 0 && first + (rowCount - 1) * rowStride + binCount <= energies.count)
        precondition(heldShares.isEmpty || heldShares.count == rowCount)
        energies.withUnsafeBufferPointer { energies in
            heldShares.withUnsafeBufferPointer { shares in
                earshot_sum_rows(
                    energies.baseAddress! + first, rowStride, rowCount, binCount,
                    shares.isEmpty ? nil : shares.baseAddress, NoiseFloor.minimumHeldShare, NoiseFloor.minimumPower,
                    &blockLog, &blockMean)
            }
        }
        levels.clear()
        smooth(heldCount, logOffset: 0)
    }

    /// Adds one block of `BlockSpectrum`. Only every other row is used: those between add little, because they share
    /// half of the window with each neighbour.
    /// - Parameters:
    ///   - energies: E; shape [binCount][32].
    ///   - heldShares: the share of each row's window that was not lost, 0 ... 1; shape [32], or empty if nothing was lost.
    ///     See the other `update`.
    public mutating func update(block energies: [Float], heldShares: [Float] = []) {
        precondition(energies.count >= binCount * BlockSpectrum.rowCount, "\(energies.count) energies")
        precondition(heldShares.isEmpty || heldShares.count == BlockSpectrum.rowCount)
        var heldCount = 0
        for index in rowScales.indices {
            let share = heldShares.isEmpty ? 1 : heldShares[2 * index]
            let counts = share >= NoiseFloor.minimumHeldShare
            (rowScales[index], rowWeights[index]) = counts ? (1 / share, 1) : (0, 0)
            heldCount += counts ? 1 : 0
        }
        levels.clear()
        guard 2 * heldCount >= rowScales.count else { return }
        earshot_block_sums(
            form.number, energies, binCount, rowScales, rowWeights, NoiseFloor.minimumPower, &blockLog, &blockMean,
            &rowLogs, &rowMeans)
        let rowLevel = levels.measure(logs: rowLogs, means: rowMeans, weights: rowWeights, binCount: binCount)
        smoothedLevel += nextWeight * (rowLevel - smoothedLevel)
        smooth(heldCount, logOffset: levelMeans(energies))
        var sum: Float = 0
        for bin in 0..<binCount { sum -= fastLog2(inverse[bin]) }
        level = sum / Float(binCount)
        levels.compare(with: level)
    }

    /// Scales the rows of the latest block to the smoothed level and recomputes its means.
    /// - Returns: the excess of the sums of logarithms over those of the scaled rows.
    private mutating func levelMeans(_ energies: [Float]) -> Float {
        levels.compare(with: smoothedLevel)
        guard levels.isUneven else { return 0 }
        let offset = levels.writeScaledWeights(into: &rowWeights)
        earshot_block_sums(
            form.number, energies, binCount, rowScales, rowWeights, NoiseFloor.minimumPower, &scratch, &blockMean,
            &rowLogs, &rowMeans)
        return offset
    }

    /// The weight of the next block.
    private var nextWeight: Float { max(1 / (blocksSeen + 1), 1 / NoiseFloor.memoryBlocks) }

    /// Smooths the sums of a block of `heldCount` rows, and computes the floor from them.
    /// - Parameter logOffset: the part of the sums of logarithms that is due to the rows' levels.
    private mutating func smooth(_ heldCount: Int, logOffset: Float) {
        let weight = nextWeight
        blocksSeen += 1
        let scale = 1 / Float(heldCount)
        earshot_smooth_floor(blockLog, blockMean, binCount, scale, weight, &smoothedLog, &smoothedMean)
        let hopping = max(medianOfMeans(), NoiseFloor.minimumPower)
        if logOffset != 0 {
            for bin in blockLog.indices { blockLog[bin] -= logOffset }
        }
        earshot_invert_floor(blockLog, smoothedLog, binCount, scale, 1 / hopping, &inverse)
    }

    /// The median of the smoothed means of every other bin: bins are half a tone spacing apart, so half of them
    /// suffice.
    private mutating func medianOfMeans() -> Float {
        let count = (binCount + 1) / 2
        for index in 0..<count {
            scratch[index] = smoothedMean[2 * index]
        }
        var all = scratch.mutableSpan
        var values = all._mutatingExtracting(0..<count)
        return median(&values)
    }
}
