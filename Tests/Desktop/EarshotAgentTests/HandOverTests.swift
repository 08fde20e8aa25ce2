import EarshotDiscovery
import EarshotMessages
import Foundation
import MessagesTestSupport
import TestSupport
import Testing

@testable import EarshotAgent

/// An app's manager and the agent behave like one device.
@Suite(.apart, .serialized) struct HandOverTests {
    private let home: Home
    private let air = Air()
    private let service = FakeService()

    init() throws {
        home = try Home()
        try home.install("app")
    }

    /// An app with its own radio, which it needs only without the agent.
    private func app(_ change: (inout MessageManager.Configuration) -> Void = { _ in }) -> (MessageManager, AirMedium) {
        let medium = air.medium(.bluetooth)
        let device = Device(in: air, service) { configuration in
            configuration.applicationIdentifier = "app"
            configuration.media = { [medium] }
            configuration.agent = BackgroundAgent(path: home.socket)
            configuration.foreground = nil
            change(&configuration)
        }
        return (device.manager, medium)
    }

    private var background: DiscoveryStrategy {
        var strategy = DiscoveryStrategy()
        strategy.isAllowedInBackground = true
        return strategy
    }

    @Test func theAgentRunsWhatIsAllowedInTheBackground() async throws {
        let agent = try home.agent(air, service)
        let (manager, medium) = app()
        let subscription = try manager.subscribe(strategy: background)
        let events = Collected(subscription)
        #expect(await eventually { subscription.status == .active })
        let neighbour = Home.neighbour(in: air, service)
        let publication = try neighbour.publish(Message("hello"))
        #expect(await eventually { events.found.map(\.message.text) == ["hello"] })
        publication.stop()
        #expect(await eventually { events.lost.map(\.message.text) == ["hello"] })
        #expect(medium.modes.isEmpty, "the app opens no radio")
        subscription.stop()
        let state = "\(home.state)1"
        #expect(await eventually { (try? FileManager.default.contentsOfDirectory(atPath: state)) == ["lock"] })
        withExtendedLifetime((agent, manager, neighbour)) {}
    }

    @Test func withoutTheAgentTheAppRunsItAndNothingIsToldTwice() async throws {
        let first = try home.agent(air, service)
        let (manager, medium) = app()
        let problems = Collected(manager.problems)
        let subscription = try manager.subscribe(strategy: background)
        let events = Collected(subscription)
        let neighbour = Home.neighbour(in: air, service)
        let publication = try neighbour.publish(Message("hello"))
        #expect(await eventually { events.found.count == 1 })
        await first.close()
        #expect(await eventually { medium.mode == .both })
        #expect(await eventually { problems.current == [.noBackground(.bluetooth)] })
        let second = try home.agent(air, service, number: 2)
        #expect(await eventually { medium.mode.isEmpty })
        #expect(await eventually { problems.current.isEmpty && subscription.status == .active })
        await aWhile()
        #expect(events.all.count == 1, "found once, and never lost")
        publication.stop()
        #expect(await eventually { events.lost.count == 1 })
        withExtendedLifetime((second, manager, neighbour)) {}
    }

    @Test func anAppThatAsksOnlyInTheForegroundNeverReachesTheAgent() async throws {
        let agent = try home.agent(air, service)
        let (manager, medium) = app()
        let subscription = try manager.subscribe()
        #expect(await eventually { subscription.status == .active })
        #expect(medium.mode == .both)
        #expect(!home.log.all.contains { $0.contains("holds") })
        withExtendedLifetime((agent, manager)) {}
    }

    @Test func operationsOfTheForegroundEndWithItAndComeBack() async throws {
        let foreground = Foreground(interval: .milliseconds(20)) { false }
        foreground.set(true)
        let (manager, medium) = app { $0.foreground = foreground }
        let subscription = try manager.subscribe()
        #expect(await eventually { subscription.status == .active })
        foreground.set(false)
        #expect(await eventually { subscription.status == .inactive && medium.mode.isEmpty })
        foreground.set(true)
        #expect(await eventually { subscription.status == .active })
        withExtendedLifetime(manager) {}
    }

    @Test func stoppingTheManagerEndsWhatTheAgentKeeps() async throws {
        let agent = try home.agent(air, service)
        let (manager, _) = app()
        let neighbour = Home.neighbour(in: air, service)
        let finder = Collected(try neighbour.subscribe())
        let publication = try manager.publish(Message("hello"), strategy: background)
        #expect(await eventually { finder.found.count == 1 })
        await manager.stop()
        #expect(await eventually { finder.lost.count == 1 })
        let state = "\(home.state)1"
        #expect(try FileManager.default.contentsOfDirectory(atPath: state) == ["lock"])
        withExtendedLifetime((agent, neighbour, publication)) {}
    }
}
