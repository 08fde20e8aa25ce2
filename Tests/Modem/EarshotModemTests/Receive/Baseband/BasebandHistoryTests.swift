import EarshotDSP
import TestSupport
import Testing

@testable import EarshotModem

@Suite(.optimized) struct BasebandHistoryTests {
    /// A stage that removes a steady tone from a stretch, or restores it, must not write the tone into lost samples.
    @Test func lostSamplesStayZero() {
        let history = BasebandHistory(keptCount: 256)
        history.append([ComplexSample](repeating: ComplexSample(1, 1), count: 100), 0..<100)
        history.mask(30..<50)
        history.change(from: 20, count: 60) { samples in
            for index in samples.indices { samples[index] += ComplexSample(2, 3) }
        }
        for index in 0..<100 {
            let expected: ComplexSample =
                switch index {
                case 30..<50: ComplexSample()
                case 20..<80: ComplexSample(3, 4)
                default: ComplexSample(1, 1)
                }
            #expect(history.withSamples(from: index, count: 1) { $0[0] } == expected, "\(index)")
        }
    }
}
