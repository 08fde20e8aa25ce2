import CEarshotKernels

/// The noise in each bin of a spectrum, followed over time and not misled by what is not noise.
///
/// For each block of rows, of which some may be lost,
///
///     g[bin] = e^γ · exp(mean over rows of ln E[row][bin])     the mean of noise, from its geometric mean
///     a[bin] = mean over rows of E[row][bin]
///
/// smoothed over about `memoryBlocks` blocks, and
///
///     floor[bin] = max(g[bin], g_now[bin]/2, median over every other bin of a)
///
/// A hopping signal is in a bin for a small share of the time: it moves a geometric mean by little. A steady tone stays
/// in its bins: it raises their floor by all its power, and nobody else's. The median of the arithmetic means is the
/// hopping signals' own power, spread over the band: where there is hardly any noise it keeps their side lobes from
/// looking like signals.
///
/// (γ is Euler's constant: the mean of ln E of noise, whose E is exponentially distributed, is ln(mean) − γ.)
public struct NoiseFloor: ~Copyable {
    /// Blocks over which the floor is smoothed.
    public static let memoryBlocks: Float = 8
    /// −150 dB of full scale: less than this counts as this, so that digital silence has a floor.
    public static let smallestPower: Float = 1e-15

    /// Of a window of which less was held, nothing is believed.
    public static let leastHeldShare: Float = 0.25

    private let binCount: Int
    private var blocksSeen: Float = 0
    private var smoothedLog: [Float]
    private var smoothedMean: [Float]
    private var blockLog: [Float]
    private var blockMean: [Float]
    private var scratch: [Float]
    private var inverse: [Float]

    /// A floor for `binCount` bins that knows nothing yet.
    public init(binCount: Int) {
        self.binCount = binCount
        smoothedLog = [Float](repeating: 0, count: binCount)
        smoothedMean = smoothedLog
        blockLog = smoothedLog
        blockMean = smoothedLog
        scratch = smoothedLog
        inverse = smoothedLog
    }

    /// 1 / floor, after the latest block; shape [binCount].
    public var inverseFloor: [Float] { inverse }

    /// Lets the next block count as the first one: what was known is wrong by now.
    public mutating func forget() {
        blocksSeen = 0
    }

    /// Takes one block in.
    /// - Parameters:
    ///   - energies: E from element `first` on; shape [rowCount][rowStride], of which the first `binCount` of each row
    ///     count.
    ///   - first: the index in `energies` of the block's first value.
    ///   - rowCount: the number of rows, one for each window.
    ///   - rowStride: the distance between the beginnings of two rows, `binCount` or more.
    ///   - heldShares: what share of each row's window was there, 1 for all if it is empty. E counts by what was; rows with
    ///     less than a quarter do not, and a block that has less than half of its rows left changes nothing.
    public mutating func update(
        _ energies: [Float], from first: Int, rowCount: Int, rowStride: Int, heldShares: [Float] = []
    ) {
        let binCount = binCount
        var heldCount = rowCount
        for share in heldShares where share < NoiseFloor.leastHeldShare {
            heldCount -= 1
        }
        guard 2 * heldCount >= rowCount else { return }
        precondition(first >= 0 && rowCount > 0 && first + (rowCount - 1) * rowStride + binCount <= energies.count)
        precondition(heldShares.isEmpty || heldShares.count == rowCount)
        energies.withUnsafeBufferPointer { energies in
            heldShares.withUnsafeBufferPointer { shares in
                earshot_sum_rows(
                    energies.baseAddress! + first, rowStride, rowCount, binCount,
                    shares.isEmpty ? nil : shares.baseAddress, NoiseFloor.leastHeldShare, NoiseFloor.smallestPower,
                    &blockLog, &blockMean)
            }
        }
        blocksSeen += 1
        let weight = max(1 / blocksSeen, 1 / NoiseFloor.memoryBlocks)
        let scale = 1 / Float(heldCount)
        earshot_smooth_floor(blockLog, blockMean, binCount, scale, weight, &smoothedLog, &smoothedMean)
        let hopping = max(medianOfMeans(), NoiseFloor.smallestPower)
        earshot_invert_floor(blockLog, smoothedLog, binCount, scale, 1 / hopping, &inverse)
    }

    /// The median of the smoothed means. Every other bin will do: bins are half a tone apart.
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
