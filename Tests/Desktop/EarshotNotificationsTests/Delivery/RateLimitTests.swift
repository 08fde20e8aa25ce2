import Testing

@testable import EarshotNotifications

@Suite struct RateLimitTests {
    @Test func `a burst passes at once, then one each interval`() {
        var rate = RateLimit(burstCount: 3, interval: .seconds(1))
        let start = ContinuousClock.now
        func passes(_ milliseconds: Int) -> Bool { rate.take(at: start + .milliseconds(milliseconds)) }
        #expect([passes(0), passes(0), passes(0), passes(0)] == [true, true, true, false])
        #expect([passes(999), passes(1_000), passes(1_001)] == [false, true, false])
        // After a long pause the burst is whole again, and no more than whole.
        #expect((0..<5).map { _ in passes(100_000) } == [true, true, true, false, false])
    }
}
