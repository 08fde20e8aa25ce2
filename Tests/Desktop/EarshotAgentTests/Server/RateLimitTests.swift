import Testing

@testable import EarshotAgent

@Suite struct RateLimitTests {
    @Test func aBurstAndThenARate() {
        var limit = RateLimit(burst: 10, framesPerSecond: 2)
        let burst = (0..<20).filter { _ in limit.take(now: 5) }.count
        #expect(burst == 10)
        let later = (0..<20).filter { limit.take(now: 5 + Double($0) / 2) }.count
        #expect(later == 19, "two a second from now on")
        #expect((0..<20).filter { _ in limit.take(now: 1_000) }.count == 10, "no more than the burst")
    }

    @Test func theBacklogIsBounded() {
        let backlog = FrameBacklog(RateLimit(burst: 1e9, framesPerSecond: 1))
        let half = FrameBacklog.maximumByteCount / 2
        #expect(backlog.add(half, now: 0) && backlog.add(half, now: 0))
        #expect(!backlog.add(1, now: 0))
        backlog.remove(half + 1)
        #expect(backlog.add(1, now: 0))
    }
}
