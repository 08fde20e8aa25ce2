import EarshotBasics
import EarshotDSP
import RealModule
import TestSupport
import Testing

@testable import EarshotModem

/// One tone in a stretch of baseband, compared with closed forms and the Cramér-Rao bound.
@Suite(.optimized) struct PilotEstimatorTests {
    /// a·e^{j2πfn} and complex noise of that power a sample.
    private func stretch(
        _ cyclesPerSample: Double, amplitude: ComplexDouble, noisePower: Double = 0, random: inout SeededGenerator
    ) -> [ComplexSample] {
        (0..<PilotEstimator.sampleCount).map { n in
            let turns = cyclesPerSample * Double(n)
            let tone = amplitude.times(ComplexDouble(.cos(2 * .pi * turns), .sin(2 * .pi * turns)))
            // The square of ±√3·σ has the mean σ².
            let half = (1.5 * noisePower).squareRoot()
            return ComplexSample(
                Float(tone.x + (half > 0 ? Double.random(in: -half...half, using: &random) : 0)),
                Float(tone.y + (half > 0 ? Double.random(in: -half...half, using: &random) : 0)))
        }
    }

    /// Without noise, frequency and amplitude are exact within single precision: 10⁻⁷ of a cycle a sample, 10⁻³ of a.
    @Test(arguments: [-0.21, -0.011, 0, 0.003, 0.17]) func aCleanToneIsExact(cyclesPerSample: Double) {
        var random = SeededGenerator(seed: 71)
        let amplitude = ComplexDouble(0.3, -0.4)
        let x = stretch(cyclesPerSample, amplitude: amplitude, random: &random)
        var estimator = PilotEstimator()
        // The fit starts up to 34 Hz of 3,000 beside the tone.
        for distance in [-0.011, 0, 0.007] {
            let found = estimator.fit(x.span, near: cyclesPerSample + distance)
            #expect(abs(found.cyclesPerSample - cyclesPerSample) < 2e-7, "\(distance)")
            #expect((ComplexDouble(found.amplitude) - amplitude).power.squareRoot() < 1e-3 * 0.5, "\(distance)")
            #expect(found.isSteady && found.powerLeft < 1e-5)
        }
    }

    /// In noise of σ² a sample the frequency's deviation is √(6·σ²/P/N³)/2π. The root mean square of 60
    /// tones at 20 dB is at most 1.4 times that (χ² of 60 has a deviation of 18 %, its root 9 %; four of
    /// them), and no tone is beyond five deviations.
    @Test func theFrequencyIsAsGoodAsTheBound() {
        var random = SeededGenerator(seed: 72)
        var estimator = PilotEstimator()
        let (power, noisePower, count) = (1.0, 0.01, Double(PilotEstimator.sampleCount))
        let bound = (6 * noisePower / power / (count * count * count)).squareRoot() / (2 * .pi)
        var squares = 0.0
        for _ in 0..<60 {
            let f = Double.random(in: -0.2...0.2, using: &random)
            let x = stretch(f, amplitude: ComplexDouble(1, 0), noisePower: noisePower, random: &random)
            let found = estimator.fit(x.span, near: f + Double.random(in: -0.005...0.005, using: &random))
            let error = (found.cyclesPerSample - f) / bound
            #expect(abs(error) < 5, "seed 72")
            #expect(found.isSteady)
            squares += error * error
        }
        #expect((squares / 60).squareRoot() < 1.4, "\((squares / 60).squareRoot()) of the bound, seed 72")
    }

    /// A tone that lasts for half of the stretch is not steady, and neither is noise.
    @Test func aKeyedToneIsNotSteady() {
        var random = SeededGenerator(seed: 73)
        var estimator = PilotEstimator()
        var keyed = stretch(0.05, amplitude: ComplexDouble(1, 0), random: &random)
        for n in 0..<PilotEstimator.sampleCount / 2 { keyed[n] = ComplexSample() }
        #expect(!estimator.fit(keyed.span, near: 0.05).isSteady)
        for _ in 0..<40 {
            let noise = stretch(0, amplitude: ComplexDouble(0, 0), noisePower: 1, random: &random)
            #expect(!estimator.fit(noise.span, near: 0.05).isSteady, "seed 73")
        }
        let silence = [ComplexSample](repeating: ComplexSample(), count: PilotEstimator.sampleCount)
        #expect(!estimator.fit(silence.span, near: 0).isSteady)
    }

    /// A refit at the tone's own place agrees with the fit.
    @Test func aRefitAgrees() {
        var random = SeededGenerator(seed: 74)
        var estimator = PilotEstimator()
        let x = stretch(-0.13, amplitude: ComplexDouble(0.1, 0.2), noisePower: 1e-4, random: &random)
        let fit = estimator.fit(x.span, near: -0.128)
        let refit = estimator.refit(x.span, at: fit.cyclesPerSample)
        #expect(abs(fit.cyclesPerSample - refit.cyclesPerSample) < 1e-6, "seed 74")
        #expect((fit.amplitude - refit.amplitude).power < 1e-6 * fit.amplitude.power, "seed 74")
    }
}
