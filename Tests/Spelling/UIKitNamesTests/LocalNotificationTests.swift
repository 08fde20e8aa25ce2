import DesktopTestSupport
import EarshotDBus
import EarshotNotifications
import Foundation
import MessagesTestSupport
import Synchronization
import TestSupport
import Testing
import UIKitNames

/// Notifications by the documents' names.
@MainActor @Suite(.apart, .enabled(if: SessionBus.missing == nil, "\(SessionBus.missing ?? "")"))
struct LocalNotificationTests {
    private let session: SessionBus
    private let app: UIApplication
    private let warnings = Lines()

    init() throws {
        let (session, warnings) = (try SessionBus(), warnings)
        self.session = session
        let bus = session.bus
        app = UIApplication {
            var limits = NotificationLimits()
            limits.answerTime = .seconds(30)
            return UserNotificationCenter(
                applicationIdentifier: "app", limits: limits, bus: bus,
                output: NotificationOutput {
                    warnings.add($0)
                } journal: { _, _ in
                })
        }
    }

    private final class Delegate: UIResponder, UIApplicationDelegate {
        var registered: [UIUserNotificationType] = []
        var clicked: [UILocalNotification] = []

        func application(_ application: UIApplication, didRegister notificationSettings: UIUserNotificationSettings) {
            registered.append(notificationSettings.types)
        }

        func application(_ application: UIApplication, didReceive notification: UILocalNotification) {
            dispatchPrecondition(condition: .onQueue(.main))
            clicked.append(notification)
        }
    }

    private func register(_ types: UIUserNotificationType = [.alert, .badge, .sound]) {
        app.registerUserNotificationSettings(UIUserNotificationSettings(types: types, categories: nil))
    }

    /// Receives notifications in place of the desktop, except those whose text begins with "here".
    private final class Relay: NotificationRelay {
        private let clicks = Mutex<[String: @Sendable () -> Void]>([:])
        let shown = Lines()
        let removed = Lines()

        func show(_ request: NotificationRequest, onClick: @escaping @Sendable () -> Void) async -> Bool {
            guard !request.content.body.hasPrefix("here") else { return false }
            clicks.withLock { $0[request.content.body] = onClick }
            shown.add("\(request.content.body) \(request.content.sound == nil ? "silent" : "loud")")
            return true
        }

        func remove(_ identifier: String) { removed.add(identifier) }

        func click(_ body: String) { clicks.withLock { $0[body] }?() }
    }

    @Test func `a relay shows what it can, its clicks come back, and the desktop has the rest`() async throws {
        let service = try await FakeNotificationService(on: session, capabilities: ["body", "actions"])
        let delegate = Delegate()
        app.delegate = delegate
        let relay = Relay()
        app.setNotificationRelay(relay)
        let texts = ["first", "here", "second"]
        let notifications = texts.map { text in
            let notification = UILocalNotification()
            notification.alertBody = text
            notification.soundName = UILocalNotificationDefaultSoundName
            notification.userInfo = ["text": text]
            return notification
        }
        register([.alert])
        for notification in notifications { app.presentLocalNotificationNow(notification) }
        await app.waitUntilPresented()
        #expect(relay.shown.all == ["first silent", "second silent"], "the app has not registered sounds")
        #expect(service.shown.map(\.body) == ["here"])
        relay.click("second")
        #expect(await eventually { delegate.clicked.count == 1 })
        #expect(delegate.clicked.first?.userInfo?["text"] as? String == "second")
        app.cancelLocalNotification(notifications[0])
        await app.waitUntilPresented()
        #expect(relay.removed.all.count == 1)
        app.cancelAllLocalNotifications()
        await app.waitUntilPresented()
        #expect(relay.removed.all.count == 2)
    }

    @Test func `the values of a notification reach the desktop, and its click comes back`() async throws {
        let service = try await FakeNotificationService(on: session, capabilities: ["body", "actions", "sound"])
        let delegate = Delegate()
        app.delegate = delegate
        register()
        let notification = UILocalNotification()
        notification.alertTitle = "Museum"
        notification.alertBody = "Ann is near"
        notification.alertAction = "Talk"
        notification.soundName = UILocalNotificationDefaultSoundName
        notification.userInfo = ["name": "Ann"]
        notification.fireDate = .distantFuture
        app.presentLocalNotificationNow(notification)
        notification.alertBody = "a later change has no effect"
        let plain = UILocalNotification()
        plain.alertBody = "plain"
        app.presentLocalNotificationNow(plain)
        app.presentLocalNotificationNow(UILocalNotification())
        await app.waitUntilPresented()
        let shown = service.shown
        try #require(shown.count == 2, "one without a text is not shown")
        #expect(shown.map(\.summary) == ["Museum", "app"] && shown.map(\.body) == ["Ann is near", "plain"])
        #expect(shown.map(\.actions) == [["default", "Talk"], ["default", "Open"]])
        #expect(shown[0].hints["sound-name"] == .string("message-new-instant"))
        #expect(shown[1].hints["suppress-sound"] == .boolean(true))

        try await service.click(shown[0].number, "default")
        #expect(await eventually { delegate.clicked.count == 1 })
        #expect(delegate.clicked.first?.userInfo?["name"] as? String == "Ann")
        app.cancelLocalNotification(plain)
        await app.waitUntilPresented()
        #expect(service.closed == [Int(shown[1].number)])
        app.cancelAllLocalNotifications()
        await app.waitUntilPresented()
        #expect(service.closed == shown.reversed().map { Int($0.number) })
        #expect(await eventually { delegate.registered == [[.alert, .sound]] }, "there is no launcher for badges")
        #expect(app.currentUserNotificationSettings?.types == [.alert, .sound])
    }

    @Test func `a badge without a launcher is reported once`() async throws {
        register(.badge)
        app.applicationIconBadgeNumber = 2
        app.applicationIconBadgeNumber = 3
        await app.waitUntilPresented()
        #expect(app.applicationIconBadgeNumber == 3)
        #expect(warnings.all == ["earshot: \(NotificationError.badgeNotSupported)"])
    }

    @Test func `an app finds the session's bus by its variable, and writes to standard error without it`() async throws
    {
        let service = try await FakeNotificationService(on: session, capabilities: ["body"])
        let variables = ["EARSHOT_APP_ID": "org.example.App"]
        let shown = try AppProgram.start(
            ["notify"], variables: variables.merging(["DBUS_SESSION_BUS_ADDRESS": session.address]) { $1 },
            in: session.scratch)
        try shown.finish(within: 60)
        #expect(service.shown.map(\.application) == ["org.example.App"] && shown.error == "")
        let written = try AppProgram.start(["notify"], variables: variables, in: session.scratch)
        try written.finish(within: 60)
        let lines = written.error.split(separator: "\n")
        #expect(lines.count == 2 && lines[0].contains("there is no session bus"))
        #expect(lines.last == "earshot: notification: org.example.App: text")
    }

    @Test func `a copy has all values`() throws {
        let notification = UILocalNotification()
        notification.alertBody = "body"
        notification.applicationIconBadgeNumber = 2
        notification.userInfo = ["a": 1]
        let copy = try #require(notification.copy() as? UILocalNotification)
        #expect(copy.alertBody == "body" && copy.applicationIconBadgeNumber == 2 && copy.userInfo?.count == 1)
    }

    @Test func `the bits are those of the original`() {
        #expect(UIUserNotificationType.badge.rawValue == 1 && UIUserNotificationType.sound.rawValue == 2)
        #expect(UIUserNotificationType.alert.rawValue == 4)
        let states: [UIApplication.State] = [.active, .inactive, .background]
        #expect(states.map(\.rawValue) == [0, 1, 2])
    }
}
