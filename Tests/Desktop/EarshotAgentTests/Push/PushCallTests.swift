import DesktopTestSupport
import EarshotDBus
import EarshotMessages
import EarshotNetworks
import EarshotNotifications
import EarshotPush
import Foundation
import Glibc
import MessagesTestSupport
import NearbyWire
import TestSupport
import Testing

@testable import EarshotAgent
@testable import earshot_agent

/// Calls and notifications from a real provider to a real app.
@Suite(.apart, .serialized) struct PushCallTests {
    private let push: PushHome

    init() throws { push = try PushHome() }

    private func configuration(app: String = "app") -> PushConfiguration {
        var configuration = push.configuration(app: app)
        configuration.providerConfiguration["calls"] = .string("\(push.home.path)/calls")
        return configuration
    }

    private func calls() -> [String] { push.appLines.filter { $0.hasPrefix("call") } }

    /// The agent starts the app with the agent's environment, so this suite's apps use its own variables.
    private func installApp(modes: [String] = ["voip"], arguments: [String] = []) throws {
        let program = AgentProcess.folder.appendingPathComponent("push-app").path
        try push.home.install(
            "app", modes: modes,
            command: [
                "/usr/bin/env", "XDG_CONFIG_HOME=\(push.home.path)/config", "EARSHOT_AGENT_SOCKET=\(push.home.socket)",
                program, push.appFile,
            ] + arguments)
    }

    private func endApp() async {
        for line in push.home.log.all {
            if let number = line.split(separator: " ").drop(while: { $0 != "process" }).dropFirst().first,
                line.contains("app: started as process"), let process = pid_t(number.filter(\.isNumber))
            {
                kill(-process, SIGKILL)
            }
        }
    }

    @Test func aCallStartsTheAppAndReachesItsDelegateOnce() async throws {
        try installApp()
        let agent = try push.agent()
        push.networks.join("Ship")
        try push.store.save(configuration())
        try push.call("1")
        #expect(await eventually { push.appLines.contains("call 1") })
        #expect(push.appLines.first == "began call")
        try push.call("2")
        #expect(await eventually { calls() == ["call 1", "call 2"] })
        #expect(await eventually { push.openCalls.isEmpty })
        #expect(await eventually { push.appLines.contains("active true") })
        push.networks.set(nil)
        #expect(await eventually { push.appLines.last == "active false" })
        await endApp()
        withExtendedLifetime(agent) {}
    }

    @Test func aCallWaitsForAnAppThatMayNotBeStarted() async throws {
        try installApp(modes: [])
        var agent: Agent? = try push.agent()
        push.networks.join("Ship")
        let saved = try push.store.save(configuration()).saved
        try push.call("1")
        #expect(await eventually { await push.state(saved.identifier)?.waitingCount == 1 })
        #expect(push.home.log.all.contains { $0.contains("does not declare voip in UIBackgroundModes") })
        #expect(push.appLines.isEmpty)
        await agent?.close()
        agent = nil
        // The call waits through a restart of the agent, until the user starts the app.
        let second = try push.agent()
        #expect(await eventually { await push.state(saved.identifier)?.waitingCount == 1 })
        let socket = push.home.socket
        let event = try await onThread { () -> PushFrame.Event in
            let client = try RawClient(socket, app: "app")
            try client.send(.pushWatch(PushFrame.Watch()))
            let event = try client.wait { frame in if case .pushEvent(let event) = frame { event } else { nil } }
            try client.send(.pushTaken(PushFrame.Taken([event.id])))
            return event
        }
        #expect(event.configuration == saved.identifier && event.kind == .call)
        #expect(PropertyList(json: event.userInfo) == .dictionary(["call": .string("1")]))
        #expect(await eventually { await push.state(saved.identifier)?.waitingCount == 0 })
        withExtendedLifetime(second) {}
    }

    @Test func anAppThatCrashesIsStartedMoreAndMoreRarely() async throws {
        try installApp(arguments: ["crash"])
        let agent = try push.agent { $0.startIntervalSeconds = 0.1 }
        push.networks.join("Ship")
        try push.store.save(configuration())
        try push.call("1")
        #expect(await eventually { push.appLines.count >= 4 })
        let count = push.appLines.count
        await aWhile()
        #expect(push.appLines.count <= count + 1)
        withExtendedLifetime(agent) {}
    }

    @Test func anAppThatEndsWithoutTakingACallGetsItAgain() async throws {
        let agent = try push.agent()
        push.networks.join("Ship")
        try push.store.save(configuration())
        try push.call("1")
        let socket = push.home.socket
        func event() async throws -> String {
            try await onThread {
                let client = try RawClient(socket, app: "app")
                try client.send(.pushWatch(PushFrame.Watch()))
                return try client.wait { frame in if case .pushEvent(let event) = frame { event.id } else { nil } }
            }
        }
        let first = try await event()
        #expect(try await event() == first)
        // A process that has the event says so, even if the agent has missed the acknowledgement.
        try await onThread {
            let client = try RawClient(socket, app: "app")
            try client.send(.pushWatch(PushFrame.Watch(taken: [first])))
        }
        #expect(await eventually { ((try? await push.overview())?.configurations.first?.waitingCount) == 0 })
        withExtendedLifetime(agent) {}
    }

    @Test func ofTwoProcessesOnlyOneGetsACall() async throws {
        let agent = try push.agent()
        push.networks.join("Ship")
        try push.store.save(configuration())
        try push.call("1")
        #expect(await eventually { push.openCalls.isEmpty })
        let socket = push.home.socket
        try await onThread {
            func watching() throws -> RawClient {
                let client = try RawClient(socket, app: "app")
                try client.send(.pushWatch(PushFrame.Watch()))
                return client
            }
            func event(_ frame: AgentFrame) -> String? {
                if case .pushEvent(let event) = frame { event.id } else { nil }
            }
            var first: RawClient? = try watching()
            let id = try #require(first).wait(event)
            let second = try watching()
            // All of the agent's answers to the first frame come before this one.
            try second.send(.request(ClientFrame.Request(.push)))
            var seen: [String] = []
            try second.wait { frame -> Void? in
                seen += event(frame).map { [$0] } ?? []
                if case .pushOverview = frame { return () } else { return nil }
            }
            #expect(seen.isEmpty)
            // The first process ends without taking the event.
            first = nil
            #expect(try second.wait(event) == id)
        }
        withExtendedLifetime(agent) {}
    }

    @Test func anAgentWaitsForTheProcessesThatKnewTheLastOne() async throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/bin/sleep")
        process.arguments = ["1000"]
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
        // The process may have inherited a mask that blocks all other signals.
        defer { kill(process.processIdentifier, SIGKILL) }
        var state = PushAppState(app: "app")
        _ = state.wait(PushFrame.Event(id: "e", configuration: "c", kind: .call, userInfo: Data("{}".utf8)))
        state.note(process.processIdentifier)
        #expect(state.livingProcesses == [process.processIdentifier])
        try FileManager.default.createDirectory(atPath: "\(push.home.state)1", withIntermediateDirectories: true)
        try PushStateStore(stateFolder: "\(push.home.state)1", log: { _ in }).save(state, name: "app.json")
        let begin = ContinuousClock.now
        let agent = try push.agent { $0.push?.times.resumption = 1 }
        let socket = push.home.socket
        let time = try await onThread {
            let client = try RawClient(socket, app: "app")
            try client.send(.pushWatch(PushFrame.Watch()))
            try client.wait { frame -> Void? in if case .pushEvent = frame { () } else { nil } }
            return begin.duration(to: .now)
        }
        #expect(time >= .seconds(1))
        withExtendedLifetime(agent) {}
    }

    @Test func eachOfTwoAppsGetsItsOwn() async throws {
        let agent = try push.agent()
        push.networks.join("Ship")
        let saved = try push.store.save(configuration(app: "second")).saved
        try push.call("1")
        #expect(await eventually { await push.state(saved.identifier)?.waitingCount == 1 })
        let socket = push.home.socket
        try await onThread {
            let other = try RawClient(socket, app: "app")
            try other.send(.pushWatch(PushFrame.Watch()))
            let states = try other.wait { frame in if case .pushStates(let states) = frame { states } else { nil } }
            #expect(states.active.isEmpty, "not its own")
            let mine = try RawClient(socket, app: "second")
            try mine.send(.pushWatch(PushFrame.Watch()))
            let active = try mine.wait { frame in if case .pushStates(let states) = frame { states } else { nil } }
            #expect(active.active == [saved.identifier])
            let id = try mine.wait { frame in if case .pushEvent(let event) = frame { event.id } else { nil } }
            // Another app cannot take the call.
            try other.send(.pushTaken(PushFrame.Taken([id])))
            try other.send(.request(ClientFrame.Request(.push)))
            let overview = try other.wait { frame in
                if case .pushOverview(let overview) = frame { overview } else { nil }
            }
            #expect(overview.configurations.first?.waitingCount == 1)
        }
        withExtendedLifetime(agent) {}
    }

    @Test func callsAreBounded() async throws {
        let agent = try push.agent { $0.push?.callsPerMinute = 3 }
        push.networks.join("Ship")
        let saved = try push.store.save(configuration()).saved
        for number in 0..<6 { try push.call("\(number)") }
        #expect(await eventually { push.openCalls.isEmpty })
        #expect(await push.state(saved.identifier)?.waitingCount == 3)
        #expect(push.home.log.all.contains { $0.contains("may report 3 calls in a minute") })
        withExtendedLifetime(agent) {}
    }

    @Test func theOldestOfTooManyWaitingCallsMakeRoom() {
        var state = PushAppState(app: "app")
        for number in 0..<40 {
            _ = state.wait(PushFrame.Event(id: "\(number)", configuration: "c", kind: .call, userInfo: Data()))
        }
        #expect(state.waiting.count == PushFrame.maximumWaitingCount && state.waiting.last?.id == "39")
    }

    @Test func theSameReportOfTheNextProcessIsTheSame() {
        var state = PushAppState(app: "app")
        let reports: [(digest: String, run: String, now: Double)] = [
            ("a", "1", 100), ("a", "1", 101), ("a", "2", 102), ("b", "2", 102), ("a", "2", 300),
        ]
        let areRepeated = reports.map { state.isRepeated($0.digest, run: $0.run, now: $0.now, within: 120) }
        // One process may report two equal calls. A call of long ago is a different one.
        #expect(areRepeated == [false, false, true, false, false])
        for number in 0..<1_000 { _ = state.isRepeated("\(number)", run: "3", now: 300, within: 120) }
        #expect(state.recent.count == PushAppState.maximumRecentCount)
    }
}

/// The notifications of a provider, on a session bus with a notification service of the test.
@Suite(.apart, .serialized, .enabled(if: SessionBus.missing == nil, Comment(rawValue: SessionBus.missing ?? "")))
struct PushNotificationTests {
    private let push: PushHome

    init() throws { push = try PushHome() }

    private func agent(on bus: SessionBus, _ limits: NotificationLimits = NotificationLimits()) throws -> Agent {
        try push.agent { options in
            options.push?.times.show = 0.05
            options.push?.times.longestShow = 0.2
            options.push?.notificationsPerMinute = 60_000
            options.notifier = DesktopNotifier(
                makeCenter: {
                    UserNotificationCenter(applicationIdentifier: $0, limits: limits, bus: bus.bus, output: .system)
                },
                log: { [log = push.home.log] in log.add($0) })
        }
    }

    @Test func aNotificationWaitsForADesktop() async throws {
        let bus = try SessionBus()
        var limits = NotificationLimits()
        limits.pauseAfterFailure = .milliseconds(50)
        let agent = try agent(on: bus, limits)
        push.networks.join("Ship")
        var configuration = push.configuration()
        configuration.providerConfiguration["notify"] = .string("dinner at 7")
        try push.store.save(configuration)
        #expect(await eventually { push.lines.last == "shown true" })
        #expect(await eventually { push.home.log.all.contains { $0.contains("they wait") } })
        let desktop = try await FakeNotificationService(on: bus, capabilities: ["actions", "body"])
        #expect(await eventually { desktop.shown.map(\.body) == ["dinner at 7"] })
        await aWhile()
        #expect(desktop.shown.count == 1)
        withExtendedLifetime(agent) {}
    }

    /// The server has stored the texts while the user was away. The desktop accepts some at once, the agent stores some, and
    /// the provider retries the rest.
    @Test func noneOfManyTextsIsLost() async throws {
        let bus = try SessionBus()
        let desktop = try await FakeNotificationService(on: bus, capabilities: ["actions", "body"])
        var limits = NotificationLimits()
        limits.burstCount = 5
        limits.refillInterval = .milliseconds(20)
        let agent = try agent(on: bus, limits)
        push.networks.join("Ship")
        var configuration = push.configuration()
        configuration.providerConfiguration["count"] = .integer(60)
        try push.store.save(configuration)
        #expect(await eventually(within: .seconds(30)) { desktop.shown.count >= 60 })
        await aWhile()
        #expect(desktop.shown.map(\.body).sorted() == (1...60).map { "text \($0)" }.sorted())
        withExtendedLifetime(agent) {}
    }

    @Test func aNotificationIsShownAndItsClickStartsTheApp() async throws {
        let script =
            "echo $EARSHOT_LAUNCHED_BY: $EARSHOT_NOTIFICATION_TITLE: $EARSHOT_NOTIFICATION_BODY: $EARSHOT_NOTIFICATION_ID >> \(push.appFile); exec sleep 60"
        try push.home.install("app", modes: ["voip"], command: ["/bin/sh", "-c", script])
        let bus = try SessionBus()
        let desktop = try await FakeNotificationService(on: bus, capabilities: ["actions", "body"])
        let agent = try agent(on: bus)
        push.networks.join("Ship")
        var configuration = push.configuration()
        configuration.providerConfiguration["notify"] = .string("dinner at 7")
        try push.store.save(configuration)
        #expect(await eventually { desktop.shown.count == 1 })
        let shown = try #require(desktop.shown.first)
        #expect(shown.application == "app" && shown.summary == "Ship" && shown.body == "dinner at 7")
        #expect(shown.hints["sound-name"] == .string("message-new-instant"))
        #expect(await eventually { push.lines.last == "shown true" })
        #expect(push.appLines.isEmpty, "the user decides")
        // The provider's next process shows the same notification, which replaces the first.
        kill(try #require(push.processes.last), SIGKILL)
        #expect(await eventually { push.lines.count(where: { $0 == "shown true" }) == 2 })
        #expect(desktop.shown.count == 1)
        try await desktop.click(shown.number, "default")
        #expect(await eventually { push.appLines == ["click: Ship: dinner at 7: text"] })
        withExtendedLifetime(agent) {}
    }

    /// A launcher of the test shows the badge.
    @Test func aNotificationHasASoundAndABadge() async throws {
        let bus = try SessionBus()
        let desktop = try await FakeNotificationService(on: bus, capabilities: ["actions", "body"])
        let launcher = bus.connect()
        let badges = Collected(
            launcher.signals(DBusMatch(interface: "com.canonical.Unity.LauncherEntry", member: "Update")))
        _ = try await launcher.call(
            "org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus", "RequestName",
            [.string("com.canonical.Unity"), .uint32(0)])
        let agent = try agent(on: bus)
        push.networks.join("Ship")
        var configuration = push.configuration()
        configuration.providerConfiguration["notify"] = .string("dinner at 7")
        configuration.providerConfiguration["badge"] = .integer(3)
        try push.store.save(configuration)
        #expect(await eventually { desktop.shown.first?.hints["sound-name"] == .string("bell") })
        #expect(
            await eventually {
                badges.all.first?.arguments.last?.named?["count"] == .int64(3)
                    && badges.all.first?.arguments.first?.text == "application://app.desktop"
            }, "\(badges.all)")
        withExtendedLifetime(agent) {}
    }

    @Test func aClickReachesAnAppThatRuns() async throws {
        let bus = try SessionBus()
        let desktop = try await FakeNotificationService(on: bus, capabilities: ["actions", "body"])
        let agent = try agent(on: bus)
        push.networks.join("Ship")
        var configuration = push.configuration()
        configuration.providerConfiguration["notify"] = .string("dinner at 7")
        try push.store.save(configuration)
        #expect(await eventually { desktop.shown.count == 1 })
        let socket = push.home.socket
        let number = desktop.shown[0].number
        async let event = onThread { () -> PushFrame.Event in
            let client = try RawClient(socket, app: "app")
            try client.send(.pushWatch(PushFrame.Watch()))
            return try client.wait { frame in if case .pushEvent(let event) = frame { event } else { nil } }
        }
        await aWhile()
        try await desktop.click(number, "default")
        let clicked = try await event
        #expect(clicked.kind == .click)
        #expect(
            PropertyList(json: clicked.userInfo)
                == .dictionary([
                    "identifier": .string("text"), "title": .string("Ship"), "body": .string("dinner at 7"),
                ]))
        withExtendedLifetime(agent) {}
    }
}
