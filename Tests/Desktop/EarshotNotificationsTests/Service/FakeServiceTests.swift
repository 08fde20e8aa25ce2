import DesktopTestSupport
import EarshotDBus
import EarshotNotifications
import MessagesTestSupport
import TestSupport
import Testing

/// The calls that a service receives, and the effects of its signals.
@Suite(.apart, .enabled(if: SessionBus.missing == nil, "\(SessionBus.missing ?? "")"))
struct FakeServiceTests {
    private func shown(
        _ content: NotificationContent, capabilities: [String], options: NotificationOptions = [.alert, .sound]
    ) async throws -> FakeNotificationService.Shown? {
        let session = try SessionBus()
        let service = try await FakeNotificationService(on: session, capabilities: capabilities)
        let under = CenterUnderTest(session.bus)
        await under.center.requestAuthorization(options: options)
        let delivered = try await under.center.add(NotificationRequest(identifier: "a", content: content))
        #expect(delivered.place == .desktop && under.standardError.all == [])
        return service.shown.first
    }

    @Test func `a service with everything receives everything`() async throws {
        let content = NotificationContent(
            title: "Tom & Ann", body: "<b>1 < 2</b>\nnext", sound: .default,
            actions: [NotificationAction(identifier: "yes", title: "Yes")], defaultActionTitle: "Show",
            urgency: .critical, duration: .limited(.milliseconds(1_500)))
        let shown = try await shown(content, capabilities: ["body", "body-markup", "actions", "sound"])
        #expect(
            shown
                == FakeNotificationService.Shown(
                    number: 1, application: "app", replaced: 0, summary: "Tom & Ann",
                    body: "&lt;b&gt;1 &lt; 2&lt;/b&gt;\nnext", actions: ["default", "Show", "yes", "Yes"],
                    hints: [
                        "urgency": .byte(2), "desktop-entry": .string("app"),
                        "sound-name": .string("message-new-instant"),
                    ], timeoutMilliseconds: 1_500))
    }

    @Test func `a service without markup and actions receives plain text and no actions`() async throws {
        let content = NotificationContent(
            title: "title", body: "1 < 2 & 3", actions: [NotificationAction(identifier: "yes", title: "Yes")],
            duration: .unlimited)
        let shown = try #require(try await shown(content, capabilities: ["body"]))
        #expect(shown.body == "1 < 2 & 3" && shown.actions == [] && shown.timeoutMilliseconds == 0)
        #expect(shown.hints["suppress-sound"] == .boolean(true))
    }

    @Test func `a service without a body receives it in the title`() async throws {
        let shown = try #require(try await shown(NotificationContent(title: "t", body: "b"), capabilities: []))
        #expect(shown.summary == "t: b" && shown.body == "" && shown.timeoutMilliseconds == -1)
    }

    @Test func `sounds need their option; a path is a file`() async throws {
        var content = NotificationContent(title: "t", sound: .named("/usr/share/sounds/bell.oga"))
        #expect(
            try await shown(content, capabilities: [])?.hints["sound-file"] == .string("/usr/share/sounds/bell.oga"))
        content.sound = .named("bell")
        #expect(try await shown(content, capabilities: [])?.hints["sound-name"] == .string("bell"))
        let silent = try await shown(content, capabilities: [], options: .alert)
        #expect(silent?.hints["sound-name"] == nil && silent?.hints["suppress-sound"] == .boolean(true))
    }

    @Test func `long and hostile texts are cut and cleaned`() async throws {
        let long = String(repeating: "<", count: 1_000_000)
        let content = NotificationContent(
            title: "a\u{0}\u{1B}\(long)", body: long,
            actions: (0..<100).map { NotificationAction(identifier: "\($0)", title: long) })
        let shown = try #require(try await shown(content, capabilities: ["body", "body-markup", "actions"]))
        #expect(shown.summary.unicodeScalars.count == 200 && shown.summary.hasPrefix("a<"))
        #expect(shown.body == String(repeating: "&lt;", count: 1_999) + "…")
        #expect(shown.actions.count == 18 && shown.actions.allSatisfy { $0.unicodeScalars.count <= 200 })
    }

    @Test func `events reach exactly their notification, and only from the service`() async throws {
        let session = try SessionBus()
        let service = try await FakeNotificationService(on: session, capabilities: ["actions"])
        let under = await CenterUnderTest.authorized(session.bus)
        let (first, second) = (try await under.add("a"), try await under.add("b"))
        let (firstEvents, secondEvents) = (Collected(first.events), Collected(second.events))
        // A stranger on the bus clicks and closes; the service sends signals of wrong forms and of an unknown notification.
        let stranger = DBusConnection(session.bus)
        try await stranger.emit(
            "/org/freedesktop/Notifications", "org.freedesktop.Notifications", "ActionInvoked",
            [.uint32(1), .string("forged")])
        try await stranger.emit(
            "/org/freedesktop/Notifications", "org.freedesktop.Notifications", "NotificationClosed",
            [.uint32(1), .uint32(2)])
        // The bus's answer comes after these signals.
        _ = try await stranger.call(
            "org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus", "GetId")
        try await service.emit("ActionInvoked", [.string("1"), .uint32(1)])
        try await service.emit("NotificationClosed", [])
        try await service.click(99, "default")
        try await service.click(2, "default")
        try await service.end(2, reason: 2)
        try await service.click(1, "yes")
        try await service.end(1, reason: 1)
        #expect(await eventually { firstEvents.isOver && secondEvents.isOver })
        #expect(firstEvents.all == [.action(identifier: "yes"), .closed(.expired)])
        #expect(secondEvents.all == [.action(identifier: "default"), .closed(.dismissed)])
        #expect(await under.center.deliveredIdentifiers() == [])
    }

    @Test func `the same identifier replaces, and removing closes`() async throws {
        let session = try SessionBus()
        let service = try await FakeNotificationService(on: session, capabilities: [], firstNumber: 40)
        let under = await CenterUnderTest.authorized(session.bus)
        let first = Collected(try await under.add("a", "one").events)
        let second = Collected(try await under.add("a", "two").events)
        try await under.add("b")
        #expect(service.shown.map(\.replaced) == [0, 40, 0] && service.shown.map(\.number) == [40, 40, 41])
        #expect(await eventually { first.all == [.closed(.replaced)] })
        await under.center.removeDeliveredNotifications(withIdentifiers: ["a", "unknown"])
        #expect(service.closed == [40])
        #expect(await eventually { second.all == [.closed(.removed)] })
        await under.center.removeAllDeliveredNotifications()
        #expect(service.closed == [40, 41])
    }

    @Test func `more notifications than the limits are not open at once`() async throws {
        let session = try SessionBus()
        let service = try await FakeNotificationService(on: session, capabilities: [])
        let under = await CenterUnderTest.authorized(session.bus) {
            $0.openCount = 3
            $0.burstCount = 5
            $0.refillInterval = .seconds(3_600)
        }
        let first = Collected(try await under.add("0").events)
        for number in 1..<5 { try await under.add("\(number)") }
        #expect(service.closed == [1, 2])
        #expect(await eventually { first.all == [.closed(.tooMany)] })
        #expect(await under.center.deliveredIdentifiers() == ["2", "3", "4"])
        await #expect(throws: NotificationError.tooMany) { try await under.add("5") }
        #expect(service.shown.count == 5)
    }

    @Test func `a service that restarts closes what it showed, and the next one shows the rest`() async throws {
        let session = try SessionBus()
        let earlier = try await FakeNotificationService(on: session, capabilities: ["body-markup", "body"])
        let under = await CenterUnderTest.authorized(session.bus)
        let events = Collected(try await under.add("a", body: "<").events)
        await earlier.leave()
        #expect(await eventually { events.all == [.closed(.serviceLeft)] })
        let later = try await FakeNotificationService(on: session, capabilities: ["body"])
        let second = try await under.add("a", body: "<")
        #expect(second.place == .desktop)
        #expect(earlier.shown.map(\.body) == ["&lt;"] && later.shown.map(\.body) == ["<"])
        #expect(later.shown.map(\.replaced) == [0], "the number belonged to the earlier service")
        #expect(under.standardError.all == [])
    }

    @Test func `the end of the center ends the events`() async throws {
        let session = try SessionBus()
        let service = try await FakeNotificationService(on: session, capabilities: [])
        var under: CenterUnderTest? = await CenterUnderTest.authorized(session.bus)
        let events = Collected(try #require(try await under?.add("a")).events)
        under = nil
        #expect(await eventually { events.all == [.closed(.serviceLeft)] })
        withExtendedLifetime(service) {}
    }

    @Test func `a refused notification goes to standard error, and the next one is shown`() async throws {
        let session = try SessionBus()
        let service = try await FakeNotificationService(on: session, capabilities: ["body"])
        let under = await CenterUnderTest.authorized(session.bus)
        let refused = try await under.add("a", "refuse me", body: "text")
        #expect(refused.place == .standardError(.refused("no (org.example.Error.Refused)")))
        #expect(under.standardError.all.last == "earshot: notification: refuse me: text")
        #expect(try await under.add("b").place == .desktop)
        #expect(service.shown.map(\.summary) == ["title"])
    }

    @Test func `the settings tell what the application asked for and the desktop has`() async throws {
        let session = try SessionBus()
        let service = try await FakeNotificationService(on: session, capabilities: ["sound", "actions"])
        let under = CenterUnderTest(session.bus)
        let settings = await under.center.requestAuthorization(options: [.alert])
        #expect(settings.alert == .enabled && settings.sound == .disabled && settings.badge == .notSupported)
        #expect(settings.capabilities == ["sound", "actions"] && settings.problem == nil)
        await #expect(throws: NotificationError.badgeNotSupported) { try await under.center.setBadgeCount(3) }
        withExtendedLifetime(service) {}
    }

    @Test func `a badge is broadcast if a launcher is there`() async throws {
        let session = try SessionBus()
        let launcher = DBusConnection(session.bus)
        let updates = Collected(launcher.signals(DBusMatch(interface: "com.canonical.Unity.LauncherEntry")))
        _ = try await launcher.call(
            "org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus", "RequestName",
            [.string("com.canonical.Unity"), .uint32(0)])
        let under = CenterUnderTest(session.bus)
        // A launcher suffices for badges; they need no notification service.
        #expect(await under.center.requestAuthorization(options: [.badge]).badge == .enabled)
        try await under.center.setBadgeCount(3)
        try await under.center.setBadgeCount(0)
        #expect(await eventually { updates.all.count == 2 })
        #expect(
            updates.all.map(\.arguments.first) == [
                .string("application://app.desktop"), .string("application://app.desktop"),
            ])
        #expect(
            updates.all.map { $0.arguments.last?.named } == [
                ["count": .int64(3), "count-visible": .boolean(true)],
                ["count": .int64(0), "count-visible": .boolean(false)],
            ])
    }
}
