import EarshotDiscovery
import EarshotSound
import Testing

@testable import EarshotSound

@Suite struct TalkAimTests {
    private let limits = TalkLimits()

    /// Rounds of 5 slots among 10 devices: 8 tokens are due in each, and a share of them arrives.
    private func finish(_ roundCount: Int, share: Double, _ aim: inout TalkAim) {
        var heard = 0.0
        for _ in 0..<roundCount {
            heard += 8 * share
            while heard >= 1 {
                aim.hear()
                heard -= 1
            }
            aim.finishRound(knownCount: 10, roundSlots: 5)
        }
    }

    @Test func `losses lower the aim, not below its limit, and success raises it again`() {
        var aim = TalkAim(limits)
        #expect(aim.talkersPerSlot == limits.talkersPerSlot)
        finish(100, share: 0.6, &aim)
        #expect(aim.talkersPerSlot == limits.minimumTalkersPerSlot)
        finish(5, share: 1, &aim)
        #expect(aim.talkersPerSlot > limits.minimumTalkersPerSlot && aim.talkersPerSlot < limits.talkersPerSlot)
        finish(100, share: 1, &aim)
        #expect(aim.talkersPerSlot == limits.talkersPerSlot)
    }

    @Test func `a slot much too full is noticed within a round, one slightly too full is not`() {
        var aim = TalkAim(limits)
        // 8 are due, and the limit is 6.4 − 3.4 = 3.
        finish(1, share: 0.25, &aim)
        #expect(aim.talkersPerSlot < limits.talkersPerSlot)
        var other = TalkAim(limits)
        finish(1, share: 0.5, &other)
        #expect(other.talkersPerSlot == limits.talkersPerSlot)
    }

    @Test func `between the two shares nothing changes`() {
        var aim = TalkAim(limits)
        finish(100, share: 0.5, &aim)
        let low = aim.talkersPerSlot
        finish(100, share: 0.86, &aim)
        #expect(aim.talkersPerSlot == low)
    }
}
