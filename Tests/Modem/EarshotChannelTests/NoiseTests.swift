import EarshotDSP
import RealModule
import TestSupport
import Testing

@testable import EarshotChannel

@Suite(.optimized) struct NoiseTests {
    /// |X|²/N² of a sound's bins from 0 to half of its 2²⁰ samples, both signs of the frequency together.
    static let count = 1 << 20
    static func spectrum(_ source: some SoundSource) -> [Double] {
        var source = source
        let samples = source.read(count: count)
        var plan = FFTPlan(length: count)
        plan.withMutableSamples { input in
            for n in 0..<count {
                input[n] = ComplexSample(samples[n], 0)
            }
        }
        plan.forward()
        var powers: [Double] = []
        plan.withSpectrum { output in
            powers = (0...count / 2).map { 2 * Double(output[$0].power) / Double(count) / Double(count) }
        }
        return powers
    }

    static func bandPower(_ source: some SoundSource, rate: Int, hertz: Range<Int> = 18_500..<20_000) -> Double {
        spectrum(source)[count * hertz.lowerBound / rate..<count * hertz.upperBound / rate].reduce(0, +)
    }

    /// 1,500 Hz hold 2²⁰ · 1,500/F bins: 35,666 at 44.1 kHz, 8,192 at 192 kHz. Their mean has a relative deviation of
    /// one over the root of that: 0.023 dB and 0.048 dB. Fixed seeds keep it within 0.1 dB.
    @Test(arguments: NoiseColour.allCases, [44_100, 48_000, 96_000, 192_000])
    func signalToNoiseRatioHoldsInTheBand(colour: NoiseColour, rate: Int) {
        let deviation = WhiteNoise.deviation(amplitude: 0.25, snrDecibels: 3, sampleRateHertz: rate)
        let noise = Noise(colour: colour, deviation: deviation, sampleRateHertz: rate, seed: 7)
        let measured = decibels(0.25 * 0.25 / 2 / Self.bandPower(noise, rate: rate))
        #expect(abs(measured - 3) < 0.1, "\(measured) dB, seed 7")
    }

    @Test func anotherBandCanBeChosen() {
        let noise = Noise(
            colour: .brown, deviation: 0.1, bandHertz: 1_000...2_000, sampleRateHertz: 48_000, seed: 8)
        // The band should have 0.01 · 1,000/24,000. Its 21,845 bins differ by 4 to 1,
        // which makes a deviation of 0.034 dB.
        let measured = Self.bandPower(noise, rate: 48_000, hertz: 1_000..<2_000) / (0.01 / 24)
        #expect(abs(decibels(measured)) < 0.1, "\(decibels(measured)) dB, seed 8")
    }

    /// The filter's own spectrum follows the line within 0.3 dB from 40 Hz to the Nyquist frequency, and the samples
    /// have this spectrum, in thirds of octaves. The lowest third, 46 to 58 Hz at 192 kHz, holds 64 bins: 0.54 dB; the
    /// limit is five times that, 2.7.
    @Test(arguments: [(NoiseColour.pink, 1), (.brown, 2)], [8_000, 16_000, 48_000, 192_000])
    func fallsOffAlongALine(colour: (colour: NoiseColour, exponent: Int), rate: Int) throws {
        let filter = try #require(ColourFilter(colour.colour, sampleRateHertz: rate))
        func line(_ hertz: Double) -> Double {
            decibels(filter.power(atCyclesPerSample: hertz / Double(rate)) * .pow(hertz, colour.exponent))
        }
        let middle = line(Double(rate) / 40)
        var hertz = 40.0
        while hertz < Double(rate) / 2 {
            #expect(abs(line(hertz) - middle) < (hertz < 80 && colour.exponent == 2 ? 1 : 0.3), "\(hertz) Hz")
            hertz *= 1.02
        }
        // The given power is that of the whole band, or of its part below half the rate: one number in both cases.
        let powers = Self.spectrum(Noise(colour: colour.colour, deviation: 1, sampleRateHertz: rate, seed: 9))
        let fits = rate > 40_000
        let norm = fits ? filter.power(inCyclesPerSample: 18_500 / Double(rate)...20_000 / Double(rate)) : filter.power
        var low = 46.0
        while low * 1.26 < Double(rate) / 2 {
            let bins =
                Int(low * Double(Self.count) / Double(rate))..<Int(low * 1.26 * Double(Self.count) / Double(rate))
            let expected = bins.reduce(0) { sum, bin in
                sum + filter.power(atCyclesPerSample: Double(bin) / Double(Self.count))
            }
            // White noise of deviation 1 has 2/N in each bin.
            let measured = bins.reduce(0) { $0 + powers[$1] } * Double(Self.count) / 2 * norm / expected
            #expect(
                abs(decibels(measured)) < 5 * 4.34 / Double(bins.count).squareRoot() + 0.02,
                "\(decibels(measured)) dB at \(low) Hz, seed 9")
            low *= 1.26
        }
    }

    /// If the band does not fit below half the rate, the noise has the given power in total. Half of the power of 2²⁰
    /// samples of pink noise is above 400 Hz, in many bins. Brown noise has its power near 20 Hz, with a time constant
    /// of 8 ms or 64 samples: 2²⁰/128 independent values make a deviation of 1.1·√2 %, 0.07 dB.
    @Test(arguments: NoiseColour.allCases)
    func withoutTheBandTheTotalPowerCounts(colour: NoiseColour) {
        var noise = Noise(colour: colour, deviation: 0.3, sampleRateHertz: 8_000, seed: 10)
        let power = noise.read(count: 1 << 22).reduce(0) { $0 + Double($1) * Double($1) } / Double(1 << 22)
        // Four times as many samples: 0.035 dB.
        #expect(abs(decibels(power / 0.09)) < 0.15, "\(decibels(power / 0.09)) dB, seed 10")
    }

    /// Σ h² of the impulse response.
    @Test(arguments: [NoiseColour.pink, .brown])
    func powerIsThatOfTheImpulseResponse(colour: NoiseColour) throws {
        var filter = try #require(ColourFilter(colour, sampleRateHertz: 48_000))
        let power = filter.power
        var sum = 0.0
        for n in 0..<100_000 {
            let h = Double(filter.process(n == 0 ? 1 : 0))
            sum += h * h
        }
        // Poles in single precision have an error of 6e-8 in their distance of 2.6e-3 to 1.
        #expect(abs(sum / power - 1) < 1e-4)
    }

    /// Noise has its full power from the first sample on. The first samples of 2,000 seeds have a deviation of
    /// √(2/2,000) = 3.2 % in power; the limit is five times that.
    @Test(arguments: NoiseColour.allCases)
    func isStationaryFromTheFirstSample(colour: NoiseColour) {
        let power = (0..<2_000 as Range<UInt64>).reduce(0) { sum, seed in
            var noise = Noise(colour: colour, deviation: 1, sampleRateHertz: 8_000, seed: seed)
            let first = Double(noise.read(count: 1)[0])
            return sum + first * first / 2_000
        }
        #expect(abs(power - 1) < 0.16, "\(power)")
    }

    @Test func whiteIsWhiteNoise() {
        var white = WhiteNoise(seed: 3)
        var noise = Noise(deviation: 0.3, sampleRateHertz: 48_000, seed: 3)
        #expect(noise.read(count: 1_001) == (0..<1_001).map { _ in 0.3 * white.next() })
    }

    @Test(arguments: NoiseColour.allCases)
    func isTheSameInAnyBlocks(colour: NoiseColour) {
        expectSameInAnyBlocks { Noise(colour: colour, deviation: 0.3, sampleRateHertz: 48_000, seed: 3) }
    }

    /// 200,000 samples of the slowest, brown noise with a corner at 20 Hz, hold some 500 independent values: their
    /// deviation is known within 1/√(2·500) = 3.2 %; the limit is three times that.
    @Test(arguments: NoiseColour.allCases)
    func totalDeviationIsThatOfTheSamples(colour: NoiseColour) {
        var noise = Noise(colour: colour, deviation: 0.01, sampleRateHertz: 48_000, seed: 8)
        let samples = noise.read(count: 200_000)
        let power = samples.reduce(0) { $0 + Double($1) * Double($1) } / Double(samples.count)
        #expect(abs(power.squareRoot() / Double(noise.totalDeviation) - 1) < 0.1, "seed 8")
        #expect(colour == .white || noise.totalDeviation > 0.02)
    }
}
