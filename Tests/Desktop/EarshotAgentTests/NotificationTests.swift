import DesktopTestSupport
import EarshotDBus
import EarshotDiscovery
import EarshotMessages
import EarshotNotifications
import Foundation
import MessagesTestSupport
import NearbyWire
import TestSupport
import Testing

@testable import EarshotAgent
@testable import earshot_agent

/// The notifications of an app that does not run, on a session bus with a notification service of the test.
@Suite(.apart, .serialized, .enabled(if: SessionBus.missing == nil, Comment(rawValue: SessionBus.missing ?? "")))
struct NotificationTests {
    private let home: Home
    private let air = Air()
    private let service = FakeService()
    private let file: String

    init() throws {
        home = try Home()
        file = "\(home.path)/app.txt"
        let script =
            "echo $EARSHOT_LAUNCHED_BY: $EARSHOT_NOTIFICATION_BODY$XDG_ACTIVATION_TOKEN$DESKTOP_STARTUP_ID >> \(file); exec sleep 60"
        try home.install(
            "app", command: ["/bin/sh", "-c", script],
            notification: #"{"title":"Museum","body":"Near you: {text}"}"#)
    }

    private func agent(on bus: SessionBus) throws -> Agent {
        try home.agent(air, service) { options in
            options.notifier = DesktopNotifier(
                makeCenter: { UserNotificationCenter(applicationIdentifier: $0, bus: bus.bus, output: .system) },
                log: { [log = home.log] in log.add($0) })
        }
    }

    /// The app subscribes and ends.
    private func subscribe() async throws {
        let socket = home.socket
        try await onThread {
            let client = try RawClient(socket, app: "app")
            #expect(try client.hold(Home.subscription()) == nil)
        }
    }

    private var started: String { (try? String(contentsOfFile: file, encoding: .utf8)) ?? "" }

    @Test func aClickStartsTheAppWhichGetsTheMessageOnce() async throws {
        let bus = try SessionBus()
        let desktop = try await FakeNotificationService(on: bus, capabilities: ["actions", "body", "body-markup"])
        let agent = try agent(on: bus)
        try await subscribe()
        let neighbour = Home.neighbour(in: air, service)
        let publication = try neighbour.publish(Message("hello <b>"))
        #expect(await eventually { desktop.shown.count == 1 })
        let shown = try #require(desktop.shown.first)
        #expect(shown.application == "app" && shown.summary == "Museum" && shown.body == "Near you: hello &lt;b&gt;")
        await aWhile()
        #expect(started.isEmpty, "the user decides")
        try await desktop.click(shown.number, "default")
        #expect(await eventually { started == "click: Near you: hello <b>\n" })
        let socket = home.socket
        let (event, rest) = try await onThread { () -> (AgentEvent, Int) in
            let client = try RawClient(socket, app: "app")
            #expect(try client.hold(Home.subscription()) == nil)
            let (events, event) = try client.event()
            try client.send(.acknowledge(ClientFrame.Acknowledgement(events.id, sequence: events.sequence)))
            return (event, try client.overview().apps.first?.operations.first?.waitingCount ?? -1)
        }
        #expect(event.message?.content == Data("hello <b>".utf8) && rest == 0)
        #expect(desktop.shown.count == 1)
        withExtendedLifetime((agent, neighbour, publication)) {}
    }

    /// With this token, the app's window may come to the front.
    @Test func theDesktopsTokenReachesTheApp() async throws {
        let bus = try SessionBus()
        let desktop = try await FakeNotificationService(on: bus, capabilities: ["actions", "body", "body-markup"])
        let agent = try agent(on: bus)
        try await subscribe()
        let neighbour = Home.neighbour(in: air, service)
        let publication = try neighbour.publish(Message("hello"))
        #expect(await eventually { desktop.shown.count == 1 })
        let number = try #require(desktop.shown.first?.number)
        try await desktop.emit("ActivationToken", [.uint32(number + 1), .string("other")])
        try await desktop.emit("ActivationToken", [.uint32(number), .string("-token-7")])
        try await desktop.click(number, "default")
        #expect(await eventually { started == "click: Near you: hello-token-7-token-7\n" })
        withExtendedLifetime((agent, neighbour, publication)) {}
    }

    @Test func anAppThatComesByItselfTakesItsNotificationsAway() async throws {
        let bus = try SessionBus()
        let desktop = try await FakeNotificationService(on: bus, capabilities: ["actions", "body"])
        let agent = try agent(on: bus)
        try await subscribe()
        let neighbour = Home.neighbour(in: air, service)
        let publication = try neighbour.publish(Message("hello"))
        #expect(await eventually { desktop.shown.count == 1 })
        let socket = home.socket
        let client = try await onThread { () -> Unchecked<RawClient> in
            let client = try RawClient(socket, app: "app")
            #expect(try client.hold(Home.subscription()) == nil)
            return Unchecked(client)
        }
        #expect(await eventually { desktop.closed == [1] })
        #expect(started.isEmpty)
        withExtendedLifetime((agent, neighbour, publication, client)) {}
    }

    @Test func withoutADesktopTheAppIsStartedAtOnce() async throws {
        let bus = try SessionBus()
        let agent = try agent(on: bus)
        try await subscribe()
        let neighbour = Home.neighbour(in: air, service)
        let publication = try neighbour.publish(Message("hello"))
        #expect(await eventually { started == "found:\n" })
        withExtendedLifetime((agent, neighbour, publication)) {}
    }

    // MARK: Notifications of the app itself

    /// Lets the agent show a notification, as a process of the app does that then ends.
    private func showAndEnd(_ id: String, _ body: String) async throws {
        let socket = home.socket
        try await onThread {
            let client = try RawClient(socket, app: "app")
            try client.send(.notify(ClientFrame.Notify(id: id, title: "Museum", body: body, action: "Look")))
            let isShown = try client.wait { frame -> Bool? in
                if case .notified(let notified) = frame, notified.id == id { notified.isShown } else { nil }
            }
            #expect(isShown)
        }
    }

    @Test func aClickOnTheAppsOwnNotificationStartsItAfterItsEnd() async throws {
        let bus = try SessionBus()
        let desktop = try await FakeNotificationService(on: bus, capabilities: ["actions", "body"])
        let agent = try agent(on: bus)
        try await showAndEnd("n", "Ann is near")
        let shown = try #require(desktop.shown.first)
        #expect(shown.application == "app" && shown.summary == "Museum" && shown.body == "Ann is near")
        #expect(shown.actions == ["default", "Look"])
        await aWhile()
        #expect(started.isEmpty && desktop.closed.isEmpty, "the notification stays although the app has ended")
        try await desktop.emit("ActivationToken", [.uint32(shown.number), .string("-token")])
        try await desktop.click(shown.number, "default")
        #expect(await eventually { started == "click: Ann is near-token-token\n" })
        withExtendedLifetime(agent) {}
    }

    @Test func aClickOnTheAppsOwnNotificationReachesTheProcessThatLives() async throws {
        let bus = try SessionBus()
        let desktop = try await FakeNotificationService(on: bus, capabilities: ["actions", "body"])
        let agent = try agent(on: bus)
        let notifications = AgentNotifications(
            BackgroundAgent(path: home.socket), app: "app", configurationFolder: "\(home.path)/config")
        let clicks = Lines()
        for id in ["a", "b", "c"] {
            let isShown = await notifications.show(ClientFrame.Notify(id: id, title: id, body: "text")) {
                clicks.add(id)
            }
            #expect(isShown)
        }
        #expect(desktop.shown.map(\.summary) == ["a", "b", "c"])
        try await desktop.click(desktop.shown[1].number, "default")
        #expect(await eventually { clicks.all == ["b"] })
        notifications.remove("a")
        #expect(await eventually { desktop.closed.contains(Int(desktop.shown[0].number)) })
        #expect(!desktop.closed.contains(Int(desktop.shown[2].number)) && started.isEmpty)
        withExtendedLifetime(agent) {}
    }

    /// Without a command, a click could not start the app, so the app shows its notification itself. It does the same without a desktop
    /// or an agent.
    @Test func whatTheAgentCannotShowTheAppShows() async throws {
        let bus = try SessionBus()
        let folder = "\(home.path)/config"
        let notification = ClientFrame.Notify(id: "n", title: "Museum", body: "text")
        func isShown(_ app: String, at socket: String) async -> Bool {
            let notifications = AgentNotifications(
                BackgroundAgent(path: socket), app: app, configurationFolder: folder)
            return await notifications.show(notification, onClick: {})
        }
        #expect(await !isShown("app", at: "\(home.path)/no-agent.sock"))
        let agent = try agent(on: bus)
        #expect(await !isShown("app", at: home.socket), "there is no desktop")
        let desktop = try await FakeNotificationService(on: bus, capabilities: ["actions", "body"])
        try home.install("plain")
        #expect(await !isShown("plain", at: home.socket))
        #expect(desktop.shown.isEmpty)
        withExtendedLifetime(agent) {}
    }
}

/// A client that several threads use one after the other.
private struct Unchecked<Value>: @unchecked Sendable {
    let value: Value

    init(_ value: Value) { self.value = value }
}
