import Testing

@testable import EarshotSound

@Suite struct HeardRateTests {
    @Test func `the mean of the latest slots`() {
        var rate = HeardRate()
        #expect(rate.largestCrowd(roundSlots: 3) == 5)
        for count in [1, 3] { rate.add(tokenCount: count) }
        #expect(rate.tokensPerSlot == 2)
        #expect(rate.largestCrowd(roundSlots: 10) == 5 + 3 * 2 * 10)
        // After 16 · ln 100 = 74 slots, a hundredth of it is left.
        for _ in 0..<74 { rate.add(tokenCount: 0) }
        #expect(rate.tokensPerSlot < 0.03)
    }
}
