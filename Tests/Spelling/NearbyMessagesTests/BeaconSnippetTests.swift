import EarshotDiscovery
import EarshotMessages
import Foundation
import MessagesTestSupport
import NearbyMessages
import NearbyWire
import TestSupport
import Testing

/// Snippets 13 to 17: messages of beacons.
@MainActor @Suite(.apart) struct BeaconSnippetTests {
    private let air = Air()
    private let service = FakeServiceUnderTest()
    private let eddystone = BeaconIdentifier.eddystone(
        namespace: [UInt8](repeating: 1, count: 10), instance: [UInt8](repeating: 2, count: 6))
    private let iBeacon = BeaconIdentifier.iBeacon(uuid: [UInt8](repeating: 3, count: 16), major: 1, minor: 2)
    private let found = Calls<GNSMessage?>()
    private let lost = Calls<GNSMessage?>()
    private let end = "[a]llow, [d]eny, [l]earn more? "

    private func manager(_ device: GNSDevice) -> GNSMessageManager {
        device.run { GNSMessageManager(apiKey: service.key) }
    }

    @Test func `13 all messages of the project's own beacons are found, and lost with the beacon`() async throws {
        let device = try GNSDevice(in: air, service, location: .granted, beacons: BeaconAir())
        service.fake.attach(Message("room 1", type: "room", namespace: "museum"), to: eddystone)
        service.fake.attach(Message("hall"), to: iBeacon)
        service.fake.attach(Message("theirs"), to: iBeacon, project: "another")
        let manager = manager(device)
        let subscription = device.run {
            Snippets.subscribeToBeacons(manager, found: { found.add($0) }, lost: { lost.add($0) })
        }
        for beacon in [eddystone, iBeacon] { device.beacons.add(beacon) }
        #expect(await eventually { Set(found.texts) == ["room 1", "hall"] })
        // iBeacons are included by default, so low power is ignored.
        #expect(device.beacons.openScans.map { [$0.includesIBeacons, $0.usesLowPower] } == [[true, false]])
        #expect(device.medium.modes == [], "beacons alone open no microphone")
        await aWhile()
        #expect(Set(found.texts) == ["room 1", "hall"], "none of another project")
        device.beacons.remove(eddystone)
        // On a busy machine, any beacon may be lost and found again meanwhile.
        func rooms(_ calls: Calls<GNSMessage?>) -> [GNSMessage?] {
            calls.all.filter { $0?.content == Data("room 1".utf8) }
        }
        #expect(await eventually { !rooms(lost).isEmpty && rooms(lost).count == rooms(found).count })
        let object = rooms(found).last ?? nil
        #expect(rooms(lost).last.map { $0 === object } == true, "the same object")
        #expect(object?.messageNamespace == "museum" && object?.type == "room")
        withExtendedLifetime((manager, subscription)) {}
    }

    @Test func `13 a released subscription ends the scan`() async throws {
        let device = try GNSDevice(in: air, service, location: .granted)
        let manager = manager(device)
        var subscription = device.run {
            Snippets.subscribeToBeacons(manager, found: { found.add($0) }, lost: { lost.add($0) })
        }
        #expect(await eventually { device.beacons.openScans.count == 1 })
        #expect(subscription != nil)
        subscription = nil
        #expect(await eventually { device.beacons.openScans.isEmpty })
        withExtendedLifetime(manager) {}
    }

    @Test func `14 the namespace and the type choose, also among those of others`() async throws {
        let device = try GNSDevice(in: air, service, location: .granted)
        let (namespace, type) = ("com.mycompany.mybeaconservice", "mybeacontype")
        service.fake.attach(
            Message("yes", type: type, namespace: namespace), to: eddystone, project: "another", isPublic: true)
        service.fake.attach(Message("private", type: type, namespace: namespace), to: eddystone, project: "another")
        service.fake.attach(Message("other type", type: "x", namespace: namespace), to: eddystone)
        service.fake.attach(Message("other namespace", type: type), to: eddystone)
        let manager = manager(device)
        let subscription = device.run {
            Snippets.subscribeToBeaconType(manager, found: { found.add($0) }, lost: { lost.add($0) })
        }
        device.beacons.add(eddystone)
        #expect(await eventually { found.count == 1 })
        await aWhile()
        #expect(found.texts == ["yes"])
        withExtendedLifetime((manager, subscription)) {}
    }

    @Test func `15 Eddystone alone needs no location, and hears no iBeacon`() async throws {
        let device = try GNSDevice(in: air, service)
        service.fake.attach(Message("room 1"), to: eddystone)
        service.fake.attach(Message("hall"), to: iBeacon)
        let manager = manager(device)
        let subscription = device.run {
            Snippets.subscribeToEddystone(manager, found: { found.add($0) }, lost: { lost.add($0) })
        }
        for beacon in [eddystone, iBeacon] { device.beacons.add(beacon) }
        #expect(await eventually { found.count == 1 })
        await aWhile()
        #expect(found.texts == ["room 1"])
        #expect(device.beacons.openScans.map { [$0.includesIBeacons, $0.usesLowPower] } == [[false, true]])
        #expect(service.fake.lookedUp.allSatisfy { $0 == eddystone }, "the service learns of no iBeacon")
        #expect(device.environment.consent.store.location == .undecided && device.warnings.all == [])
        withExtendedLifetime((manager, subscription)) {}
    }

    @Test func `16 high power listens all the time, and asks for the location`() async throws {
        let terminal = try Terminal()
        let device = try GNSDevice(in: air, service, terminal: terminal)
        try device.scratch.write(
            #"{"NSLocationWhenInUseUsageDescription":"To show the exhibits."}"#, to: "app/app.nearby.json")
        service.fake.attach(Message("room 1"), to: eddystone)
        device.beacons.add(eddystone)
        let manager = manager(device)
        let subscription = device.run {
            Snippets.subscribeInHighPower(manager, found: { found.add($0) }, lost: { lost.add($0) })
        }
        let question = try #require(await terminal.read(until: end))
        #expect(question.contains("wants to know where this device is"))
        #expect(question.contains("Its reason: To show the exhibits."))
        await aWhile()
        #expect(device.beacons.scans == [] && found.count == 0, "nothing before consent")
        terminal.type("a\n")
        #expect(await eventually { found.texts == ["room 1"] })
        #expect(device.beacons.openScans.map { [$0.includesIBeacons, $0.usesLowPower] } == [[false, false]])
        withExtendedLifetime((manager, subscription)) {}
    }

    @Test(arguments: [true, false])
    func `17 the app's dialog replaces the first question, and the location comes after it`(
        userGavePermission: Bool
    ) async throws {
        let terminal = try Terminal()
        let device = try GNSDevice(in: air, service, permission: .undecided, terminal: terminal)
        service.fake.attach(Message("room 1"), to: eddystone)
        device.beacons.add(eddystone)
        let manager = manager(device)
        let subscription = device.run {
            Snippets.subscribeToBeaconsByOwnDialog(
                manager, found: { found.add($0) }, lost: { lost.add($0) }, userGavePermission: userGavePermission)
        }
        if userGavePermission {
            let question = try #require(await terminal.read(until: end))
            #expect(device.permission == .granted, "the app's dialog came first")
            #expect(
                question.contains("wants to know where this device is") && !question.contains("find Bluetooth beacons"))
            terminal.type("a\n")
            #expect(await eventually { found.texts == ["room 1"] })
        } else {
            #expect(await eventually { device.permission == .denied })
            await aWhile()
            #expect(device.beacons.scans == [] && service.fake.requests == [])
            #expect(device.environment.consent.store.location == .undecided)
        }
        withExtendedLifetime((manager, subscription)) {}
    }

    @Test func `devices and beacons are found together`() async throws {
        let device = try GNSDevice(in: air, service, location: .granted)
        let ann = try GNSDevice(in: air, service)
        service.fake.attach(Message("room 1"), to: eddystone)
        device.beacons.add(eddystone)
        let manager = manager(device)
        let annsManager: GNSMessageManager = ann.run { GNSMessageManager(apiKey: service.key) }
        let publication = ann.run { Snippets.publish(annsManager, name: "Ann") }
        let subscription = device.run {
            manager.subscription(messageFoundHandler: { found.add($0) }, messageLostHandler: { lost.add($0) }) {
                params in
                params?.deviceTypesToDiscover = [.usingNearby, .bleBeacon]
            }
        }
        #expect(await eventually { Set(found.texts) == ["room 1", "Ann"] })
        #expect(device.medium.mode.contains(.scan))
        withExtendedLifetime((manager, annsManager, publication, subscription)) {}
    }

    @Test func `without an agent the debug log says that beacons are not found in the background`() async throws {
        let device = try GNSDevice(in: air, service, location: .granted)
        let manager = manager(device)
        let subscription = device.run {
            manager.subscription(messageFoundHandler: nil, messageLostHandler: nil) { params in
                params?.deviceTypesToDiscover = .BLEBeacon
                params?.beaconStrategy = GNSBeaconStrategy { params in
                    params?.allowInBackground = true
                    // Otherwise the app would have to ask for the location in the background.
                    params?.includeIBeacons = false
                }
            }
        }
        #expect(await eventually { device.log.all.count { $0.contains("noBackground") } == 1 })
        #expect(await eventually { device.beacons.openScans.count == 1 }, "it runs as long as the program")
        withExtendedLifetime((manager, subscription)) {}
    }

    @Test func `a subscription to no kind of devices is inactive`() async throws {
        let device = try GNSDevice(in: air, service)
        let manager = manager(device)
        let statuses = Calls<GNSOperationStatus>()
        let subscription = device.run {
            manager.subscription(messageFoundHandler: nil, messageLostHandler: nil) { params in
                params?.deviceTypesToDiscover = []
                params?.statusHandler = { statuses.add($0) }
            }
        }
        #expect(await eventually { statuses.all == [.inactive] })
        withExtendedLifetime((manager, subscription)) {}
    }
}
