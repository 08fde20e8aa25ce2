import EarshotChannel
import RealModule
import TestSupport
import Testing

@Suite(.optimized) struct PilotToneTests {
    /// Compares the tone after an hour with whole numbers and one sine in double precision. The limit is three
    /// roundings to single precision: 3 · 6e-8 of the amplitude.
    @Test(arguments: [0.0, 0.001, 50, 18_743.123_456, 19_999.999_999, 24_000], [0, 0.25, -0.4])
    func keepsItsPhaseForAnHour(hertz: Double, phase: Double) {
        let rate = 48_000
        var tone = PilotTone(hertz: hertz, amplitude: 0.5, phaseTurns: phase, sampleRateHertz: rate)
        let parts = Int((hertz * 1e6).rounded())
        func check(_ samples: [Float], from start: Int) {
            let worst =
                samples.indices.map { index in
                    let turns = Double((start + index) * parts % (rate * 1_000_000)) / Double(rate * 1_000_000) + phase
                    return abs(Double(samples[index]) - 0.5 * .sin(2 * .pi * turns))
                }.max() ?? 0
            #expect(worst < 0.5 * 1.8e-7, "\(worst) at sample \(start)")
        }
        check(tone.read(count: 1_000), from: 0)
        var position = 1_000
        while position < 3_600 * rate {
            position += tone.read(count: min(1 << 20, 3_600 * rate - position)).count
        }
        check(tone.read(count: 1_000), from: position)
    }

    @Test func isTheSameInAnyBlocks() {
        expectSameInAnyBlocks {
            PilotTone(hertz: 18_743.2, amplitude: 0.5, phaseTurns: 0.1, sampleRateHertz: 44_100)
        }
    }
}
