import EarshotBasics
import Testing

@testable import EarshotAgent

@Suite struct FrameBacklogTests {
    @Test func theBacklogIsBounded() {
        let backlog = FrameBacklog(TokenBucket(burst: 1e9, perSecond: 1))
        let half = FrameBacklog.maximumByteCount / 2
        #expect(backlog.add(half, now: 0) && backlog.add(half, now: 0))
        #expect(!backlog.add(1, now: 0))
        backlog.remove(half + 1)
        #expect(backlog.add(1, now: 0))
    }
}
