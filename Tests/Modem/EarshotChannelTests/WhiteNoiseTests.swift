import EarshotChannel
import EarshotDSP
import RealModule
import TestSupport
import Testing

@Suite(.optimized) struct WhiteNoiseTests {
    /// Moments of 200,000 samples of a normal distribution, each within five of its own standard deviations.
    @Test(arguments: [1, 2, 3] as [UInt64])
    func hasTheMomentsOfANormalDistribution(seed: UInt64) {
        var noise = WhiteNoise(seed: seed)
        let count = 200_000
        let samples = (0..<count).map { _ in Double(noise.next()) }
        func moment(_ order: Int) -> Double {
            samples.reduce(0) { $0 + .pow($1, order) } / Double(count)
        }
        let unit = 5 / Double(count).squareRoot()
        #expect(abs(moment(1)) < unit, "seed \(seed)")
        #expect(abs(moment(2) - 1) < unit * 2.0.squareRoot(), "seed \(seed)")
        // Var x³ = 15, Var x⁴ = 105 − 9 = 96.
        #expect(abs(moment(3)) < unit * 15.0.squareRoot(), "seed \(seed)")
        #expect(abs(moment(4) - 3) < unit * 96.0.squareRoot(), "seed \(seed)")
        // A pair shares one radius and angle: neighbours must not be correlated, nor their squares.
        let products = zip(samples, samples.dropFirst()).map { $0 * $1 }
        #expect(abs(products.reduce(0, +) / Double(count)) < unit, "seed \(seed)")
        let squares = zip(samples, samples.dropFirst()).map { ($0 * $0 - 1) * ($1 * $1 - 1) }
        #expect(abs(squares.reduce(0, +) / Double(count)) < 2 * unit, "seed \(seed)")
    }

    /// The noise between 18.5 and 20 kHz, measured by a Fourier transform, compared with the sine's ½A².
    ///
    /// 2²⁰ samples: 1,500 Hz hold 16,000 to 36,000 bins, so the measured power has a deviation of at most 0.03 dB.
    @Test(
        arguments: [(44_100, -9, 0.5), (48_000, 0, 1), (96_000, 20, 0.25), (48_000, -20, 0.02)]
            as [(Int, Double, Float)])
    func signalToNoiseRatioHoldsInTheBand(rate: Int, snrDecibels: Double, amplitude: Float) {
        let count = 1 << 20
        var samples = [Float](repeating: 0, count: count)
        var noise = WhiteNoise(seed: 31)
        let deviation = WhiteNoise.deviation(amplitude: amplitude, snrDecibels: snrDecibels, sampleRateHertz: rate)
        noise.add(to: &samples, deviation: deviation)
        var plan = FFTPlan(length: count)
        plan.withMutableSamples { input in
            for n in 0..<count {
                input[n] = ComplexSample(samples[n], 0)
            }
        }
        plan.forward()
        var power = 0.0
        let bins = count * 18_500 / rate..<count * 20_000 / rate
        plan.withSpectrum { spectrum in
            for bin in bins {
                // Counts both signs of the frequency; |X|²/N² each.
                power += 2 * Double(spectrum[bin].power) / Double(count) / Double(count)
            }
        }
        let measured = decibels(Double(amplitude * amplitude) / 2 / power)
        #expect(abs(measured - snrDecibels) < 0.1, "\(measured) dB, seed 31")
    }

    @Test func addsToExistingSamples() {
        var first = WhiteNoise(seed: 8)
        var second = WhiteNoise(seed: 8)
        for count in [3, 5_000, 0, 2] {
            var samples = [Float](repeating: 1, count: count)
            first.add(to: &samples, deviation: 0.5)
            #expect(samples == samples.map { _ in 1 + 0.5 * second.next() })
        }
    }

    @Test func isTheSameInAnyBlocks() {
        expectSameInAnyBlocks { WhiteNoise(seed: 12) }
        var single = WhiteNoise(seed: 12)
        var block = WhiteNoise(seed: 12)
        #expect(block.read(count: 1_001) == (0..<1_001).map { _ in single.next() })
    }
}
