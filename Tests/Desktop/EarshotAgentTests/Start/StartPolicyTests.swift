import Testing

@testable import EarshotAgent

@Suite struct StartPolicyTests {
    private let policy = StartPolicy(intervalSeconds: 10, longestIntervalSeconds: 3_600)

    @Test func theFirstStartIsAtOnce() {
        #expect(policy.waitSeconds(AppState.Starts(), now: 100) <= 0)
    }

    @Test func thePauseDoublesUpToAnHour() {
        let pauses = (0...12).map { policy.pauseSeconds(failureCount: $0) }
        #expect(pauses.prefix(5) == [10, 20, 40, 80, 160])
        #expect(pauses.last == 3_600)
        #expect(policy.pauseSeconds(failureCount: .max) == 3_600)
    }

    @Test func aClockThatWasSetBackDoesNotProlongIt() {
        let starts = AppState.Starts(last: 1_000, failureCount: 0)
        #expect(policy.waitSeconds(starts, now: 1_004) == 6)
        #expect(policy.waitSeconds(starts, now: 1_011) <= 0)
        #expect(policy.waitSeconds(starts, now: 10) <= 0)
    }
}
