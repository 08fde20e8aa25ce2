/// The noise in each bin of a spectrum, followed over time and not misled by what is not noise.
///
/// For each block of rows
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

    /// Takes one block in.
    /// - Parameters:
    ///   - energies: E from element `first` on; shape [rowCount][rowStride], of which the first `binCount` of each row
    ///     count.
    public mutating func update(_ energies: [Float], from first: Int, rowCount: Int, rowStride: Int) {
        let binCount = binCount
        for bin in 0..<binCount {
            blockLog[bin] = 0
            blockMean[bin] = 0
        }
        for row in 0..<rowCount {
            let start = first + row * rowStride
            accumulate(energies.span.extracting(start..<start + binCount))
        }
        blocksSeen += 1
        let weight = max(1 / blocksSeen, 1 / NoiseFloor.memoryBlocks)
        let scale = 1 / Float(rowCount)
        for bin in 0..<binCount {
            smoothedLog[bin] += weight * (scale * blockLog[bin] - smoothedLog[bin])
            smoothedMean[bin] += weight * (scale * blockMean[bin] - smoothedMean[bin])
        }
        let hopping = max(medianOfMeans(), NoiseFloor.smallestPower)
        // γ / ln 2.
        let eulerBits: Float = 0.832_746_2
        for bin in 0..<binCount {
            let bits = max(smoothedLog[bin], scale * blockLog[bin] - 1) + eulerBits
            inverse[bin] = min(fastExp2(-bits), 1 / hopping)
        }
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

    private mutating func accumulate(_ row: Span<Float>) {
        var log = blockLog.mutableSpan
        for bin in row.indices {
            log[bin] += fastLog2(row[bin] + NoiseFloor.smallestPower)
        }
        var mean = blockMean.mutableSpan
        for bin in row.indices {
            mean[bin] += row[bin]
        }
    }
}
