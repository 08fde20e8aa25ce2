import EarshotCoding
import EarshotDSP
import RealModule

/// Detects whether there is more than noise beside a decoded frame: only then is it worth cancelling the frame.
///
///     Λ = Σₖ ln (1/n·Σₘ φ(E[k][m]/N)),   z = (Λ − μ)/σ                m: the n free tones of symbol k
///
/// with φ of `FrameLikelihood`, and the mean μ and deviation σ that Λ has in noise:
///
///     μ = Σₖ μ(n),   σ² = Σₖ σ(n)² + (Σₖ s(n))²·b/(c·ln² 2),   s = −∂Λ/∂ln N
///
/// The second part of σ² is the error of N, a median of c cells.
///
/// 1. A quiet frame, whose tones are less than `quietRatio` times N: energies with a rectangular window. All tones are
///    free except the frame's own; an offset of 0.08 spacings leaks 0.1·N from it. Neighbouring tones are independent,
///    b = 1.
/// 2. A loud frame: Hann's window, which leaves nothing of a tone three tones away. The tones near the frame's own in
///    symbols k − 1 ... k + 1 are not free. Energies of tones at distances of one and two correlate by (2/3)² and
///    (1/6)²: b = 1 + 2·(4/9 + 1/36).
///
/// N is the smaller of two medians: of the free cells, which another talker raises, and of the cells before the frame,
/// where a third talker may be. The second one is raised by its own deviation, because a short time before the frame
/// gives an uncertain value. N is at least −50 dB of the frame's own tones: the leakage of a loud frame, in its own
/// cells and in their neighbours, is not a residual.
///
/// A lone frame in white noise has z = 0.2 ± 0.9. DESIGN.md has the share of frames with an equal talker that are
/// detected. Cost: one FFT per symbol, two for a loud frame, and the same for each symbol before it.
struct ResidualDetector: ~Copyable {
    /// From this z on a residual is assumed, for one in six quiet frames that came alone. With 1.5, one in twelve,
    /// fewer second talkers are detected at the limit of decoding: `standard`, two at −8.6 dB, 88 instead of 91 % of
    /// the tokens.
    private static let quietThreshold: Float = 1
    /// The same for loud frames, one in twenty: another decodable frame has far more.
    private static let loudThreshold: Float = 1.645
    /// A frame is quiet below this ratio of its tones to N, 12 dB.
    private static let quietRatio: Float = 16
    /// The minimum of N as a share of the mean energy of the frame's tones.
    private static let minimumNoiseShare: Float = 1e-5
    /// The half width of a tone in Hann's window, with half a tone of misplacement, in tones.
    private static let reach = 2
    /// The minimum and maximum number of symbols before the frame that measure the noise.
    private static let earlierSymbolCounts = 4...2 * FrameLayout.token.toneCount

    private let likelihood = FrameLikelihood()
    private var energies: [Float]
    private var scratch: [Float]

    init(profiles: [Profile]) {
        let toneCount = profiles.map { $0.toneCount }.max() ?? 0
        energies = [Float](repeating: 0, count: FrameLayout.longest.toneCount * toneCount)
        scratch = [Float](repeating: 0, count: FrameLayout.longest.toneCount * toneCount)
    }

    /// Whether there is a residual in any channel.
    /// - Parameters:
    ///   - view: the frame at the place where it was decoded.
    ///   - tones: its tones; shape [toneCount].
    ///   - measurer: measures the frame.
    mutating func isAnything(beside view: FrameView, _ tones: [Int], _ measurer: inout FrameMeasurer) -> Bool {
        for channel in measurer.histories.indices where isAnything(beside: view, channel, tones, &measurer) {
            return true
        }
        return false
    }

    /// Whether there is a residual in one channel.
    private mutating func isAnything(
        beside view: FrameView, _ channel: Int, _ tones: [Int], _ measurer: inout FrameMeasurer
    ) -> Bool {
        let quiet = look(beside: view, channel, tones, windowed: false, &measurer)
        if quiet.levelRatio < ResidualDetector.quietRatio {
            return quiet.deviations >= ResidualDetector.quietThreshold
        }
        let loud = look(beside: view, channel, tones, windowed: true, &measurer)
        return loud.deviations >= ResidualDetector.loudThreshold
    }

    /// Measures beside a frame with one of the windows.
    /// - Returns: the energy of the frame's tones over N, and z.
    private mutating func look(
        beside view: FrameView, _ channel: Int, _ tones: [Int], windowed: Bool, _ measurer: inout FrameMeasurer
    ) -> (levelRatio: Float, deviations: Float) {
        let toneCount = view.profile.toneCount
        let before = noise(before: view, channel, windowed: windowed, &measurer)
        let erased = measurer.measure(view, ofChannel: channel, tones.indices, windowed: windowed, into: &energies)
        var (total, symbolCount, ownEnergy) = (0, Float(0), Float(0))
        for symbol in tones.indices where !erased.contains(symbol) {
            for tone in 0..<toneCount where ResidualDetector.isFree(tone, tones, symbol, windowed: windowed) {
                scratch[total] = energies[symbol * toneCount + tone]
                total += 1
            }
            symbolCount += 1
            ownEnergy += energies[symbol * toneCount + tones[symbol]]
        }
        guard total > 0 else { return (0, -.infinity) }
        let level = ownEnergy / symbolCount
        let leakage = ResidualDetector.minimumNoiseShare * level
        let noise = max(min(before, medianNoise(total)), leakage, NoiseFloor.minimumPower)
        var (logRatio, mean, variance, slope) = (Float(0), Float(0), Float(0), Float(0))
        for symbol in tones.indices where !erased.contains(symbol) {
            var (ratios, count) = (Float(0), Float(0))
            for tone in 0..<toneCount where ResidualDetector.isFree(tone, tones, symbol, windowed: windowed) {
                ratios += likelihood.ratio(energies[symbol * toneCount + tone] / noise)
                count += 1
            }
            guard count > 0 else { continue }
            let expected = ResidualDetector.expectation(count, windowed: windowed)
            logRatio += .log(ratios / count)
            mean += expected.mean
            variance += expected.deviation * expected.deviation
            slope += expected.slope
        }
        let error = slope * ResidualDetector.medianDeviation(total, windowed: windowed)
        return (level / noise, (logRatio - mean) / (variance + error * error).squareRoot())
    }

    /// The noise before a frame, raised by its deviation; infinite if too little of it is held.
    private mutating func noise(
        before view: FrameView, _ channel: Int, windowed: Bool, _ measurer: inout FrameMeasurer
    ) -> Float {
        let limits = ResidualDetector.earlierSymbolCounts
        let toneCount = view.profile.toneCount
        // There is silence before the start of the sound.
        let first = Double(max(measurer.histories[channel].firstHeldIndex, 0))
        let heldCount = Int((view.place.start - first) / view.symbolLength) - 1
        let count = min(heldCount, limits.upperBound)
        guard count >= limits.lowerBound else { return .infinity }
        let earlier = view.moved(by: -Double(count) * view.symbolLength)
        let erased = measurer.measure(earlier, ofChannel: channel, 0..<count, windowed: windowed, into: &energies)
        var total = 0
        for symbol in 0..<count where !erased.contains(symbol) {
            for tone in 0..<toneCount {
                scratch[total + tone] = energies[symbol * toneCount + tone]
            }
            total += toneCount
        }
        guard total >= limits.lowerBound * toneCount else { return .infinity }
        return medianNoise(total) * (1 + ResidualDetector.medianDeviation(total, windowed: windowed))
    }

    /// The noise from the median of the first cells in `scratch`.
    private mutating func medianNoise(_ count: Int) -> Float {
        var all = scratch.mutableSpan
        var values = all._mutatingExtracting(0..<count)
        return select(count / 2, of: &values) / noiseQuantile(0.5)
    }

    /// The deviation of ln N by the median of `count` cells: the median's rank has a deviation of √count/2, and ln E has a density
    /// of ln 2/2 there.
    private static func medianDeviation(_ count: Int, windowed: Bool) -> Float {
        let correlation: Float = windowed ? 1 + 2 * (4.0 / 9 + 1.0 / 36) : 1
        return (correlation / Float(count)).squareRoot() / 0.693_147_2
    }

    /// The mean, the deviation and the slope s of ln (1/n·Σ φ) in noise, n = `count`.
    ///
    /// Fitted powers of n, from simulations with 20,000 symbols each. Without a window n = 15, 31, 63: μ = −0.55,
    /// −0.37, −0.24 and σ = 0.86, 0.71, 0.61. With Hann's window n = 6, 10, 20, 50: μ = −0.97, −0.79, −0.57, −0.36 and
    /// σ = 1.20, 1.04, 0.93, 0.72; n = 6, 20, 50: s = 2.16, 2.68, 2.98.
    private static func expectation(
        _ count: Float, windowed: Bool
    ) -> (mean: Float, deviation: Float, slope: Float) {
        let slope = 1.5 + 0.37 * Float.log(count)
        return windowed
            ? (-2.05 * .pow(count, -0.43), 1.55 * .pow(count, -0.18), slope)
            : (-2.45 * .pow(count, -0.555), 1.66 * .pow(count, -0.242), slope)
    }

    private static func isFree(_ tone: Int, _ tones: [Int], _ symbol: Int, windowed: Bool) -> Bool {
        guard windowed else { return tone != tones[symbol] }
        for other in max(symbol - 1, 0)...min(symbol + 1, tones.count - 1) where abs(tone - tones[other]) <= reach {
            return false
        }
        return true
    }
}
