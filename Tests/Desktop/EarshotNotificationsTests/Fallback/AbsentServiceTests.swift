import DesktopTestSupport
import EarshotDBus
import EarshotNotifications
import Foundation
import MessagesTestSupport
import TestSupport
import Testing

/// Without a desktop, no notification is lost.
@Suite(.apart, .enabled(if: SessionBus.missing == nil, "\(SessionBus.missing ?? "")"))
struct AbsentServiceTests {
    @Test func `without a bus the texts go to standard error, and the reason once to it and the journal`() async throws
    {
        let under = await CenterUnderTest.authorized(.address("unix:path=/nonexistent/bus"))
        let first = try await under.add("a", "Museum", body: "Ann is\nnear \u{1B}[2J")
        guard case .standardError(.noBus) = first.place else {
            Issue.record("\(first.place)")
            return
        }
        let events = Collected(first.events)
        #expect(await eventually { events.isOver })
        #expect(events.all == [])
        try await under.add("b", "Museum", body: "Bob")
        let lines = under.standardError.all
        #expect(
            lines.count == 3 && lines[0].hasPrefix("earshot: Notifications are written here instead of shown: there is")
        )
        #expect(
            Array(lines.dropFirst()) == [
                "earshot: notification: Museum: Ann is near [2J", "earshot: notification: Museum: Bob",
            ])
        #expect(under.journal.all == ["app " + lines[0].dropFirst("earshot: ".count)])
        let settings = await under.center.notificationSettings()
        #expect([settings.alert, settings.sound, settings.badge] == [.notSupported, .notSupported, .notSupported])
    }

    @Test func `a bus without a service, then one with it`() async throws {
        let session = try SessionBus()
        let under = await CenterUnderTest.authorized(session.bus)
        let first = try await under.add("a")
        guard case .standardError(.noService) = first.place else {
            Issue.record("\(first.place)")
            return
        }
        let service = try await FakeNotificationService(on: session, capabilities: [])
        // The center gets a signal about the service, or asks again after its pause.
        #expect(await eventually { (try? await under.add("b").place) == .desktop })
        #expect(service.shown.count == 1)
    }

    @Test func `a bus that ends closes what was shown`() async throws {
        let session = try SessionBus()
        let service = try await FakeNotificationService(on: session, capabilities: [])
        let under = await CenterUnderTest.authorized(session.bus)
        let events = Collected(try await under.add("a").events)
        session.kill()
        #expect(await eventually { events.all == [.closed(.serviceLeft)] })
        guard case .standardError(.noBus) = try await under.add("b").place else {
            Issue.record("shown without a bus")
            return
        }
        withExtendedLifetime(service) {}
    }

    @Test func `a bus that accepts connections and never answers costs one time limit`() async throws {
        let session = try SessionBus()
        session.setStopped(true)
        defer { session.setStopped(false) }
        let under = await CenterUnderTest.authorized(session.bus) {
            $0.answerTime = .milliseconds(200)
            $0.pauseAfterFailure = .seconds(3_600)
        }
        #expect(try await under.add("a").place == .standardError(.slowService))
        let start = ContinuousClock.now
        for number in 0..<10 { try await under.add("\(number)") }
        #expect(start.duration(to: .now) < .seconds(20), "the first failure speaks for the rest")
        #expect(under.standardError.all.count == 12)
    }

    @Test func `without authorization nothing is shown and nothing lost`() async throws {
        let session = try SessionBus()
        let service = try await FakeNotificationService(on: session, capabilities: [])
        let under = CenterUnderTest(session.bus)
        #expect(try await under.add("a", "text").place == .standardError(.notAuthorized))
        #expect(under.standardError.all.last == "earshot: notification: text" && service.shown == [])
    }
}
