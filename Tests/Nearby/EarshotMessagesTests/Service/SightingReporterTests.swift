import EarshotCoding
import NearbyWire
import Testing

@testable import EarshotMessages

struct SightingReporterTests {
    private func token(_ number: Int) throws -> Payload {
        try Payload((0..<8).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) })
    }

    private func reporter(signOfLife: Duration = .seconds(3_600)) -> SightingReporter {
        SightingReporter(delay: .milliseconds(200), renewal: .seconds(60), signOfLife: signOfLife)
    }

    private func statuses(_ report: SightingReport?, _ status: TokenStatus) -> [Payload: TokenStatus] {
        Dictionary(uniqueKeysWithValues: (report?.heard ?? []).map { ($0, status) })
    }

    @Test func newTokensWaitForOthers() throws {
        var reporter = reporter()
        reporter.hear(try token(1), now: .seconds(10))
        reporter.hear(try token(2), now: .milliseconds(10_100))
        #expect(reporter.next(now: .milliseconds(10_199)) == nil)
        #expect(reporter.dueAt == .milliseconds(10_200))
        reporter.hear(try token(3), now: .milliseconds(10_150))
        #expect(Set(reporter.next(now: .milliseconds(10_350))?.heard ?? []) == Set(try [1, 2, 3].map(token)))
    }

    @Test func aFloodOfTokensFillsNoMemory() throws {
        var reporter = reporter()
        for number in 0..<5_000 { reporter.hear(try token(number), now: .zero) }
        var reported = 0
        while let report = reporter.next(now: .seconds(1)), reported < 5_000 {
            reported += report.heard.count
            reporter.answered(statuses(report, .valid), now: .seconds(1))
        }
        #expect(reported == SightingReporter.maximumNearCount)
    }

    @Test func lostTokensDoNotWait() throws {
        var reporter = reporter()
        reporter.hear(try token(1), now: .zero)
        reporter.answered(statuses(reporter.next(now: .seconds(1)), .valid), now: .seconds(1))
        reporter.lose(try token(1))
        #expect(reporter.next(now: .milliseconds(1_001)) == SightingReport(lost: [try token(1)]))
        reporter.answered([:], now: .seconds(2))
        #expect(reporter.dueAt == nil)
    }

    @Test func tokensThatStayNearAreReportedAgainWithinNinetySeconds() throws {
        var reporter = reporter()
        reporter.hear(try token(1), now: .zero)
        reporter.answered(statuses(reporter.next(now: .milliseconds(200)), .valid), now: .seconds(1))
        #expect(reporter.dueAt == .seconds(61))
        #expect(reporter.next(now: .seconds(60)) == nil)
        #expect(reporter.next(now: .seconds(61))?.heard == [try token(1)])
    }

    /// If a token was heard earlier, the service forgets the sighting by the same time earlier.
    @Test func tokensHeardEarlierAreReportedAgainEarlier() throws {
        for (age, due) in [(0, 61), (20, 41), (30, 31), (59, 16), (3_600, 16)] {
            var reporter = reporter()
            reporter.hear(try token(1), now: .zero)
            let report = reporter.next(now: .seconds(1))
            reporter.answered(statuses(report, .valid), ages: [try token(1): .seconds(age)], now: .seconds(1))
            #expect(reporter.dueAt == .seconds(due), "heard \(age) s ago")
        }
    }

    @Test func aDeviceThatHearsSomethingGivesSignsOfLife() throws {
        var reporter = reporter(signOfLife: .seconds(5))
        reporter.hear(try token(1), now: .zero)
        reporter.answered(statuses(reporter.next(now: .seconds(1)), .valid), now: .seconds(2))
        // Signs of life count from the sending: the service may have received the report at once.
        #expect(reporter.dueAt == .seconds(6))
        #expect(reporter.next(now: .milliseconds(5_999)) == nil)
        #expect(reporter.next(now: .seconds(6)) == SightingReport())
        reporter.answered([:], now: .seconds(6))
        #expect(reporter.dueAt == .seconds(11))
        reporter.lose(try token(1))
        #expect(reporter.next(now: .seconds(7)) == SightingReport(lost: [try token(1)]))
        reporter.answered([:], now: .seconds(7))
        #expect(reporter.dueAt == nil, "the service counts nothing as heard")
    }

    @Test func anOpenStreamIsASignOfLife() throws {
        var reporter = reporter(signOfLife: .seconds(5))
        reporter.hear(try token(1), now: .zero)
        reporter.answered(statuses(reporter.next(now: .seconds(1)), .valid), now: .seconds(1))
        reporter.hasStream = true
        #expect(reporter.dueAt == .seconds(61), "only the renewal")
        reporter.hasStream = false
        #expect(reporter.dueAt == .seconds(6))
        // The service may have forgotten everything.
        #expect(reporter.next(now: .seconds(40)) == SightingReport(heard: [try token(1)]))
    }

    @Test func unknownTokensNeedNoSignsOfLife() throws {
        var reporter = reporter(signOfLife: .seconds(5))
        reporter.hear(try token(1), now: .zero)
        reporter.answered(statuses(reporter.next(now: .seconds(1)), .invalid), now: .seconds(1))
        #expect(reporter.dueAt == .seconds(601))
    }

    @Test func allIsReportedAgainAfterASilence() throws {
        var reporter = reporter(signOfLife: .seconds(5))
        for number in 1...2 { reporter.hear(try token(number), now: .zero) }
        reporter.answered(statuses(reporter.next(now: .seconds(1)), .valid), now: .seconds(1))
        #expect(reporter.next(now: .seconds(6)) == SightingReport())
        reporter.failed()
        #expect(reporter.next(now: .seconds(10)) == SightingReport(), "the service still waits")
        reporter.failed()
        #expect(Set(reporter.next(now: .seconds(11))?.heard ?? []) == Set(try [1, 2].map(token)))
    }

    /// For another publication, the service needs keys for all tokens that are near, even for
    /// those in a report that was sent without keys.
    @Test(arguments: [false, true]) func allIsReportedAgainForAnotherPublication(isUnderway: Bool) throws {
        var reporter = reporter()
        for number in 1...3 { reporter.hear(try token(number), now: .zero) }
        let report = reporter.next(now: .seconds(1))
        var known = statuses(report, .valid)
        known[try token(3)] = .invalid
        if isUnderway { reporter.repeatAll(now: .seconds(1)) }
        reporter.answered(known, now: .seconds(2))
        if !isUnderway { reporter.repeatAll(now: .seconds(2)) }
        #expect(Set(reporter.next(now: .seconds(2))?.heard ?? []) == Set(try [1, 2].map(token)))
        reporter.answered(known, now: .seconds(3))
        #expect(reporter.next(now: .seconds(3)) == nil, "once")
    }

    @Test func tokensNearlyDueJoinTheReport() throws {
        var reporter = reporter()
        reporter.hear(try token(1), now: .zero)
        reporter.answered(statuses(reporter.next(now: .seconds(1)), .valid), now: .seconds(1))
        reporter.hear(try token(2), now: .seconds(20))
        #expect(reporter.next(now: .seconds(21))?.heard == [try token(2)])
        reporter.answered([try token(2): .valid], now: .seconds(21))
        reporter.hear(try token(3), now: .seconds(40))
        #expect(Set(reporter.next(now: .seconds(41))?.heard ?? []) == Set(try [1, 3].map(token)))
    }

    @Test(arguments: [TokenStatus.invalid, .expired])
    func unknownTokensAreNotReportedForTenMinutes(status: TokenStatus) throws {
        var reporter = reporter()
        reporter.hear(try token(1), now: .zero)
        reporter.answered(statuses(reporter.next(now: .seconds(1)), status), now: .seconds(1))
        #expect(reporter.next(now: .seconds(600)) == nil)
        // Even if it left and came back.
        reporter.lose(try token(1))
        #expect(reporter.dueAt == nil, "no report says that it is near")
        reporter.hear(try token(1), now: .seconds(300))
        #expect(reporter.next(now: .seconds(600)) == nil)
        #expect(reporter.next(now: .seconds(601))?.heard == [try token(1)])
    }

    @Test func aReportThatFailedIsSentAgain() throws {
        var reporter = reporter()
        reporter.hear(try token(1), now: .zero)
        reporter.hear(try token(2), now: .zero)
        let report = reporter.next(now: .seconds(1))
        #expect(reporter.next(now: .seconds(2)) == nil, "one at a time")
        // The report may have arrived, so the loss must be reported.
        reporter.lose(try token(1))
        reporter.failed()
        let again = reporter.next(now: .seconds(3))
        #expect(report?.heard.count == 2)
        #expect(again == SightingReport(heard: [try token(2)], lost: [try token(1)]))
    }

    @Test func aTokenThatCameBackIsNotLost() throws {
        var reporter = reporter()
        reporter.hear(try token(1), now: .zero)
        reporter.answered(statuses(reporter.next(now: .seconds(1)), .valid), now: .seconds(1))
        reporter.lose(try token(1))
        reporter.hear(try token(1), now: .seconds(2))
        #expect(reporter.next(now: .seconds(3)) == SightingReport(heard: [try token(1)]))
    }

    @Test func aTokenThatLeftDuringItsReportIsReportedAsLost() throws {
        var reporter = reporter()
        reporter.hear(try token(1), now: .zero)
        let report = reporter.next(now: .seconds(1))
        reporter.lose(try token(1))
        reporter.answered(statuses(report, .valid), now: .seconds(2))
        #expect(reporter.next(now: .seconds(2)) == SightingReport(lost: [try token(1)]))
    }

    @Test func aServiceThatForgotReceivesAllTokens() throws {
        var reporter = reporter()
        for number in 1...3 { reporter.hear(try token(number), now: .zero) }
        let report = reporter.next(now: .seconds(1))
        var answer = statuses(report, .valid)
        answer[try token(3)] = .invalid
        reporter.answered(answer, now: .seconds(1))
        reporter.lose(try token(2))
        reporter.forget(now: .seconds(2))
        #expect(reporter.next(now: .seconds(2)) == SightingReport(heard: [try token(1)]))
    }

    @Test func aReportKeepsTheMaximumOfTheService() throws {
        var reporter = reporter()
        for number in 1...250 { reporter.hear(try token(number), now: .zero) }
        var reported: [Payload] = []
        while let report = reporter.next(now: .seconds(1)) {
            #expect(report.heard.count <= 100)
            reported += report.heard
            reporter.answered(statuses(report, .valid), now: .seconds(1))
        }
        #expect(Set(reported).count == 250 && reported.count == 250)
        for number in 1...250 { reporter.lose(try token(number)) }
        var lost: [Payload] = []
        while let report = reporter.next(now: .seconds(2)) {
            #expect(report.lost.count <= 100 && report.heard.isEmpty)
            lost += report.lost
            reporter.answered([:], now: .seconds(2))
        }
        #expect(lost.count == 250)
    }

    @Test func aCrowdOfTokensDoesNotFillTheMemory() throws {
        var reporter = reporter()
        var now = Duration.zero
        for begin in stride(from: 0, to: 30_000, by: 100) {
            for number in begin..<begin + 100 { reporter.hear(try token(number), now: now) }
            now += .seconds(1)
            reporter.answered(statuses(reporter.next(now: now), .invalid), now: now)
            for number in begin..<begin + 100 { reporter.lose(try token(number)) }
        }
        #expect(reporter.unknownCount <= SightingReporter.maximumUnknownCount)
    }

    @Test func anEmptyAnswerCausesNoBusyLoop() throws {
        var reporter = reporter()
        reporter.hear(try token(1), now: .zero)
        #expect(reporter.next(now: .seconds(1)) != nil)
        reporter.answered([:], now: .seconds(1))
        #expect(reporter.next(now: .seconds(2)) == nil)
    }
}
