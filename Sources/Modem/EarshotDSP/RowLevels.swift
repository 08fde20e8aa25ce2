import CEarshotKernels
import RealModule

/// The level of the noise in each row of a block, if it changes from row to row: an automatic gain or a noise
/// suppressor's gate makes noise and signal louder and quieter together.
///
///     l[row] = max(e^γ·exp(mean over bins of ln E[row][bin]), mean over bins of E[row][bin])
///     d[row] = beyond(log2 (l[row]/reference))     in bits; see LevelTolerance
///
/// with a common reference for all rows. The geometric mean hardly changes when a signal is in one bin; the second term
/// keeps a loud signal's own side lobes from looking like patterns, like the median of `NoiseFloor`: a single tone then
/// exceeds the level by half the number of bins. (With a tenth of the mean, tokens at 40 dB made seven times as many
/// candidates.) Only every other row is measured, because rows overlap; those between get the mean of their neighbours.
/// Lost and silent rows have d = 0.
struct RowLevels {
    /// A row 36 dB quieter than the loudest one of its block is a hole in the sound, whose level is meaningless. An
    /// automatic gain that has not settled causes 27 dB.
    private static let holeBits: Float = 12
    /// γ/ln 2: the mean of log2 E of noise, whose E is exponentially distributed, is log2(mean) − γ/ln 2.
    private static let eulerBits: Float = 0.832_746_2
    /// The number of rows that are measured.
    private static let measuredCount = BlockSpectrum.rowCount / 2

    /// d of each row of the latest block; shape [BlockSpectrum.rowCount]. Defined where `isUneven`.
    private(set) var deviations = [Float](repeating: 0, count: BlockSpectrum.rowCount)
    /// Whether the level of any row of the latest block differs from the reference of `compare`.
    private(set) var isUneven = false
    /// log2 l of each measured row of the latest block.
    private var levels = [Float](repeating: 0, count: measuredCount)
    /// 1 for a row that counts, 0 for a lost or silent one.
    private var weights = [Float](repeating: 0, count: measuredCount)

    /// Measures a block.
    /// - Parameters:
    ///   - logs: Σ log2 E of each measured row over its bins; shape [measuredCount].
    ///   - means: Σ E of each measured row over its bins; shape [measuredCount].
    ///   - weights: 1 for a row that counts, 0 for a lost one; shape [measuredCount].
    ///   - binCount: the number of bins.
    /// - Returns: the mean of log2 l over the rows that count, of which there must be one.
    mutating func measure(logs: [Float], means: [Float], weights rowWeights: [Float], binCount: Int) -> Float {
        let scale = 1 / Float(binCount)
        var loudest = -Float.infinity
        for row in levels.indices {
            weights[row] = rowWeights[row]
            guard weights[row] > 0 else { continue }
            levels[row] = max(
                logs[row] * scale + RowLevels.eulerBits,
                fastLog2(scale * means[row] + NoiseFloor.minimumPower))
            loudest = max(loudest, levels[row])
        }
        var (sum, count) = (Float(0), Float(0))
        for row in levels.indices where weights[row] > 0 {
            guard levels[row] > loudest - RowLevels.holeBits else {
                weights[row] = 0
                continue
            }
            sum += levels[row]
            count += 1
        }
        return sum / count
    }

    /// Computes d of all rows for a reference, log2 of a level.
    mutating func compare(with reference: Float) {
        isUneven = false
        for row in levels.indices {
            let deviation = weights[row] > 0 ? LevelTolerance.beyond(levels[row] - reference) : 0
            isUneven = isUneven || deviation != 0
            deviations[2 * row] = deviation
        }
        guard isUneven else { return }
        for row in stride(from: 1, to: deviations.count, by: 2) {
            let next = min(row + 1, deviations.count - 2)
            deviations[row] = 0.5 * (deviations[row - 1] + deviations[next])
        }
    }

    /// Writes each measured row's weight divided by its level, as a factor of its energies.
    /// - Returns: Σ d over these rows.
    func writeScaledWeights(into scaled: inout [Float]) -> Float {
        var sum: Float = 0
        for row in levels.indices {
            sum += deviations[2 * row]
            scaled[row] = weights[row] * .exp2(-deviations[2 * row])
        }
        return sum
    }

    /// Records that the latest block was not measured.
    mutating func clear() { isUneven = false }
}
