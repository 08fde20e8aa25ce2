import EarshotBasics
import EarshotChannel
import RealModule
import TestSupport
import Testing

@Suite(.optimized) struct TimeScaleTests {
    private func sine(_ cyclesPerSample: Double, count: Int) -> [Float] {
        (0..<count).map { n in Float(ComplexDouble.phasor(turns: cyclesPerSample * Double(n)).x) }
    }

    /// y[n] = x(n·(1 + ε) + delay), sample by sample, for tones up to 0.45 of the sample rate.
    ///
    /// Tolerance: a Kaiser window of 80 dB ripples by 1e-4; linear interpolation between 512 phases has an error of
    /// (π·0.9/512)²/8 = 4e-6. 0.01 dB is 1.15e-3.
    @Test(arguments: [0, 0.005, -0.005, 0.0001, 0.02], [0, 0.25, 0.7])
    func tonesKeepTheirShape(offset: Double, delay: Double) {
        for f in [0.001, 0.1, 0.2, 0.385, 0.4167, 0.45 / 1.02] {
            let y = TimeScale(relativeOffset: offset, fractionalDelay: delay).apply(to: sine(f, count: 3_000))
            #expect(y.count == Int(3_000 / (1 + offset)))
            // The filter extends 32 samples to either side.
            for n in 33..<y.count - 34 {
                let expected = ComplexDouble.phasor(turns: f * (Double(n) * (1 + offset) + delay)).x
                #expect(abs(Double(y[n]) - expected) < 3e-4, "sample \(n) at \(f) cycles a sample")
            }
        }
    }

    @Test func noOffsetIsNoChange() {
        var random = SeededGenerator(seed: 5)
        let x = random.samples(500)
        let y = TimeScale(relativeOffset: 0).apply(to: x)
        #expect(y.count == 500)
        #expect(zip(x, y).allSatisfy { abs($0 - $1) < 1e-6 }, "seed 5")
    }

    /// At 0.45 of the sample rate the level holds to 0.01 dB, and nothing else appears: the residual energy after
    /// removing the tone by least squares is 70 dB down.
    @Test func flatUpToTheStatedFrequency() {
        let f = 0.45
        let offset = 0.003
        let y = TimeScale(relativeOffset: offset, fractionalDelay: 0.4).apply(to: sine(f, count: 8_000))
        let inner = y[40..<y.count - 40].map { Double($0) }
        let samples = inner.map { ComplexDouble($0, 0) }
        let amplitude = 2 * Reference.toneEnergy(samples, cyclesPerSample: f * (1 + offset)).squareRoot()
        #expect(abs(2 * decibels(amplitude)) < 0.01, "\(2 * decibels(amplitude)) dB")
        let power = inner.reduce(0) { $0 + $1 * $1 } / Double(inner.count)
        #expect(abs(decibels(power / (amplitude * amplitude / 2))) < 0.01)
    }
}
