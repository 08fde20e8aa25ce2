import EarshotBasics
import Testing

@Suite struct TokenBucketTests {
    @Test func aBurstAndThenARate() {
        var bucket = TokenBucket(burst: 10, perSecond: 2)
        let burst = (0..<20).filter { _ in bucket.take(nowSeconds: 5) }.count
        #expect(burst == 10)
        let later = (0..<20).filter { bucket.take(nowSeconds: 5 + Double($0) / 2) }.count
        #expect(later == 19, "two a second from now on")
        let wholeBurst = (0..<20).filter { _ in bucket.take(nowSeconds: 1_000) }.count
        #expect(wholeBurst == 10, "no more than the burst")
    }

    @Test func refusalsDoNotDelayTheNext() {
        var bucket = TokenBucket(burst: 3, perSecond: 1)
        // Times that binary fractions hold exactly.
        func passes(_ seconds: Double) -> Bool { bucket.take(nowSeconds: seconds) }
        #expect([0, 0, 0, 0].map(passes) == [true, true, true, false])
        #expect([0.875, 1, 1.125].map(passes) == [false, true, false])
    }

    @Test func aClockThatIsSetBackAddsNothing() {
        var bucket = TokenBucket(burst: 2, perSecond: 1)
        let taken = [100, 100, 0, 0.5, 1].map { bucket.take(nowSeconds: $0) }
        #expect(taken == [true, true, false, false, true])
    }

    @Test func theWaitAndTheFullness() {
        var bucket = TokenBucket(burst: 4, perSecond: 0.5)
        #expect(bucket.waitSeconds == 0 && bucket.fullness == 1)
        for _ in 0..<4 { _ = bucket.take(nowSeconds: 0) }
        #expect((2 - 1e-5...2).contains(bucket.waitSeconds) && bucket.fullness == 0)
        bucket.fill(nowSeconds: 1)
        #expect((1 - 1e-5...1).contains(bucket.waitSeconds) && bucket.fullness == 0.125)
    }
}
