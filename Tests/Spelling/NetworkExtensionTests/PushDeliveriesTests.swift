import EarshotPush
import Foundation
import MessagesTestSupport
import NearbyWire
import NetworkExtension
import TestSupport
import Testing

/// The delivery of calls from the agent to the delegates.
@MainActor @Suite(.apart, .serialized) struct PushDeliveriesTests {
    private let app: App
    private let agent: FakeAgent

    init() throws {
        app = try App()
        agent = app.agent()
    }

    private func saved(_ ssid: String) async throws -> (NEAppPushManager, String) {
        let manager = app.manager(ssid)
        try await manager.saveToPreferences()
        return (manager, try #require(app.store.load().configurations.first?.identifier))
    }

    @Test func aCallReachesTheDelegateOfItsManagerOnce() async throws {
        let (first, firstName) = try await saved("Ship")
        let (second, secondName) = try await saved("Camp")
        let listeners = (Listener(), Listener())
        first.delegate = listeners.0
        second.delegate = listeners.1
        agent.report("1", secondName, .dictionary(["call": .integer(7), "data": .data(Data([1]))]))
        agent.report("1", secondName, .dictionary(["call": .integer(7)]))
        agent.report("2", firstName, .dictionary([:]))
        // The repeated report is acknowledged again if the first was handled before it came.
        #expect(await eventually { Set(agent.taken) == ["1", "2"] })
        #expect(listeners.0.calls.count == 1 && listeners.1.calls.count == 1)
        #expect(listeners.1.calls.first?.manager === second)
        #expect(listeners.1.calls.first?.userInfo["call"] as? Int == 7)
        #expect(listeners.1.calls.first?.userInfo["data"] as? Data == Data([1]))
    }

    @Test func callsWaitForADelegateThatIsSetLater() async throws {
        let (manager, name) = try await saved("Ship")
        for number in 0..<10 { agent.report("\(number)", name, .dictionary(["call": .integer(Int64(number))])) }
        await aWhile()
        #expect(agent.taken.isEmpty, "no delegate has them yet")
        let listener = Listener()
        manager.delegate = listener
        #expect(await eventually { agent.taken.count == 10 })
        #expect(listener.calls.map { $0.userInfo["call"] as? Int } == (0..<10).map { $0 })
    }

    /// As in the printed example, the app holds only the delegate, not the manager.
    @Test func aManagerWithADelegateNeedNotBeKept() async throws {
        let (_, name) = try await saved("Ship")
        let listener = Listener()
        for manager in try await app.all() { manager.delegate = listener }
        agent.report("1", name, .dictionary([:]))
        #expect(await eventually { listener.calls.count == 1 })
    }

    @Test func aDelegateThatIsGoneGetsNothingAndTheNextOneAll() async throws {
        let (manager, name) = try await saved("Ship")
        do {
            let listener = Listener()
            manager.delegate = listener
            #expect(manager.delegate === listener)
        }
        #expect(manager.delegate == nil, "it is not kept")
        agent.report("1", name, .dictionary([:]))
        await aWhile()
        #expect(agent.taken.isEmpty)
        let listener = Listener()
        manager.delegate = listener
        #expect(await eventually { agent.taken == ["1"] })
        manager.delegate = nil
        agent.report("2", name, .dictionary([:]))
        await aWhile()
        #expect(listener.calls.count == 1)
    }

    @Test func anAgentThatForgotIsToldAgain() async throws {
        let (manager, name) = try await saved("Ship")
        let listener = Listener()
        manager.delegate = listener
        agent.report("1", name, .dictionary([:]))
        #expect(await eventually { agent.taken == ["1"] })
        agent.close()
        let second = app.agent()
        #expect(await eventually { second.watches.first?.taken == ["1"] })
        second.report("1", name, .dictionary([:]))
        #expect(await eventually { second.taken == ["1"] })
        #expect(listener.calls.count == 1)
    }

    @Test func otherEventsHaveTheirOwnMethods() async throws {
        let (manager, name) = try await saved("Ship")
        let listener = Listener()
        manager.delegate = listener
        agent.report("1", name, .dictionary(["text": .string("hello")]), .talk)
        let click: [String: PropertyList] = ["identifier": .string("i"), "title": .string("t"), "body": .string("b")]
        agent.report("2", name, .dictionary(click), .click)
        #expect(await eventually { listener.others == ["talk hello", "click i t b"] })
        #expect(listener.calls.isEmpty)
    }
}
