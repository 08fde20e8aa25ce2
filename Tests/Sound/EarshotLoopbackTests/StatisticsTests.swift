import EarshotLoopback
import EarshotTrials
import TestSupport
import Testing

@Suite(.optimized) struct StatisticsTests {
    /// Worked by hand from the formula with z = 1.96: (0.9 + 0.0192 ± 1.96·√(0.0009 + 0.0000960))/1.0384.
    @Test func wilsonOfNinetyInAHundred() {
        let interval = BinomialInterval(successCount: 90, trialCount: 100)
        #expect(abs(interval.low - 0.8256) < 1e-4)
        #expect(abs(interval.high - 0.9448) < 1e-4)
    }

    @Test func theEndsAreReached() {
        #expect(BinomialInterval(successCount: 0, trialCount: 10).low == 0)
        #expect(BinomialInterval(successCount: 10, trialCount: 10).high == 1)
        #expect(BinomialInterval(successCount: 0, trialCount: 0).high == 1)
        #expect(BinomialInterval(successCount: 0, trialCount: 0).low == 0)
    }

    /// Published tables of the exact limits, one-sided 95 %.
    @Test(arguments: [(0, 2.9957), (1, 4.7439), (5, 10.5130), (20, 29.0620)])
    func poissonBounds(row: (count: Int, bound: Double)) {
        #expect(abs(PoissonBound.upper(count: row.count) - row.bound) < 1e-4)
    }
}
