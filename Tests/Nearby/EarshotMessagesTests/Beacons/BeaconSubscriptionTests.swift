import EarshotDiscovery
import Foundation
import MessagesTestSupport
import NearbyWire
import TestSupport
import Testing

@testable import EarshotMessages

/// Subscriptions to beacons, with a simulated radio and a service in memory.
@Suite(.apart) struct BeaconSubscriptionTests {
    private let air = Air()
    private let beacons = BeaconAir()
    private let iBeacon = BeaconIdentifier.iBeacon(uuid: [UInt8](repeating: 1, count: 16), major: 2, minor: 3)

    private func device(
        _ service: FakeService, permission: any PermissionGate = AlwaysGranted(),
        _ change: (inout MessageManager.Configuration) -> Void = { _ in }
    ) -> Device {
        Device(in: air, service, permission: permission) { configuration in
            configuration.beacons = { [beacons] in beacons }
            change(&configuration)
        }
    }

    @Test func foundWhenHeardAndLostWhenNot() async throws {
        let service = FakeService()
        service.attach(Message("hello", type: "greeting"), to: .numbered(1))
        let device = device(service)
        let subscription = try device.manager.subscribe(beacons: BeaconStrategy())
        let events = Collected(subscription)
        #expect(await eventually { subscription.status == .active })
        await aWhile()
        #expect(events.all.isEmpty)
        beacons.add(.numbered(1))
        #expect(await eventually { events.found.count == 1 })
        let found = try #require(events.found.first)
        #expect(found.message == Message("hello", type: "greeting") && found.isAuthenticated)
        beacons.remove(.numbered(1))
        #expect(await eventually { events.lost == [found] })
        beacons.add(.numbered(1))
        #expect(await eventually { events.found.count == 2 })
        // The device opens no sound, and registers nothing.
        #expect(device.medium.modes.isEmpty && service.things.isEmpty)
        subscription.stop()
        #expect(await eventually { beacons.openCount == 0 })
    }

    @Test func anUnknownBeaconIsAskedAboutOnce() async throws {
        let service = FakeService()
        let device = device(service)
        beacons.add(.numbered(1))
        let subscription = try device.manager.subscribe(beacons: BeaconStrategy())
        #expect(await eventually { service.lookedUp.count == 1 })
        beacons.add(.numbered(2))
        #expect(await eventually { service.lookedUp.count == 2 })
        let second = try device.manager.subscribe(beacons: BeaconStrategy())
        await aWhile()
        #expect(service.lookedUp == [.numbered(1), .numbered(2)])
        #expect(await eventually { subscription.status == .active && second.status == .active })
    }

    @Test func answersAreRefreshed() async throws {
        let service = FakeService()
        let device = device(service) { $0.internals.pace.attachmentMemory = .milliseconds(200) }
        beacons.add(.numbered(1))
        let events = Collected(try device.manager.subscribe(beacons: BeaconStrategy()))
        #expect(await eventually { !service.lookedUp.isEmpty })
        service.attach(Message("late"), to: .numbered(1))
        #expect(await eventually { events.found.count == 1 })
        service.detachAll(from: .numbered(1))
        #expect(await eventually { events.lost.count == 1 })
    }

    @Test func oneMessageAtTwoBeacons() async throws {
        let service = FakeService()
        for number in 1...2 {
            service.attach(Message("at both"), to: .numbered(number))
            service.attach(Message("at \(number)"), to: .numbered(number))
        }
        let device = device(service)
        let events = Collected(try device.manager.subscribe(beacons: BeaconStrategy()))
        beacons.add(.numbered(1))
        #expect(await eventually { Set(events.found.map(\.message.text)) == ["at both", "at 1"] })
        beacons.add(.numbered(2))
        #expect(await eventually { events.found.count == 3 })
        beacons.remove(.numbered(1))
        // All messages that end with a beacon end at once.
        #expect(await eventually { events.lost.map(\.message.text) == ["at 1"] })
        beacons.remove(.numbered(2))
        #expect(await eventually { events.lost.count == 3 })
        #expect(Set(events.lost.map(\.message.text)) == ["at both", "at 1", "at 2"] && events.found.count == 3)
    }

    @Test func filters() async throws {
        let service = FakeService()
        service.attach(Message("own"), to: .numbered(1))
        service.attach(Message("typed", type: "t", namespace: "n"), to: .numbered(1))
        service.attach(Message("public", namespace: "p"), to: .numbered(2), project: "other", isPublic: true)
        service.attach(Message("private", namespace: "q"), to: .numbered(2), project: "other")
        let device = device(service)
        let all = Collected(try device.manager.subscribe(beacons: BeaconStrategy()))
        let typed = Collected(try device.manager.subscribe(type: "t", beacons: BeaconStrategy()))
        let named = Collected(try device.manager.subscribe(namespace: "n", beacons: BeaconStrategy()))
        let foreign = Collected(try device.manager.subscribe(namespace: "p", beacons: BeaconStrategy()))
        let hidden = Collected(try device.manager.subscribe(namespace: "q", beacons: BeaconStrategy()))
        for number in 1...2 { beacons.add(.numbered(number)) }
        #expect(await eventually { all.found.count == 2 && foreign.found.count == 1 })
        #expect(await eventually { typed.found.count == 1 && named.found.count == 1 })
        #expect(Set(all.found.map(\.message.text)) == ["own", "typed"])
        #expect(typed.found.first?.message.text == "typed" && named.found.first?.message.text == "typed")
        #expect(foreign.found.first?.message.text == "public" && hidden.all.isEmpty)
        #expect(beacons.scans.count == 1, "one scan serves all")
    }

    @Test func bothKindsAtOnce() async throws {
        let service = FakeService()
        service.attach(Message("at a beacon"), to: .numbered(1))
        beacons.add(.numbered(1))
        let (device, other) = (device(service), Device(in: air, service))
        let publication = try other.manager.publish(Message("of a device"))
        let subscription = try device.manager.subscribe(beacons: BeaconStrategy(), strategy: DiscoveryStrategy())
        let events = Collected(subscription)
        #expect(await eventually { events.found.count == 2 })
        #expect(Set(events.found.map(\.message.text)) == ["at a beacon", "of a device"])
        #expect(await eventually { subscription.status == .active && device.medium.mode == .both })
        publication.stop()
        #expect(await eventually { events.lost.map(\.message.text) == ["of a device"] })
        beacons.remove(.numbered(1))
        #expect(await eventually { events.lost.count == 2 })
    }

    @Test func aServiceThatIsAwayIsAskedLater() async throws {
        let service = FakeService()
        service.attach(Message("hello"), to: .numbered(1))
        service.set(.down)
        let device = device(service)
        let problems = Collected(device.manager.problems)
        beacons.add(.numbered(1))
        let subscription = try device.manager.subscribe(beacons: BeaconStrategy())
        let events = Collected(subscription)
        #expect(await eventually { problems.current == [.serviceUnreachable] })
        #expect(subscription.status == .starting)
        service.set(.well)
        #expect(await eventually { events.found.count == 1 && problems.current.isEmpty })
        #expect(await eventually { subscription.status == .active })
        // The message stays while the service is away, and after it lost its sessions.
        service.set(.down)
        beacons.add(.numbered(2))
        #expect(await eventually { problems.current == [.serviceUnreachable] })
        service.restart(forgetting: true)
        service.set(.well)
        #expect(await eventually { service.lookedUp.contains(.numbered(2)) && problems.current.isEmpty })
        #expect(await eventually { events.all.count == 1 && subscription.status == .active })
    }

    @Test func anInvalidKeyIsAProblemWithoutAnyBeacon() async throws {
        let device = Device(in: air, FakeService(), key: "wrong") { [beacons] configuration in
            configuration.beacons = { beacons }
        }
        let problems = Collected(device.manager.problems)
        let subscription = try device.manager.subscribe(beacons: BeaconStrategy())
        #expect(await eventually { problems.current == [.serviceRefusing(code: "bad_key")] })
        #expect(subscription.status == .starting)
    }

    @Test func scansFollowTheStrategies() async throws {
        let service = FakeService()
        service.attach(Message("i"), to: iBeacon)
        service.attach(Message("e"), to: .numbered(1))
        for beacon in [iBeacon, .numbered(1)] { beacons.add(beacon) }
        let device = device(service)
        var thrifty = BeaconStrategy()
        thrifty.includesIBeacons = false
        let few = Collected(try device.manager.subscribe(beacons: thrifty))
        #expect(await eventually { few.found.count == 1 })
        #expect(beacons.scans == [BeaconScan(includesIBeacons: false, prefersLowPower: true)])
        #expect(service.lookedUp == [.numbered(1)], "iBeacons are not even asked about")
        var full: Subscription? = try device.manager.subscribe(beacons: BeaconStrategy())
        let all = try Collected(#require(full))
        #expect(await eventually { all.found.count == 2 })
        #expect(beacons.scans.last == BeaconScan(includesIBeacons: true, prefersLowPower: false))
        #expect(few.all.count == 1 && beacons.openCount == 2)
        full?.stop()
        full = nil
        #expect(await eventually { beacons.openCount == 1 })
    }

    @Test func problemsOfTheRadio() async throws {
        let device = device(FakeService())
        let problems = Collected(device.manager.problems)
        var strategy = BeaconStrategy()
        strategy.isAllowedInBackground = true
        let subscription = try device.manager.subscribe(beacons: strategy)
        #expect(await eventually { problems.current == [.noBackground(.bluetooth)] })
        #expect(await eventually { subscription.status == .active })
        beacons.report(.problem(.bluetoothOff, detail: "it is off"))
        #expect(await eventually { problems.current.contains(.medium(.bluetoothOff, .bluetooth)) })
        #expect(problems.all.last?.detail == "it is off")
        beacons.report(.solved(.bluetoothOff))
        #expect(await eventually { problems.current == [.noBackground(.bluetooth)] })
        beacons.report(.problem(.bluetoothOff))
        subscription.stop()
        #expect(await eventually { problems.current.isEmpty })
    }

    @Test func withoutARadio() async throws {
        let device = Device(in: air, FakeService())
        let problems = Collected(device.manager.problems)
        let subscription = try device.manager.subscribe(beacons: BeaconStrategy())
        #expect(await eventually { problems.current == [.unsupportedMedium(.bluetooth)] })
        #expect(subscription.status == .inactive)
        // A subscription to beacons and devices still finds devices.
        let mixed = try device.manager.subscribe(beacons: BeaconStrategy(), strategy: DiscoveryStrategy())
        #expect(await eventually { mixed.status == .active })
    }

    @Test func nothingIsOpenedWithoutConsent() async throws {
        let gate = ScriptedGate()
        let device = device(FakeService(), permission: gate)
        let subscription = try device.manager.subscribe(beacons: BeaconStrategy())
        var thrifty = BeaconStrategy()
        thrifty.includesIBeacons = false
        let second = try device.manager.subscribe(beacons: thrifty, strategy: DiscoveryStrategy())
        #expect(await eventually { gate.purposes.count == 2 })
        await aWhile()
        #expect(beacons.scans.isEmpty && subscription.status == .inactive && second.status == .inactive)
        let alone = try #require(gate.purposes.first { $0.findsBeacons })
        #expect(alone.needsLocation && alone.media == [.bluetooth] && alone.mode == .scan)
        let both = try #require(gate.purposes.first { !$0.findsBeacons })
        #expect(!both.needsLocation && both.media == nil && both.mode == .both)
        gate.decide(.granted)
        #expect(await eventually { beacons.openCount == 2 })
        gate.decide(.denied)
        #expect(await eventually { beacons.openCount == 0 })
        #expect(subscription.status == .inactive)
    }

    @Test func limitsOfTheFilter() throws {
        let manager = device(FakeService()).manager
        let long = String(repeating: "t", count: 101)
        #expect(throws: MessageError.beaconTypeTooLong(101)) {
            try manager.subscribe(type: long, beacons: BeaconStrategy())
        }
        #expect(throws: MessageError.namespaceTooLong(101)) {
            try manager.subscribe(namespace: long, beacons: BeaconStrategy())
        }
        // The types of devices' messages must be shorter.
        let medium = String(repeating: "t", count: 33)
        _ = try manager.subscribe(type: medium, beacons: BeaconStrategy())
        #expect(throws: MessageError.typeTooLong(33)) {
            try manager.subscribe(type: medium, beacons: BeaconStrategy(), strategy: DiscoveryStrategy())
        }
    }

    @Test func stoppingClosesTheRadio() async throws {
        let device = device(FakeService())
        let subscription = try device.manager.subscribe(beacons: BeaconStrategy())
        #expect(await eventually { beacons.openCount == 1 })
        await device.manager.stop(within: .seconds(30))
        #expect(beacons.openCount == 0 && subscription.status == .inactive)
    }
}
