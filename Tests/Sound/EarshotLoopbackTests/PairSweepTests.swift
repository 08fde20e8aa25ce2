import EarshotDSP
import EarshotModem
import RealModule
import TestSupport
import Testing

@testable import EarshotLoopback

@Suite(.optimized) struct PairSweepTests {
    static let rates = [44_100, 48_000, 96_000]

    /// Zero crossings count the cycles: n·cycles in a tenth of a second, plus or minus one, are ±10 Hz. In the middle
    /// of the k-th tenth the frequency is f₁ + k_rate·t.
    @Test(arguments: rates)
    func risesSteadily(rate: Int) throws {
        let sweep = try Sweep(sampleRateHertz: rate, amplitude: 1)
        #expect(sweep.samples.count == rate * 3 / 2)
        #expect(sweep.highestHertz == min(0.49 * Double(rate), 23_000))
        for tenth in 0..<15 {
            let part = sweep.samples[tenth * rate / 10..<(tenth + 1) * rate / 10]
            let crossings = zip(part, part.dropFirst()).count { ($0 < 0) != ($1 < 0) }
            let middle = (Double(tenth) + 0.5) / 15
            let expected = 16_900 + middle * (sweep.highestHertz - 16_900)
            #expect(abs(Double(crossings) * 5 - expected) <= 10, "tenth \(tenth)")
        }
    }

    /// The power of a constant envelope is ½ everywhere: over 5 ms, at least 85 cycles, within 1/(4π·85) = 0.1 %, apart
    /// from the beat of sampling at close to half the rate.
    @Test(arguments: rates)
    func hasAConstantEnvelopeAndRamps(rate: Int) throws {
        let sweep = try Sweep(sampleRateHertz: rate, amplitude: 0.5)
        let ramp = rate / 50
        for first in stride(from: ramp, to: sweep.samples.count - ramp - rate / 200, by: rate / 200) {
            let part = sweep.samples[first..<first + rate / 200]
            let power = part.reduce(0) { $0 + $1 * $1 } / Float(part.count)
            #expect(abs(power - 0.125) < 0.01, "from sample \(first)")
        }
        #expect(sweep.samples.allSatisfy { abs($0) <= 0.5 })
        // sin²(π/2 · 1/20) at a twentieth of the ramp.
        #expect(sweep.samples[..<(ramp / 20)].allSatisfy { abs($0) < 0.5 * 0.0063 })
        #expect(sweep.samples.suffix(ramp / 20).allSatisfy { abs($0) < 0.5 * 0.0063 })
    }

    /// Measured: −120 dB below 16 kHz at all rates; with ramps of 5 ms −95 dB, of 1 ms −63 dB, without any −45 dB.
    @Test(arguments: rates)
    func isInaudibleBelowItsStart(rate: Int) throws {
        let sweep = try Sweep(sampleRateHertz: rate, amplitude: 1)
        var plan = FFTPlan(length: 1 << 18)
        plan.withMutableSamples { input in
            for (n, sample) in sweep.samples.enumerated() { input[n] = ComplexSample(sample, 0) }
        }
        plan.forward()
        var (all, low) = (0.0, 0.0)
        plan.withSpectrum { spectrum in
            for k in 1..<1 << 17 {
                let power = Double(spectrum[k].power)
                all += power
                if Double(k) * Double(rate) / 0x1p18 < 16_000 { low += power }
            }
        }
        #expect(10 * .log10(low / all) < -110, "\(10 * Double.log10(low / all)) dB")
    }

    @Test func refusesRatesThatCannotCarryTheBand() {
        #expect(throws: ModemError.sampleRateTooLow(hertz: 32_000)) { try Sweep(sampleRateHertz: 32_000, amplitude: 1) }
        #expect(throws: ModemError.sampleRateTooHigh(hertz: 1 << 20)) {
            try Sweep(sampleRateHertz: 1 << 20, amplitude: 1)
        }
    }
}
