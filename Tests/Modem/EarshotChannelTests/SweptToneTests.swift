import EarshotChannel
import RealModule
import TestSupport
import Testing

@Suite(.optimized) struct SweptToneTests {
    /// The sine passes zero twice a cycle, and the cycles in a tenth of a period are the integral of f. One passage
    /// more or less at either end makes 5 Hz in 0.1 s, 10 Hz together.
    @Test(arguments: [false, true]) func theFrequencyFollowsItsLine(returns: Bool) {
        let rate = 48_000
        var tone = SweptTone(
            hertz: 8_000...12_000, periodSeconds: 1, returns: returns, amplitude: 0.5, sampleRateHertz: rate)
        for tenth in 0..<20 {
            let samples = tone.read(count: rate / 10)
            let passages = zip(samples, samples.dropFirst()).count { ($0 < 0) != ($1 < 0) }
            let place = (Double(tenth % 10) + 0.5) / 10
            let height = returns ? 1 - abs(2 * place - 1) : place
            // The jump is between two tenths.
            #expect(abs(Double(passages) * 5 - (8_000 + 4_000 * height)) < 12, "tenth \(tenth): \(passages)")
            #expect(abs((samples.max() ?? 0) - 0.5) < 0.01)
        }
    }

    /// A place of 0.25 begins the sweep a quarter of its period later; apart from that, only the phase differs.
    @Test func thePlaceIsWhereItBegins() {
        var tone = SweptTone(
            hertz: 8_000...12_000, periodSeconds: 1, returns: false, amplitude: 0.5, place: 0.25,
            sampleRateHertz: 48_000)
        let samples = tone.read(count: 4_800)
        let passages = zip(samples, samples.dropFirst()).count { ($0 < 0) != ($1 < 0) }
        #expect(abs(Double(passages) * 5 - 9_200) < 12, "\(passages)")
    }

    @Test func isTheSameInAnyBlocks() {
        expectSameInAnyBlocks {
            SweptTone(
                hertz: 17_000...21_000, periodSeconds: 0.3, returns: true, amplitude: 0.5, place: 0.1,
                sampleRateHertz: 44_100)
        }
    }
}
