import Testing

@testable import EarshotSound

@Suite struct HeardRateTests {
    private func add(_ count: Int, to rate: inout HeardRate, isNewcomer: Bool = false, isListening: Bool = true) {
        for _ in 0..<count { rate.hear(isNewcomer: isNewcomer, isInPreviousSlot: true) }
        rate.finishSlot(isListening: isListening)
    }

    @Test func `the mean of the latest slots in which the device listened`() {
        var rate = HeardRate()
        #expect(rate.largestCrowd(roundSlots: 3) == 5)
        for count in [1, 3] { add(count, to: &rate) }
        add(9, to: &rate, isListening: false)
        #expect(rate.tokensPerSlot == 2)
        #expect(rate.largestCrowd(roundSlots: 10) == 5 + 3 * 2 * 10)
        // After 16 · ln 100 = 74 slots, a hundredth of it is left.
        for _ in 0..<74 { add(0, to: &rate) }
        #expect(rate.tokensPerSlot < 0.03)
    }

    @Test func `a token of the slot that is not over counts one slot later`() {
        var rate = HeardRate()
        rate.hear(isNewcomer: false, isInPreviousSlot: false)
        rate.finishSlot(isListening: true)
        #expect(rate.tokensPerSlot == 0)
        rate.finishSlot(isListening: true)
        #expect(rate.tokensPerSlot == 0.5)
    }

    @Test func `newcomers count as often as they are heard again`() {
        var rate = HeardRate()
        for _ in 0..<74 { rate.addNewcomer(isHeardAgain: false) }
        #expect(rate.newcomerShare < 0.01)
        add(5, to: &rate, isNewcomer: true)
        #expect(rate.tokensPerSlot < 0.05)
        for _ in 0..<74 { rate.addNewcomer(isHeardAgain: true) }
        #expect(rate.newcomerShare > 0.99)
    }
}
