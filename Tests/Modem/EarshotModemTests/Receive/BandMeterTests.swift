import EarshotBasics
import EarshotChannel
import RealModule
import TestSupport
import Testing

@testable import EarshotModem

/// The level of the band against closed forms.
@Suite(.optimized) struct BandMeterTests {
    private func decibels(_ samples: [Float], seconds: Double = 1) throws -> Double {
        var receiver = try Receiver(sampleRateHertz: 48_000)
        receiver.push(samples.span) { _ in }
        return BandMeter().bandDecibels(receiver, seconds: seconds)
    }

    private func sine(_ hertz: Double, amplitude: Double, seconds: Double = 1.5) -> [Float] {
        (0..<Int(48_000 * seconds)).map { Float(amplitude * .sin(2 * .pi * hertz * Double($0) / 48_000)) }
    }

    /// A sine in the middle of a tone has its amplitude squared; between two tones the loss is at most that of a rectangular window
    /// half a bin off on both, 2·(2/π)² = −0.9 dB.
    @Test(arguments: [18_546.875, 19_015.625, 19_250, 19_953.125]) func aSineHasItsLevel(hertz: Double) throws {
        for amplitude in [1, 0.1, 0.001] {
            let level = 20 * Double.log10(amplitude)
            let found = try decibels(sine(hertz, amplitude: amplitude))
            #expect(found <= level + 0.2 && found >= level - 1.1, "\(hertz) Hz: \(found) dB, not \(level) dB")
        }
    }

    /// White noise of variance σ² has 2σ²·1,500/24,000 in a band of 1,500 Hz. The mean over one second of 16 tones and
    /// 93 windows has a deviation of 1/√1,500 = 2.6 %, 0.11 dB. The limit is four deviations and the filter's ripple.
    @Test func noiseHasTheBandsShare() throws {
        var random = SeededGenerator(seed: 58)
        let samples = (0..<96_000).map { _ in Float.random(in: -0.3...0.3, using: &random) }
        let expected = 10 * Double.log10(2 * 0.09 / 3 * 1_500 / 24_000)
        #expect(abs(try decibels(samples) - expected) < 0.5, "seed 58")
    }

    /// Only the latest seconds count, and silence has a floor.
    @Test func onlyTheLatestSecondsCount() throws {
        let silence = [Float](repeating: 0, count: 24_000)
        let loud = sine(19_015.625, amplitude: 0.5)
        #expect(try decibels(loud + silence, seconds: 0.3) < -100)
        #expect(abs(try decibels(silence + loud, seconds: 0.3) + 6.02) < 1.1)
        #expect(try decibels(silence) == -150)
    }
}
