import Testing

@testable import EarshotSound

@Suite struct HeardRateTests {
    @Test func `the mean of the latest slots limits the crowd`() {
        var rate = HeardRate()
        #expect(rate.largestCrowd(roundSlots: 3) == 5)
        for weight in [1.0, 3] { rate.add(weight) }
        #expect(rate.tokensPerSlot == 2)
        #expect(rate.largestCrowd(roundSlots: 10) == 5 + 3 * 2 * 10)
        // After 16 · ln 100 = 74 slots, a hundredth of it is left.
        for _ in 0..<74 { rate.add(0) }
        #expect(rate.tokensPerSlot < 0.03)
    }

    @Test func `newcomers count as often as they stay`() {
        var rate = HeardRate()
        #expect(rate.newcomerShare == 1)
        for _ in 0..<74 { rate.addNewcomer(isStaying: false) }
        #expect(rate.newcomerShare < 0.01)
        for _ in 0..<74 { rate.addNewcomer(isStaying: true) }
        #expect(rate.newcomerShare > 0.99)
    }
}
