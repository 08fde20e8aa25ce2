import EarshotDiscovery
import EarshotMessages
import Foundation
import MessagesTestSupport
import NearbyWire
import TestSupport
import Testing

@testable import EarshotAgent

/// An agent with a simulated service and a simulated room, and programs that speak its protocol.
@Suite(.apart, .serialized) struct SupervisorTests {
    private let home: Home
    private let air = Air()
    private let service = FakeService(keys: ["key": "project", "other": "elsewhere"])

    init() throws {
        home = try Home()
        try home.install("app")
    }

    @Test func foundAndLostAreToldOnceThroughTheAppsRestart() async throws {
        let agent = try home.agent(air, service)
        let neighbour = Home.neighbour(in: air, service)
        let publication = try neighbour.publish(Message("one"))
        let socket = home.socket
        let first = try await onThread { () -> String in
            let client = try RawClient(socket, app: "app")
            #expect(try client.hold(Home.subscription()) == nil)
            let (events, event) = try client.event()
            try client.send(.acknowledge(ClientFrame.Acknowledgement(events.id, sequence: events.sequence)))
            return try #require(event.message?.id)
        }
        // The app has ended. Its next process already knows the message, and must not get it again.
        let other = try neighbour.publish(Message("two"))
        let (second, third) = try await onThread { () -> (AgentEvent, AgentEvent) in
            let client = try RawClient(socket, app: "app")
            #expect(try client.hold(Home.subscription(), known: [first]) == nil)
            let found = try client.event().1
            publication.stop()
            return (found, try client.event().1)
        }
        #expect(second.message?.content == Data("two".utf8), "the only news")
        #expect(third == .lost(first))
        withExtendedLifetime((agent, neighbour, other)) {}
    }

    @Test func anAppIsStartedAndGetsWhatWaits() async throws {
        let file = "\(home.path)/app.txt"
        try home.install("app", command: ["/bin/sh", "-c", "echo $EARSHOT_APP_ID >> \(file); exec sleep 60"])
        let agent = try home.agent(air, service)
        let socket = home.socket
        try await onThread {
            let client = try RawClient(socket, app: "app")
            #expect(try client.hold(Home.subscription()) == nil)
        }
        let neighbour = Home.neighbour(in: air, service)
        let publication = try neighbour.publish(Message("while you were away"))
        #expect(await eventually { (try? String(contentsOfFile: file, encoding: .utf8)) == "app\n" })
        publication.stop()
        // A message was found and lost meanwhile. Both events wait.
        #expect(
            await eventually {
                let overview = try? await onThread { try RawClient(socket, app: nil).overview() }
                guard let app = overview?.apps.first else { return false }
                return app.operations.first?.waitingCount == 2 && app.startCount == 1
            })
        let events = try await onThread { () -> [AgentEvent] in
            let client = try RawClient(socket, app: "app")
            #expect(try client.hold(Home.subscription()) == nil)
            return [try client.event().1, try client.event().1]
        }
        #expect(events.first?.message?.content == Data("while you were away".utf8))
        #expect(events.last == (events.first?.message?.id).map(AgentEvent.lost))
        withExtendedLifetime((agent, neighbour)) {}
    }

    /// The agent and the app are killed together after the app has received an event and before it has acknowledged it. To
    /// simulate that, another agent starts with a copy of the first agent's files.
    @Test func whatWasNotAcknowledgedStartsTheAppAfterBothAreKilled() async throws {
        let file = "\(home.path)/app.txt"
        try home.install("app", command: ["/bin/sh", "-c", "echo $EARSHOT_LAUNCHED_BY >> \(file); exec sleep 60"])
        let agent = try home.agent(air, service)
        let neighbour = Home.neighbour(in: air, service)
        let publication = try neighbour.publish(Message("one"))
        let (home, socket, state) = (home, home.socket, home.state)
        let message = try await onThread { () -> String in
            let client = try RawClient(socket, app: "app")
            #expect(try client.hold(Home.subscription()) == nil)
            let message = try #require(client.event().1.message?.id)
            func kept() -> String? {
                let kept = FileManager.default.contents(atPath: "\(state)1/app.json").flatMap {
                    try? JSONDecoder().decode(AppState.self, from: $0)
                }
                return kept?.operations.first?.waiting.first?.message?.id
            }
            for _ in 0..<3_000 where kept() == nil { usleep(10_000) }
            #expect(kept() == message)
            for number in 2...3 { try home.copyState(to: number) }
            return message
        }
        await agent.close()
        // The neighbour has left too, so the message is only on the disk.
        publication.stop()

        let second = try home.agent(air, service, number: 2)
        #expect(await eventually { (try? String(contentsOfFile: file, encoding: .utf8)) == "found\n" })
        let event = try await onThread { () -> AgentEvent in
            let client = try RawClient(socket, app: "app")
            #expect(try client.hold(Home.subscription()) == nil)
            return try client.event().1
        }
        #expect(event.message?.id == message)
        await second.close()

        // A process that still lives has this message already. It gets only the other one.
        let third = try home.agent(air, service, number: 3) { $0.internals.resumptionSeconds = 60 }
        let other = try neighbour.publish(Message("two"))
        let next = try await onThread { () -> AgentEvent in
            let client = try RawClient(socket, app: "app")
            #expect(try client.hold(Home.subscription(), known: [message]) == nil)
            return try client.event().1
        }
        #expect(next.message?.content == Data("two".utf8))
        #expect(
            try String(contentsOfFile: file, encoding: .utf8) == "found\n", "not started beside the process that lives")
        withExtendedLifetime((third, neighbour, other)) {}
    }

    @Test func anAppThatCrashesIsLeftAlone() async throws {
        let file = "\(home.path)/app.txt"
        try home.install("app", command: ["/bin/sh", "-c", "echo x >> \(file); exit 3"])
        let agent = try home.agent(air, service) { $0.startIntervalSeconds = 0.1 }
        let socket = home.socket
        try await onThread {
            let client = try RawClient(socket, app: "app")
            #expect(try client.hold(Home.subscription()) == nil)
        }
        let neighbour = Home.neighbour(in: air, service)
        let publication = try neighbour.publish(Message("one"))
        #expect(await eventually { home.log.all.contains { $0.contains("ended 4 times without taking its events") } })
        let count = try String(contentsOfFile: file, encoding: .utf8).count / 2
        #expect(count <= 6, "each pause is twice the last one")
        withExtendedLifetime((agent, neighbour, publication)) {}
    }

    @Test func whatIsNotDeclaredOrNotAllowedIsRefused() async throws {
        try home.install("deaf", modes: ["bluetooth-peripheral"])
        try home.install("denied", permission: "denied")
        let agent = try home.agent(air, service)
        let socket = home.socket
        let refusals = try await onThread {
            try [
                RawClient(socket, app: "deaf").hold(Home.subscription()),
                RawClient(socket, app: "denied").hold(Home.subscription()),
                RawClient(socket, app: "unknown").hold(Home.subscription()),
            ]
        }
        #expect(
            refusals[0]?.contains("deaf.nearby.json does not declare bluetooth-central in UIBackgroundModes") == true)
        #expect(refusals[1]?.contains("The user has not allowed denied to find devices nearby") == true)
        #expect(refusals[2]?.contains("does not declare") == true)
        withExtendedLifetime(agent) {}
    }

    @Test func aWithdrawnPermissionEndsTheWorkAndAGrantResumesIt() async throws {
        let agent = try home.agent(air, service)
        let socket = home.socket
        try await onThread {
            let client = try RawClient(socket, app: "app")
            #expect(try client.hold(Home.publication("hello")) == nil)
        }
        let neighbour = Home.neighbour(in: air, service)
        let finder = Collected(try neighbour.subscribe())
        #expect(await eventually { finder.found.map(\.message.text) == ["hello"] })
        let store = PermissionStore(applicationIdentifier: "app", configurationFolder: "\(home.path)/config")
        let begin = ContinuousClock.now
        try store.set(.denied)
        #expect(await eventually { finder.lost.count == 1 })
        print("the permission took \(begin.duration(to: .now)) to end the work")
        try store.set(.granted)
        #expect(await eventually { finder.found.count == 2 })
        withExtendedLifetime((agent, store, neighbour)) {}
    }

    @Test func anOperationGoesOnUntilItIsReleased() async throws {
        let agent = try home.agent(air, service)
        let socket = home.socket
        let neighbour = Home.neighbour(in: air, service)
        let finder = Collected(try neighbour.subscribe())
        try await onThread {
            let client = try RawClient(socket, app: "app")
            #expect(try client.hold(Home.publication("hello")) == nil)
        }
        #expect(await eventually { finder.found.map(\.message.text) == ["hello"] })
        #expect(finder.lost.isEmpty)
        try await onThread { try RawClient(socket, app: "app").release(Home.publication("hello").id) }
        #expect(await eventually { finder.lost.map(\.message.text) == ["hello"] })
        #expect(try FileManager.default.contentsOfDirectory(atPath: "\(home.state)1") == ["lock"])
        withExtendedLifetime((agent, neighbour)) {}
    }

    @Test func aNewProcessEndsWhatItDoesNotWantAgain() async throws {
        let agent = try home.agent(air, service) { $0.claimSeconds = 0.3 }
        let socket = home.socket
        try await onThread {
            let client = try RawClient(socket, app: "app")
            #expect(try client.hold(Home.publication("old")) == nil)
            #expect(try client.hold(Home.publication("both")) == nil)
        }
        let left = try await onThread { () -> [String] in
            let client = try RawClient(socket, app: "app")
            #expect(try client.hold(Home.publication("both")) == nil)
            for _ in 0..<3_000 {
                let ids = try client.overview().apps.flatMap { $0.operations.map(\.id) }
                if ids.count == 1 { return ids }
                usleep(25_000)
            }
            return []
        }
        #expect(left == [Home.publication("both").id])
        withExtendedLifetime(agent) {}
    }

    @Test func theUserStopsAndForgets() async throws {
        let agent = try home.agent(air, service)
        let socket = home.socket
        try await onThread {
            let client = try RawClient(socket, app: "app")
            #expect(try client.hold(Home.publication("hello")) == nil)
            let user = try RawClient(socket, app: nil)
            try user.send(.request(ClientFrame.Request(.stop, app: "app")))
            let overview = try user.wait { frame in if case .overview(let overview) = frame { overview } else { nil } }
            #expect(overview.apps.first?.operations.isEmpty == true)
            let told = try client.wait { frame in if case .refusal(let refusal) = frame { refusal } else { nil } }
            #expect(told.id == Home.publication("hello").id)
            #expect(try client.hold(Home.publication("again"))?.contains("earshot agent stop") == true)
            try user.send(.request(ClientFrame.Request(.forget, app: "nobody")))
            let refusal = try user.wait { frame in if case .refusal(let refusal) = frame { refusal } else { nil } }
            #expect(refusal.sentence.hasPrefix("There is no app 'nobody'."))
        }
        withExtendedLifetime(agent) {}
    }

    @Test func twoAppsOfTwoProjectsDoNotSeeEachOther() async throws {
        try home.install("second")
        let agent = try home.agent(air, service)
        let socket = home.socket
        let neighbour = Home.neighbour(in: air, service, key: "other")
        let publication = try neighbour.publish(Message("theirs"))
        let events = try await onThread { () -> (AgentEvent, Int) in
            let first = try RawClient(socket, app: "app")
            #expect(try first.hold(Home.subscription()) == nil)
            let second = try RawClient(socket, app: "second")
            var order = Home.subscription()
            order.key = "other"
            #expect(try second.hold(order) == nil)
            let event = try second.event().1
            let near = try first.overview().apps.first { $0.app == "app" }?.operations.first?.nearCount
            return (event, near ?? -1)
        }
        #expect(events.0.message?.content == Data("theirs".utf8))
        #expect(events.1 == 0)
        withExtendedLifetime((agent, neighbour, publication)) {}
    }
}
