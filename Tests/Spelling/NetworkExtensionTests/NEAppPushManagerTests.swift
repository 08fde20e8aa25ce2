import EarshotPush
import Foundation
import MessagesTestSupport
import NetworkExtension
import TestSupport
import Testing

@MainActor @Suite(.apart, .serialized) struct NEAppPushManagerTests {
    private let app: App

    init() throws { app = try App() }

    @Test func everyValueIsSavedAndLoaded() async throws {
        let manager = app.manager()
        manager.matchSSIDs = ["Ship", "Größe"]
        manager.matchEthernet = true
        let network = NEPrivateLTENetwork()
        (network.mobileCountryCode, network.mobileNetworkCode, network.trackingAreaCode) = ("310", "410", "1A")
        manager.matchPrivateLTENetworks = [network]
        manager.providerConfiguration = ["host": "ship.example.com", "ports": [3_000, 5_060], "nested": ["tls": true]]
        manager.localizedDescription = "Ship"
        try await manager.saveToPreferences()
        let loaded = try #require(try await app.all().first)
        #expect(loaded !== manager && loaded.matchSSIDs == ["Ship", "Größe"] && loaded.matchEthernet)
        #expect(loaded.matchPrivateLTENetworks.first?.trackingAreaCode == "1A")
        #expect(loaded.providerConfiguration["ports"] as? [Int] == [3_000, 5_060])
        #expect((loaded.providerConfiguration["nested"] as? [String: Any])?["tls"] as? Bool == true)
        #expect(loaded.isEnabled && loaded.localizedDescription == "Ship" && !loaded.isActive)
        #expect(loaded.providerBundleIdentifier == "org.example.Provider")
        try await loaded.removeFromPreferences()
        #expect(try await app.all().isEmpty)
    }

    @Test func namesThatAreNotUTF8AreBytes() async throws {
        let manager = app.manager()
        manager.matchSSIDBytes = [[0xFF, 0x00], Array("Ship".utf8)]
        try await manager.saveToPreferences()
        let loaded = try #require(try await app.all().first)
        #expect(loaded.matchSSIDBytes == [[0xFF, 0x00], Array("Ship".utf8)] && loaded.matchSSIDs == ["Ship"])
    }

    private func error(_ change: (NEAppPushManager) -> Void) async -> NEAppPushManagerError? {
        let manager = app.manager()
        change(manager)
        do { try await manager.saveToPreferences() } catch { return error as? NEAppPushManagerError }
        return nil
    }

    @Test func whatIsInvalidIsNotSavedAndSaid() async throws {
        let eleven = await error { $0.matchSSIDs = (0..<11).map { "Ship \($0)" } }
        #expect(
            eleven?.code == .configurationInvalid && eleven?.localizedDescription.contains("the maximum is 10") == true)
        #expect(await error { $0.matchSSIDs = [""] }?.code == .configurationInvalid)
        #expect(
            await error { $0.matchSSIDs = [String(repeating: "ä", count: 17)] }?.description.contains("34 bytes")
                == true)
        #expect(await error { $0.matchSSIDs = [String(repeating: "ä", count: 16)] } == nil)
        let wrong = await error { $0.providerConfiguration = ["servers": [["url": URL(filePath: "/")]]] }
        #expect(wrong?.description.contains("providerConfiguration.servers[0].url") == true)
        #expect((wrong.map { $0 as NSError })?.domain == NEAppPushErrorDomain && wrong?.errorCode == 1)
        let repaired = app.manager()
        repaired.providerConfiguration = ["x": URL(filePath: "/")]
        #expect(repaired.providerConfiguration["x"] is URL, "what was set is read")
        repaired.providerConfiguration = ["x": "/"]
        try await repaired.saveToPreferences()
    }

    @Test func whatWasNeverSavedIsNotLoaded() async throws {
        let manager = app.manager()
        await #expect(throws: NEAppPushManagerError(.configurationNotLoaded)) {
            try await manager.loadFromPreferences()
        }
        do {
            try await manager.removeFromPreferences()
            Issue.record("removed nothing")
        } catch NEAppPushManagerError.configurationNotLoaded {
        }
        try await manager.saveToPreferences()
        try await manager.removeFromPreferences()
        await #expect(throws: NEAppPushManagerError(.configurationNotLoaded)) {
            try await manager.loadFromPreferences()
        }
    }

    @Test func aFolderThatCannotBeUsedIsAnError() async throws {
        try app.scratch.write("", to: "push")
        let manager = app.manager()
        await #expect(throws: NEAppPushManagerError(.internalError)) { try await manager.saveToPreferences() }
    }

    @Test func anOverlapSwitchesTheOlderOff() async throws {
        let other = try App("other", scratch: app.scratch)
        let old = app.manager()
        try await old.saveToPreferences()
        try await other.manager().saveToPreferences()
        #expect(old.isEnabled, "known after the next load")
        try await old.loadFromPreferences()
        #expect(!old.isEnabled)
        #expect(try await other.all().map(\.isEnabled) == [true])
        #expect(try await app.all().count == 1, "each app sees its own")
    }

    @Test func handlersAreCalledOnceOnTheMainQueue() async {
        let manager = app.manager()
        let error: (any Error)? = await withCheckedContinuation { continuation in
            manager.saveToPreferences { error in
                dispatchPrecondition(condition: .onQueue(.main))
                continuation.resume(returning: error)
            }
        }
        #expect(error == nil)
        let counts: (Int, Int) = await withCheckedContinuation { continuation in
            PushSystem.$replacement.withValue(app.system) {
                NEAppPushManager.loadAllFromPreferences { (managers, _) in
                    var count = 0
                    for _ in managers { count += 1 }
                    continuation.resume(returning: (count, count))
                }
            }
        }
        #expect(counts.0 == 1)
    }

    /// Watchers that begin while the state changes receive the latest state last.
    @Test func nobodyIsToldAnOldStateAfterANewOne() async throws {
        let agent = app.agent()
        let manager = app.manager()
        try await manager.saveToPreferences()
        let identifier = try #require(app.store.load().configurations.first?.identifier)
        var all: [Collected<Bool>] = []
        for round in 0..<300 {
            agent.setActive(round.isMultiple(of: 2) ? [identifier] : [])
            all.append(Collected(manager.activeStates))
        }
        agent.setActive([identifier])
        let watching = all
        #expect(await eventually { watching.allSatisfy { $0.all.last == true } })
    }

    @Test func activeIsWhatTheAgentSays() async throws {
        let agent = app.agent()
        let manager = app.manager()
        try await manager.saveToPreferences()
        let states = Collected(manager.activeStates)
        var observed: [Bool] = []
        let observation = manager.observeActive { observed.append($0) }
        let identifier = try #require(app.store.load().configurations.first?.identifier)
        // A watcher that begins late gets only the current state.
        #expect(await eventually { states.all == [false] && observed == [false] })
        agent.setActive([identifier])
        #expect(await eventually { manager.isActive && states.all == [false, true] && observed == [false, true] })
        let loaded = try await app.all()
        #expect(loaded.first?.isActive == true, "known as soon as it is loaded")
        agent.setActive(["other"])
        #expect(await eventually { !manager.isActive && states.all == [false, true, false] })
        agent.setActive([identifier])
        #expect(await eventually { manager.isActive })
        agent.close()
        #expect(await eventually { !manager.isActive })
        withExtendedLifetime(observation) {}
    }
}
