import DesktopTestSupport
import EarshotNotifications
import Foundation
import MessagesTestSupport
import TestSupport
import Testing

/// A real notification service on a real screen. `Desktop` starts it, and makes sure that it is dunst.
@Suite(.apart, .serialized, .enabled(if: Desktop.missing == nil, "\(Desktop.missing ?? "")"))
struct DunstTests {
    @Test func `dunst shows the notification, and clicks reach its own stream`() async throws {
        let desktop = try await Desktop()
        let under = await CenterUnderTest.authorized(desktop.session.bus)
        let settings = await under.center.notificationSettings()
        #expect(settings.alert == .enabled && settings.capabilities.isSuperset(of: ["actions", "body", "body-markup"]))

        let content = NotificationContent(
            title: "Tom & Ann <b>", body: "1 < 2 & <i>not italic</i>",
            actions: [NotificationAction(identifier: "yes", title: "Yes")], duration: .unlimited)
        let delivered = try await under.center.add(NotificationRequest(identifier: "a", content: content))
        #expect(delivered.place == .desktop)
        let events = Collected(delivered.events)
        #expect(await eventually { (try? desktop.displayedCount()) == 1 })
        if let path = ProcessInfo.processInfo.environment["EARSHOT_SCREENSHOT"] {
            try await Task.sleep(for: .seconds(1))
            try desktop.photograph(to: path)
        }
        let lasting = NotificationContent(title: "other", duration: .unlimited)
        let other = Collected(
            try await under.center.add(NotificationRequest(identifier: "b", content: lasting)).events)
        #expect(await eventually { (try? desktop.displayedCount()) == 2 })

        // The mouse is over the upper notification, which is the first one.
        #expect(
            await eventually {
                // If a second click comes before dunst has handled the first, it hits the other notification.
                if events.all.isEmpty {
                    try? desktop.click()
                    _ = await eventually(within: .seconds(5)) { !events.all.isEmpty }
                }
                return events.all == [.action(identifier: "default"), .closed(.dismissed)]
            })
        #expect(other.all == [])
        try desktop.control("close-all")
        #expect(await eventually { other.all == [.closed(.dismissed)] })
        // dunst has a history of the notifications that it showed.
        let history = try desktop.history()
        #expect(history.contains("Tom & Ann <b>") && history.contains("1 &lt; 2 &amp; &lt;i&gt;not italic&lt;/i&gt;"))
        #expect(under.standardError.all == [])
    }

    @Test func `a notification is replaced and removed on the screen, and expires`() async throws {
        let desktop = try await Desktop()
        let under = await CenterUnderTest.authorized(desktop.session.bus)
        try await under.add("a", "one")
        try await under.add("a", "two")
        #expect(await eventually { (try? desktop.displayedCount()) == 1 })
        await under.center.removeAllDeliveredNotifications()
        #expect(await eventually { (try? desktop.displayedCount()) == 0 })
        let content = NotificationContent(title: "short", duration: .limited(.milliseconds(100)))
        let short = Collected(
            try await under.center.add(NotificationRequest(identifier: "c", content: content)).events)
        #expect(await eventually { short.all == [.closed(.expired)] })
    }

    @Test func `a stopped dunst holds nothing back; when it goes on, it shows again`() async throws {
        let desktop = try await Desktop()
        let under = await CenterUnderTest.authorized(desktop.session.bus) {
            $0.answerTime = .seconds(2)
        }
        try await under.add("a")
        desktop.setServiceStopped(true)
        let late = try await under.add("b", "late", body: "text")
        #expect(late.place == .standardError(.slowService))
        #expect(under.standardError.all.last == "earshot: notification: late: text")
        desktop.setServiceStopped(false)
        #expect(await eventually { (try? await under.add("c").place) == .desktop })
    }

    @Test func `a killed dunst closes its notifications, and a new one is found`() async throws {
        let desktop = try await Desktop()
        let under = await CenterUnderTest.authorized(desktop.session.bus)
        let events = Collected(try await under.add("a").events)
        desktop.killService()
        #expect(await eventually { events.all == [.closed(.serviceLeft)] })
        guard case .standardError = try await under.add("b", "lost?").place else {
            Issue.record("shown without a service")
            return
        }
        #expect(under.standardError.all.last == "earshot: notification: lost?")
        try await desktop.startService()
        #expect(await eventually { (try? await under.add("c").place) == .desktop })
        #expect(await eventually { (try? desktop.displayedCount()) == 1 })
    }
}
