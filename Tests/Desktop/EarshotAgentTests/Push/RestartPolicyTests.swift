import Testing

@testable import EarshotAgent

@Suite struct RestartPolicyTests {
    @Test func crashesDoubleThePauseUpToAMinute() {
        var policy = RestartPolicy()
        let pauses = (0..<9).map { _ in policy.pause(after: .crash, ranWell: false) }
        #expect(pauses == [1, 2, 4, 8, 16, 32, 60, 60, 60])
        let later = [true, false].map { policy.pause(after: .crash, ranWell: $0) }
        #expect(later == [1, 2], "it ran well")
        policy.reset()
        let anew = policy.pause(after: .crash, ranWell: false)
        #expect(anew == 1)
    }

    /// The state is right again within 5 s.
    @Test func aProviderThatIsKilledIsBackSoon() {
        var policy = RestartPolicy()
        let pauses = (0..<50).map { _ in policy.pause(after: .kill, ranWell: false) }
        #expect(pauses.prefix(3) == [1, 2, 3] && pauses.max() == 3)
    }
}
