import EarshotBasics
import EarshotChannel
import RealModule
import TestSupport
import Testing

@Suite(.optimized) struct AutomaticGainTests {
    private static let rate = 48_000

    /// The gain in decibels, output over input, of each sample after a constant signal steps to another value. A
    /// constant has its square as mean power in every 5 ms.
    private func gains(from first: Double, to second: Double, seconds: Double) -> [Double] {
        // Four seconds are eight times the release.
        let before = [Float](repeating: Self.constant(first), count: 4 * Self.rate)
        let after = [Float](repeating: Self.constant(second), count: Int(seconds * Double(Self.rate)))
        var gain = AutomaticGain(
            StoredSound(before + after), targetDecibels: -20, maximumGainDecibels: 30, attackSeconds: 0.05,
            releaseSeconds: 0.5, sampleRateHertz: Self.rate)
        let samples = gain.readAll()
        return zip(samples, before + after).dropFirst(before.count).map { 2 * decibels(Double(abs($0 / $1))) }
    }

    /// A constant with the power of a sine of `level` decibels.
    private static func constant(_ level: Double) -> Float {
        Float((0.5 * .pow(10, level / 10) as Double).squareRoot())
    }

    /// g(t) = g₁ + (g₀ − g₁)·e^(−t/τ), 5 ms late: the first 5 ms measure the step, and the gain reaches the curve's
    /// value at 5 ms only at the end of the next 5 ms. In between, the factor follows a straight line instead of the
    /// curve in decibels. Within 5 ms, an exponential of 20 dB and 50 ms bends by 20·0.1²/8 = 0.025 dB, and a factor
    /// that changes by 1.9 dB, or 0.22 neper, bends by 0.22²/8 = 0.6 % or 0.052 dB. After eight times the release,
    /// 20·e⁻⁸ = 0.007 dB of the first gain remains.
    @Test(
        arguments: [
            (-40.0, -20.0, 20.0, 0.0, 0.05), (-20, -40, 0, 20, 0.5), (-25, -90, 5, 30, 0.5), (-20, 0, 0, -20, 0.05),
        ] as [(Double, Double, Double, Double, Double)])
    func followsAStepExponentially(
        first: Double, second: Double, before: Double, after: Double, timeConstant: Double
    ) {
        let gains = gains(from: first, to: second, seconds: 3)
        let errors = gains.enumerated().map { index, gain in
            let t = max(0, Double(index) / Double(Self.rate) - 0.005)
            return abs(gain - (after + (before - after) * .exp(-t / timeConstant)))
        }
        let worst = errors.max() ?? .infinity
        #expect(worst < 0.085, "\(worst) dB at sample \(errors.firstIndex(of: worst) ?? -1)")
        // The factor changes linearly: no step exceeds a 240th of the change in 5 ms.
        let largest = zip(gains, gains.dropFirst()).map { abs($1 - $0) }.max() ?? 0
        #expect(largest < abs(before - after) * 1.5 * 0.005 / timeConstant / 240)
    }

    /// 5 ms hold whole periods of the first sine. The power of the other sines in 5 ms varies by 0.4 %: 0.02 dB.
    @Test(arguments: [1_000.0, 18_743, 19_990], [-35.0, -5])
    func settlesAtTheTarget(hertz: Double, level: Double) {
        let sine = PilotTone(
            hertz: hertz, amplitude: Float(Double.pow(10, level / 20)), sampleRateHertz: Self.rate)
        var gain = AutomaticGain(sine, targetDecibels: -18, sampleRateHertz: Self.rate)
        // Ten times the release.
        _ = gain.read(count: 5 * Self.rate)
        let power = gain.read(count: Self.rate).reduce(0) { $0 + Double($1) * Double($1) } / Double(Self.rate)
        #expect(abs(decibels(2 * power) + 18) < 0.1, "\(decibels(2 * power)) dB")
    }

    /// The power of noise in 5 ms has a deviation of √(2/240) = 9 %, 0.4 dB, and the quick attack follows its peaks.
    /// Measured with 400 seeds, 1,001 to 1,400: 0.457 ± 0.013 dB below the target with 20 ms and 500 ms (mean ± standard deviation of
    /// one seed's 5 s), 0.018 ± 0.004 dB above it with the same time for both. The limits are 5 and 6 deviations; a normal distribution exceeds
    /// 5 with a probability of 6·10⁻⁷.
    @Test func settlesBelowTheTargetWithNoise() {
        for (attack, expected, limit) in [(0.02, -0.457, 0.064), (0.5, 0.018, 0.024)] {
            var gain = AutomaticGain(
                Noise(deviation: 0.01, sampleRateHertz: Self.rate, seed: 5), targetDecibels: -20,
                attackSeconds: attack, sampleRateHertz: Self.rate)
            _ = gain.read(count: 5 * Self.rate)
            let power = gain.read(count: 5 * Self.rate).reduce(0) { $0 + Double($1) * Double($1) } / 5
            let level = decibels(2 * power / Double(Self.rate))
            #expect(abs(level - (-20 + expected)) < limit, "\(level) dB, seed 5")
        }
    }

    @Test func silenceGetsTheMaximumGain() {
        var gain = AutomaticGain(
            StoredSound([Float](repeating: 0, count: 4 * Self.rate) + [1e-6]), maximumGainDecibels: 24,
            sampleRateHertz: Self.rate)
        let samples = gain.readAll()
        #expect(samples.dropLast().allSatisfy { $0 == 0 })
        #expect(abs(2 * decibels(Double(samples[4 * Self.rate]) / 1e-6) - 24) < 0.02)
    }

    @Test func isTheSameInAnyBlocks() {
        var random = SeededGenerator(seed: 4)
        let sound = StoredSound(random.samples(20_000))
        expectSameInAnyBlocks { AutomaticGain(sound, sampleRateHertz: 44_100) }
    }
}
