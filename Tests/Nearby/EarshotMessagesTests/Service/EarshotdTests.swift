import EarshotCoding
import EarshotDiscovery
import Foundation
import MessagesTestSupport
import NearbyWire
import TestSupport
import Testing

@testable import EarshotMessages

private func device(in air: Air, _ daemon: Daemon, key: String) -> Device {
    Device(in: air, FakeService(), key: key) { configuration in
        configuration.internals.service = nil
        configuration.serviceURL = daemon.url
    }
}

/// Tests the client with the real service over TLS, which buffers otherwise than a plain connection.
@Suite(
    .apart,
    .enabled(
        if: Daemon.program != nil && Daemon.certificateFolder != nil, "Tests/Support/trusting.sh sets EARSHOT_TLS"),
    .serialized)
struct EarshotdTLSTests {
    /// An answer to HEAD with a body once reached the reader of events as the answer to its next request.
    @Test(arguments: [false, true]) func foundAndLost(isOpen: Bool) async throws {
        let (air, daemon) = (Air(), try Daemon(isOpen: isOpen, hasTLS: true))
        #expect(daemon.url.scheme == "https")
        let key = try daemon.key()
        let (one, other) = (device(in: air, daemon, key: key), device(in: air, daemon, key: key))
        let events = Collected(try other.manager.subscribe())
        let publication = try one.manager.publish(Message("hello"))
        #expect(await eventually { events.found.map(\.message.text) == ["hello"] })
        publication.stop()
        #expect(await eventually { events.lost.map(\.message.text) == ["hello"] })
    }

    /// The certificate is for localhost.
    @Test func anotherNameIsAProblem() async throws {
        let (air, daemon) = (Air(), try Daemon(hasTLS: true))
        let key = try daemon.key()
        let one = Device(in: air, FakeService(), key: key) { configuration in
            configuration.internals.service = nil
            configuration.serviceURL = daemon.numericURL
        }
        let problems = Collected(one.manager.problems)
        let subscription = try one.manager.subscribe()
        #expect(await eventually { problems.current == [.serviceUnreachable] })
        #expect(problems.all.contains { $0.detail.contains("its certificate is not trusted") }, "\(problems.all)")
        #expect(subscription.status == .starting)
    }
}

/// Tests the client with the real service where a service in memory is not enough.
@Suite(.apart, .enabled(if: Daemon.program != nil, "'make test-server' sets EARSHOTD"), .serialized)
struct EarshotdTests {
    @Test(arguments: [false, true]) func foundAndLostWithAHundredKibibytes(isOpen: Bool) async throws {
        let (air, daemon) = (Air(), try Daemon(isOpen: isOpen))
        let key = try daemon.key()
        let (one, other) = (device(in: air, daemon, key: key), device(in: air, daemon, key: try daemon.key()))
        let stranger = device(in: air, daemon, key: try daemon.key(project: "other"))
        let events = Collected(try other.manager.subscribe(namespace: "räume", type: "🎉"))
        let strange = Collected(try stranger.manager.subscribe(namespace: "räume", type: "🎉"))
        let message = Message(
            content: Data((0..<Message.maximumContentCount).map { UInt8(truncatingIfNeeded: $0 &* 7) }), type: "🎉",
            namespace: "räume")
        let publication = try one.manager.publish(message)
        #expect(await eventually { events.found.count == 1 })
        #expect(events.found.first?.message == message)
        #expect(await eventually { publication.status == .active })
        publication.stop()
        #expect(await eventually { events.lost.count == 1 })
        let again = try one.manager.publish(message)
        #expect(await eventually { events.found.count == 2 })
        await one.manager.stop(within: .seconds(30))
        #expect(await eventually { events.lost.count == 2 })
        #expect(again.status == .inactive && strange.all.isEmpty)
    }

    /// One device only broadcasts, the other only scans. In a sealed project the publisher that scans sends its key to the service.
    @Test(arguments: [false, true], [false, true]) func `one direction is enough`(
        isOpen: Bool, publisherScans: Bool
    ) async throws {
        let (air, daemon) = (Air(), try Daemon(isOpen: isOpen))
        let key = try daemon.key()
        let (one, other) = (device(in: air, daemon, key: key), device(in: air, daemon, key: key))
        var (strategy, others) = (DiscoveryStrategy(), DiscoveryStrategy())
        (strategy.mode, others.mode) = publisherScans ? (.scan, .broadcast) : (.broadcast, .scan)
        let events = Collected(try other.manager.subscribe(strategy: others))
        let first = try one.manager.publish(Message("one"), strategy: strategy)
        #expect(await eventually { events.found.map(\.message.text) == ["one"] })
        // The publisher already hears the subscriber.
        let second = try one.manager.publish(Message("two"), strategy: strategy)
        #expect(await eventually { events.found.map(\.message.text) == ["one", "two"] })
        first.stop()
        #expect(await eventually { events.lost.map(\.message.text) == ["one"] })
        second.stop()
        #expect(await eventually { events.lost.map(\.message.text) == ["one", "two"] })
    }

    @Test(arguments: [false, true]) func `a stolen database tells messages of an open project alone`(
        isOpen: Bool
    ) async throws {
        let (air, daemon) = (Air(), try Daemon(isOpen: isOpen))
        let key = try daemon.key()
        let (one, other) = (device(in: air, daemon, key: key), device(in: air, daemon, key: key))
        let events = Collected(try other.manager.subscribe(namespace: "a namespace", type: "a type"))
        let message = Message("the content", type: "a type", namespace: "a namespace")
        let publication = try one.manager.publish(message)
        #expect(await eventually { events.found.first?.message == message })
        daemon.kill()
        let database = try daemon.databaseBytes
        for text in ["the content", "a type", "a namespace"] {
            #expect((database.range(of: Data(text.utf8)) != nil) == isOpen, "\(text)")
        }
        let tokens = one.medium.tokens + other.medium.tokens
        #expect(!tokens.isEmpty)
        for token in tokens { #expect((database.range(of: Data(token.bytes)) != nil) == isOpen) }
        publication.stop()
    }

    @Test func bothSidesRecoverFromAKilledService() async throws {
        let (air, daemon) = (Air(), try Daemon())
        let key = try daemon.key()
        let (one, other) = (device(in: air, daemon, key: key), device(in: air, daemon, key: key))
        let problems = Collected(other.manager.problems)
        let events = Collected(try other.manager.subscribe())
        let publication = try one.manager.publish(Message("hello"))
        #expect(await eventually { events.found.count == 1 })
        for _ in 0..<3 {
            daemon.kill()
            #expect(await eventually { problems.current.contains(.serviceUnreachable) })
            try daemon.start()
            #expect(await eventually { problems.current.isEmpty })
        }
        #expect(events.all.count == 1, "neither lost nor found again")
        let next = try one.manager.publish(Message("next"))
        #expect(await eventually { events.found.count == 2 })
        daemon.kill()
        publication.stop()
        try await Task.sleep(for: .milliseconds(300))
        try daemon.start()
        #expect(await eventually { events.lost.count == 1 })
        #expect(events.lost.first?.message.text == "hello")
        #expect(await eventually { next.status == .active })
    }

    /// The service counts a device as gone after 15 s without a report. A device that stays near gives signs of life.
    @Test func devicesThatStayNearAreNotLost() async throws {
        let (air, daemon) = (Air(), try Daemon())
        let key = try daemon.key()
        let (one, other) = (device(in: air, daemon, key: key), device(in: air, daemon, key: key))
        let events = Collected(try other.manager.subscribe())
        let publication = try one.manager.publish(Message("hello"))
        #expect(await eventually { events.found.count == 1 })
        try await Task.sleep(for: .seconds(18))
        #expect(events.all.count == 1, "neither lost nor found again")
        #expect(await eventually { publication.status == .active })
    }

    @Test func aMessagePublishedBeforeTheServiceRunsIsFoundLater() async throws {
        let (air, daemon) = (Air(), try Daemon())
        let key = try daemon.key()
        daemon.kill()
        let (one, other) = (device(in: air, daemon, key: key), device(in: air, daemon, key: key))
        let publication = try one.manager.publish(Message("hello"))
        let events = Collected(try other.manager.subscribe())
        let problems = Collected(one.manager.problems)
        #expect(await eventually { problems.current == [.serviceUnreachable] })
        #expect(publication.status == .starting)
        try daemon.start()
        #expect(await eventually { events.found.count == 1 && problems.current.isEmpty })
    }

    /// From an empty database to the messages of an Eddystone and an iBeacon.
    @Test func messagesOfBeacons() async throws {
        let (air, beacons, daemon) = (Air(), BeaconAir(), try Daemon())
        let eddystone = BeaconIdentifier.numbered(1)
        let iBeacon = BeaconIdentifier.iBeacon(uuid: [UInt8](repeating: 1, count: 16), major: 2, minor: 3)
        for beacon in [eddystone, iBeacon] {
            _ = try daemon.administer(["beacon", "register", "demo", beacon.text])
            beacons.add(beacon)
        }
        _ = try daemon.administer(["beacon", "attach", eddystone.text, "--text", "at the door", "--type", "greeting"])
        _ = try daemon.administer(["beacon", "attach", iBeacon.text, "--text", "at the till"])
        for name in ["open", "closed"] {
            _ = try daemon.administer(["namespace", "create", "demo", name])
            _ = try daemon.administer(["beacon", "attach", iBeacon.text, "--text", name, "--namespace", name])
        }
        _ = try daemon.administer(["namespace", "publish", "open"])

        func device(_ project: String) throws -> Device {
            Device(in: air, FakeService(), key: try daemon.key(project: project)) { configuration in
                configuration.internals.service = nil
                configuration.serviceURL = daemon.url
                configuration.beacons = { beacons }
                configuration.internals.pace.attachmentMemory = .seconds(2)
            }
        }
        let (own, stranger) = (try device("demo"), try device("other"))
        let events = Collected(try own.manager.subscribe(beacons: BeaconStrategy()))
        let typed = Collected(try own.manager.subscribe(type: "greeting", beacons: BeaconStrategy()))
        let foreign = try stranger.manager.subscribe(beacons: BeaconStrategy())
        let (nothing, hidden) = (
            Collected(foreign),
            Collected(try stranger.manager.subscribe(namespace: "closed", beacons: BeaconStrategy()))
        )
        let open = Collected(try stranger.manager.subscribe(namespace: "open", beacons: BeaconStrategy()))
        #expect(await eventually { events.found.count == 4 && typed.found.count == 1 && open.found.count == 1 })
        #expect(Set(events.found.map(\.message.text)) == ["at the door", "at the till", "open", "closed"])
        #expect(typed.found.first?.message == Message("at the door", type: "greeting"))
        #expect(open.found.first?.message == Message("open", namespace: "open"))

        // An outage of the service changes nothing; the removal of a beacon does.
        daemon.kill()
        let problems = Collected(own.manager.problems)
        #expect(await eventually { problems.current.contains(.serviceUnreachable) })
        try daemon.start()
        #expect(await eventually { problems.current.isEmpty })
        #expect(events.all.count == 4)
        _ = try daemon.administer(["beacon", "remove", eddystone.text])
        #expect(await eventually { typed.lost.count == 1 && events.lost.count == 1 })
        beacons.remove(iBeacon)
        #expect(await eventually { events.lost.count == 4 })
        #expect(await eventually { nothing.all.isEmpty && hidden.all.isEmpty && foreign.status == .active })
    }

    @Test func anOwnersKeyIsNotForApps() async throws {
        let (air, daemon) = (Air(), try Daemon())
        let one = device(in: air, daemon, key: try daemon.administer(["key", "create", "demo", "--owner"]))
        let problems = Collected(one.manager.problems)
        let subscription = try one.manager.subscribe()
        #expect(await eventually { problems.current == [.serviceRefusing(code: "not_device_key")] })
        #expect(problems.all.contains { $0.detail.contains("without --owner") }, "\(problems.all)")
        #expect(subscription.status == .starting)
    }

    @Test func aRevokedKeyIsAProblem() async throws {
        let (air, daemon) = (Air(), try Daemon())
        let one = device(in: air, daemon, key: try daemon.key())
        let problems = Collected(one.manager.problems)
        let subscription = try one.manager.subscribe()
        #expect(await eventually { subscription.status == .active })
        try daemon.revokeAllKeys()
        // The stream ends at its next comment, at most 15 s later.
        #expect(await eventually(within: .seconds(60)) { problems.current.contains(.serviceRefusing(code: "bad_key")) })
        #expect(subscription.status == .starting)
    }
}
