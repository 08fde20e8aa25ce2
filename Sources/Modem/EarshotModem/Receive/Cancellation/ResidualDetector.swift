import EarshotCoding
import EarshotDSP
import RealModule

/// Detects whether there is anything but noise beside a decoded frame: only then is cancelling the frame worth its time.
///
///     D = mean over symbols k of ln(max over m of E[k][m] / (N·(ln n + γ))),   m not near the tones of symbols k − 1 ... k + 1
///
/// with Hann's window, which leaves nothing of a tone three tones away, and n cells a symbol. N is the noise by the quietest
/// quarter of the cells: noise has exponentially distributed energies, of which a quarter lies below ln(4/3)·N. The greatest
/// of n cells of noise is N·(ln n + γ) on average (γ is Euler's constant). N is at least −50 dB of the frame's own tones: the
/// leakage of a loud frame, in its own cells and in those beside them, is no residual. At −45 dB `near-far-30`, whose weaker
/// talker is 30 dB below the louder one, loses 3 % of its frames.
///
/// A lone frame in white noise has D = −0.12 ± 0.08 (`fast` −0.2 ± 0.13), 95 % have less than 0.05; beside a talker 20 dB
/// weaker at 30 dB it has 1.9, in room A at 20 dB 1.4. Cost: one FFT a symbol.
struct ResidualDetector: ~Copyable {
    /// From this D on there is a residual.
    private static let threshold: Float = 0.05
    /// The minimum of N as a share of the mean energy of the frame's tones.
    private static let minimumNoiseShare: Float = 1e-5
    /// The half width of a tone in Hann's window, with half a tone of misplacement, in tones.
    private static let reach = 2

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
        let toneCount = view.profile.toneCount
        let erased = measurer.measure(view, ofChannel: channel, tones.indices, windowed: true, into: &energies)
        var total = 0
        var symbolCount: Float = 0
        var (sum, ownEnergy) = (Float(0), Float(0))
        for symbol in tones.indices where !erased.contains(symbol) {
            var (highest, count) = (NoiseFloor.minimumPower, 0)
            for tone in 0..<toneCount where ResidualDetector.isFree(tone, tones, symbol) {
                let energy = energies[symbol * toneCount + tone]
                scratch[total + count] = energy
                highest = max(highest, energy)
                count += 1
            }
            guard count > 0 else { continue }
            total += count
            symbolCount += 1
            sum += .log(highest / noiseMaximum(count))
            ownEnergy += energies[symbol * toneCount + tones[symbol]]
        }
        guard total > 0 else { return false }
        var all = scratch.mutableSpan
        var values = all._mutatingExtracting(0..<total)
        let leakage = ResidualDetector.minimumNoiseShare * (ownEnergy / symbolCount)
        let quietest = select(total / 4, of: &values) / noiseQuantile(0.25)
        let noise = max(quietest, leakage, NoiseFloor.minimumPower)
        return sum / symbolCount - .log(noise) >= ResidualDetector.threshold
    }

    private static func isFree(_ tone: Int, _ tones: [Int], _ symbol: Int) -> Bool {
        for other in max(symbol - 1, 0)...min(symbol + 1, tones.count - 1) where abs(tone - tones[other]) <= reach {
            return false
        }
        return true
    }
}
