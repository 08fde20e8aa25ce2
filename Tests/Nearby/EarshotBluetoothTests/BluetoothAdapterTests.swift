import DesktopTestSupport
import EarshotCoding
import EarshotDBus
import EarshotDiscovery
import Synchronization
import TestSupport
import Testing

@testable import EarshotBluetooth

/// The elements of a stream so far.
private final class Collected<Element: Sendable>: Sendable {
    private let list = Mutex<[Element]>([])
    private let task = Mutex<Task<Void, Never>?>(nil)

    init(_ stream: AsyncStream<Element>) {
        let task = Task { for await element in stream { list.withLock { $0.append(element) } } }
        self.task.withLock { $0 = task }
    }

    var elements: [Element] { list.withLock { $0 } }
    func stop() { task.withLock { $0 }?.cancel() }
}

@Suite(.apart) struct BluetoothAdapterTests {
    private let service = TokenAdvertisement.service
    private let pattern = AdvertisementPattern.serviceData(TokenAdvertisement.service)

    private func problems(_ events: [ScanEvent]) -> [String] {
        events.compactMap { event in
            switch event {
            case .problem(let problem, _): "\(problem)"
            case .solved(let problem): "solved \(problem)"
            case .opened: "opened"
            case .advertisement: nil
            }
        }
    }

    /// A stream ends while its first event arrives. The end must not wait for the lock that is
    /// held while the stream receives an event.
    @Test func aStreamThatEndsAmidEventsStopsNothing() async throws {
        let bus = DBusBus.address("unix:path=/nonexistent")
        for turn in 0..<1_000 {
            let adapter = BluetoothAdapter(nil, bus: bus)
            let stream = adapter.advertise(Advertisement(serviceData: [service: [1]]))
            let reader = Task { for await _ in stream {} }
            // The event comes after a time that varies; the end comes earlier, at that time, or later.
            for _ in 0..<turn % 100 { await Task.yield() }
            reader.cancel()
            await reader.value
            await adapter.waitUntilClosed()
        }
    }

    @Test func theStateOfAnAdapterIsReportedAsItChanges() async throws {
        let bus = try SessionBus()
        let adapter = BluetoothAdapter(nil, bus: bus.bus)
        let scan = Collected(adapter.events([pattern], power: .continuous))
        #expect(await poll { problems(scan.elements) == ["noBluetoothService"] })
        let bluez = try await FakeBlueZ(bus)
        #expect(await poll { problems(scan.elements).last == "noBluetoothAdapter" })
        try await bluez.set("hci0", isPowered: false)
        #expect(await poll { problems(scan.elements).last == "bluetoothOff" })
        try await bluez.set("hci0", isPowered: true)
        #expect(await poll { problems(scan.elements).last == "opened" && bluez.monitorCount == 1 })
        try await bluez.set("hci0", isPowered: false)
        #expect(await poll { problems(scan.elements).last == "bluetoothOff" })
        try await bluez.set("hci0", isPowered: true)
        #expect(await poll { problems(scan.elements).last == "opened" })
        try await bluez.remove("hci0")
        #expect(await poll { problems(scan.elements).last == "noBluetoothAdapter" })
        bluez.connection.close()
        #expect(await poll { problems(scan.elements).last == "noBluetoothService" })
        let again = try await FakeBlueZ(bus)
        try await again.set("hci0", isPowered: true)
        #expect(await poll { problems(scan.elements).last == "opened" })
        bus.kill()
        #expect(await poll { problems(scan.elements).last == "noBluetoothService" })
        scan.stop()
        await adapter.waitUntilClosed()
    }

    @Test func aDeniedPermissionIsAProblemUntilItIsGiven() async throws {
        let bus = try SessionBus()
        let bluez = try await FakeBlueZ(bus)
        try await bluez.set("hci0", isPowered: true)
        bluez.set(isForbidden: true)
        let adapter = BluetoothAdapter(nil, bus: bus.bus)
        let scan = Collected(adapter.events([pattern], power: .continuous))
        #expect(await poll { problems(scan.elements) == ["bluetoothForbidden"] })
        bluez.set(isForbidden: false)
        #expect(await poll { problems(scan.elements).last == "opened" })
        scan.stop()
        await adapter.waitUntilClosed()
    }

    @Test func theNamedAdapterIsUsed() async throws {
        let bus = try SessionBus()
        let bluez = try await FakeBlueZ(bus)
        try await bluez.set("hci0", isPowered: true)
        let adapter = BluetoothAdapter("hci1", bus: bus.bus)
        let scan = Collected(adapter.events([pattern], power: .continuous))
        #expect(await poll { problems(scan.elements) == ["noBluetoothAdapter"] })
        try await bluez.set("hci1", isPowered: true)
        #expect(await poll { problems(scan.elements).last == "opened" })
        scan.stop()
        await adapter.waitUntilClosed()
    }

    @Test func receptionsReachTheStreamsThatWantThem() async throws {
        let bus = try SessionBus()
        let bluez = try await FakeBlueZ(bus)
        try await bluez.set("hci0", isPowered: true)
        let adapter = BluetoothAdapter(nil, bus: bus.bus)
        let tokens = Collected(adapter.events([pattern], power: .continuous))
        let others = Collected(adapter.events([.manufacturerData(0x4C, prefix: [2])], power: .low))
        #expect(await poll { bluez.monitorCount == 1 && problems(others.elements).last == "opened" })
        // The scan's monitors for both streams.
        try await bluez.receive(service, [1, 2, 3], from: "00_11_22_33_44_55")
        let expected = ReceivedAdvertisement(
            address: "00:11:22:33:44:55", rssiDecibelMilliwatts: -40,
            content: Advertisement(serviceData: [service: [1, 2, 3]]))
        #expect(await poll { tokens.elements.contains(.advertisement(expected)) })
        let count = tokens.elements.count
        try await Task.sleep(for: .milliseconds(100))
        try await bluez.find("/org/bluez/hci0/dev_00_11_22_33_44_55")
        #expect(await poll { tokens.elements.count > count })
        #expect(!others.elements.contains { if case .advertisement = $0 { true } else { false } })
        tokens.stop()
        others.stop()
        await adapter.waitUntilClosed()
        #expect(bluez.monitorCount == 0)
        #expect(!bluez.calls.contains("RegisterAdvertisement") && !bluez.calls.contains("StartDiscovery"))
    }

    /// bluetoothd's monitors take few patterns each, so more of them need a scan of everything.
    @Test(arguments: [16, 17]) func manyPatternsNeedADiscovery(patternCount: Int) async throws {
        let bus = try SessionBus()
        let bluez = try await FakeBlueZ(bus)
        try await bluez.set("hci0", isPowered: true)
        let adapter = BluetoothAdapter(nil, bus: bus.bus)
        let patterns = (0..<patternCount).map { AdvertisementPattern.manufacturerData(0x4C, prefix: [UInt8($0)]) }
        let scan = Collected(adapter.events(patterns, power: .continuous))
        #expect(await poll { problems(scan.elements).last == "opened" })
        #expect(await poll { bluez.calls.contains("StartDiscovery") == (patternCount > 16) })
        #expect((bluez.monitorCount > 0) == (patternCount <= 16))
        scan.stop()
        await adapter.waitUntilClosed()
    }

    /// Any program of the bus may emit signals that look like bluetoothd's.
    @Test func signalsOfOthersAreNotBelieved() async throws {
        let bus = try SessionBus()
        let bluez = try await FakeBlueZ(bus, offersMonitors: false)
        try await bluez.set("hci0", isPowered: true)
        let adapter = BluetoothAdapter(nil, bus: bus.bus)
        let scan = Collected(adapter.events([pattern], power: .continuous))
        #expect(await poll { problems(scan.elements) == ["opened"] })
        let stranger = bus.connect()
        let device = "\(BlueZName.root)/hci0/dev_00_11_22_33_44_99"
        let properties: [String: DBusValue] = [
            "RSSI": .int16(-40),
            "ServiceData": .dictionary(key: "s", value: "v", [.string(service.description): .variant(.bytes([6]))]),
        ]
        let interfaces = DBusValue.dictionary(
            key: "s", value: "a{sv}", [.string(BlueZName.device): .properties(properties)])
        try await stranger.emit("/", BlueZName.objectManager, "InterfacesAdded", [.path(device), interfaces])
        try await stranger.emit(
            device, BlueZName.properties, "PropertiesChanged",
            [.string(BlueZName.device), .properties(properties), .array(of: "s", [])])
        // The bus has passed the stranger's signals on, or not, before it passes this one on.
        _ = try await stranger.call(
            "org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus", "GetId", [])
        try await bluez.receive(service, [7], from: "00_11_22_33_44_56")
        let content = { (events: [ScanEvent]) in
            events.compactMap {
                if case .advertisement(let found) = $0 { found.content.serviceData[service] } else { nil }
            }
        }
        #expect(await poll { content(scan.elements).contains([7]) })
        #expect(!content(scan.elements).contains([6]))
        scan.stop()
        await adapter.waitUntilClosed()
    }

    @Test(arguments: [false, true]) func withoutMonitorsTheAdapterDiscovers(offersMonitors: Bool) async throws {
        let bus = try SessionBus()
        let bluez = try await FakeBlueZ(bus, offersMonitors: offersMonitors, activatesMonitors: false)
        try await bluez.set("hci0", isPowered: true)
        let adapter = BluetoothAdapter(nil, bus: bus.bus)
        let scan = Collected(adapter.events([pattern], power: .continuous))
        #expect(await poll { bluez.calls.contains("StartDiscovery") && problems(scan.elements) == ["opened"] })
        try await bluez.receive(service, [9], from: "00_11_22_33_44_56", rssi: 127)
        let expected = ReceivedAdvertisement(
            address: "00:11:22:33:44:56", content: Advertisement(serviceData: [service: [9]]))
        #expect(await poll { scan.elements.contains(.advertisement(expected)) })
        scan.stop()
        await adapter.waitUntilClosed()
        #expect(bluez.calls.last == "StopDiscovery")
    }

    /// bluetoothd answers only one of several discoveries that begin at the same time, so programs take turns.
    @Test func programsBeginDiscoveriesInTurn() async throws {
        let bus = try SessionBus()
        let bluez = try await FakeBlueZ(bus, offersMonitors: false)
        try await bluez.set("hci0", isPowered: true)
        bluez.followTurns(RadioFolder.path(bus.bus, adapter: "hci0"))
        let adapters = (1...4).map { _ in BluetoothAdapter(nil, bus: bus.bus) }
        let scans = adapters.map { Collected($0.events([pattern], power: .continuous)) }
        for scan in scans { #expect(await poll { problems(scan.elements) == ["opened"] }) }
        // The rounds of all end and begin at the same time.
        #expect(await poll { bluez.calls.count { $0 == "StartDiscovery" } >= 8 })
        for scan in scans { scan.stop() }
        for adapter in adapters { await adapter.waitUntilClosed() }
        #expect(bluez.beginCountOutOfTurn == 0)
    }

    /// Another program began a discovery at the same time as ours. bluetoothd never answers our call, and refuses to
    /// end the discovery. Our scan continues on a new connection.
    @Test func aDiscoveryWithoutAnswerBeginsAgainOnANewConnection() async throws {
        let bus = try SessionBus()
        let bluez = try await FakeBlueZ(bus, offersMonitors: false)
        try await bluez.set("hci0", isPowered: true)
        bluez.loseNextDiscovery()
        let adapter = BluetoothAdapter(nil, bus: bus.bus)
        let scan = Collected(adapter.events([pattern], power: .continuous))
        let unusable = DiscoveryProblem.bluetoothUnusable(.scan)
        let expected = ["\(unusable)", "solved \(unusable)", "opened"]
        #expect(await poll { problems(scan.elements) == expected }, "\(problems(scan.elements))")
        scan.stop()
        await adapter.waitUntilClosed()
        #expect(bluez.calls.last == "StopDiscovery")
    }

    @Test func aScanThatOthersHoldHasMorePatience() async throws {
        let bus = try SessionBus()
        let bluez = try await FakeBlueZ(bus)
        try await bluez.set("hci0", isPowered: true)
        try await bluez.set(isHeldByOthers: true, "hci0")
        let adapter = BluetoothAdapter(nil, bus: bus.bus)
        let scan = Collected(adapter.events([pattern], power: .continuous))
        var address = 0
        // From the end of the first round on.
        func patience() async throws -> Duration? {
            address += 1
            let bytes = [address / 256, address % 256].map { String($0 + 256, radix: 16).suffix(2).uppercased() }
            try await bluez.receive(service, [1], from: "00_11_22_33_\(bytes[0])_\(bytes[1])")
            return scan.elements.reversed().lazy.compactMap {
                if case .advertisement(let received) = $0 { received.patience } else { nil }
            }.first
        }
        #expect(await poll { (try? await patience()) == ScanRounds.patienceWhileShared })
        try await bluez.set(isHeldByOthers: false, "hci0")
        #expect(await poll { (try? await patience()) == ScanRounds.patience })
        scan.stop()
        await adapter.waitUntilClosed()
    }

    @Test func anEndBeforeTheAnswerLeavesNothingOnTheAir() async throws {
        let bus = try SessionBus()
        let bluez = try await FakeBlueZ(bus)
        try await bluez.set("hci0", isPowered: true)
        let adapter = BluetoothAdapter(nil, bus: bus.bus)
        bluez.set(registrationDelaySeconds: 0.2)
        // It ends while the first token is registered, and while the second replaces the first.
        for number in [1, 2, 1, 2, 1, 2] {
            let (contents, content) = AsyncStream.makeStream(of: [Advertisement].self)
            let events = Collected(adapter.advertise(contents))
            for byte in 1...number {
                let count = bluez.calls.filter { $0 == "RegisterAdvertisement" }.count
                content.yield([Advertisement(serviceData: [service: [UInt8(byte)]])])
                #expect(await poll { bluez.calls.filter { $0 == "RegisterAdvertisement" }.count > count })
            }
            events.stop()
            await adapter.waitUntilClosed()
            #expect(bluez.advertisements.isEmpty, "\(number)")
        }
    }

    @Test(arguments: [5, 1]) func aNewTokenReplacesTheOld(maximumCount: Int) async throws {
        let bus = try SessionBus()
        let bluez = try await FakeBlueZ(bus)
        bluez.set(maximumAdvertisementCount: maximumCount)
        try await bluez.set("hci0", isPowered: true)
        let adapter = BluetoothAdapter(nil, bus: bus.bus)
        let (contents, content) = AsyncStream.makeStream(of: [Advertisement].self)
        let events = Collected(adapter.advertise(contents))
        let (one, two) = (Advertisement(serviceData: [service: [1]]), Advertisement(serviceData: [service: [2]]))
        content.yield([one])
        #expect(await poll { events.elements == [.advertising([one])] })
        content.yield([two])
        #expect(await poll { events.elements.last == .advertising([two]) })
        let (register, unregister) = ("RegisterAdvertisement", "UnregisterAdvertisement")
        // If there is room, the new token comes without a gap; otherwise the old one makes room first.
        let expected =
            maximumCount > 1 ? [register, register, unregister] : [register, register, unregister, register]
        #expect(bluez.calls == expected)
        #expect(
            await poll {
                bluez.advertisements.values.first?["ServiceData"]?.named == [service.description: .bytes([2])]
            })
        // bluetoothd restarts, and has forgotten everything.
        try await bluez.set("hci0", isPowered: false)
        #expect(await poll { if case .problem(.bluetoothOff, _) = events.elements.last { true } else { false } })
        try await bluez.set("hci0", isPowered: true)
        #expect(await poll { events.elements.last == .advertising([two]) && bluez.advertisements.count == 1 })
        events.stop()
        await adapter.waitUntilClosed()
        #expect(bluez.advertisements.isEmpty)
        #expect(!bluez.calls.contains("RegisterMonitor") && !bluez.calls.contains("StartDiscovery"))
    }

    @Test func advertisementsWithoutPlaceTakeTurns() async throws {
        let bus = try SessionBus()
        let bluez = try await FakeBlueZ(bus)
        bluez.set(maximumAdvertisementCount: 1)
        try await bluez.set("hci0", isPowered: true)
        let adapter = BluetoothAdapter(nil, bus: bus.bus)
        let list = (1...3).map { Advertisement(serviceData: [service: [UInt8($0)]]) }
        let events = Collected(adapter.advertise(list[0], list[1], list[2]))
        #expect(await poll { events.elements.count >= 4 })
        #expect(events.elements.prefix(4) == [0, 1, 2, 0].map { AdvertisingEvent.advertising([list[$0]]) }[...])
        events.stop()
        await adapter.waitUntilClosed()
    }

    /// Several apps in one process share the only place of a small controller: none keeps it.
    @Test func streamsShareTheOnlyPlace() async throws {
        let bus = try SessionBus()
        let bluez = try await FakeBlueZ(bus)
        bluez.set(maximumAdvertisementCount: 1)
        try await bluez.set("hci0", isPowered: true)
        let adapter = BluetoothAdapter(nil, bus: bus.bus)
        let list = (1...2).map { Advertisement(serviceData: [service: [UInt8($0)]]) }
        let streams = list.map { Collected(adapter.advertise($0)) }
        for (stream, content) in zip(streams, list) {
            let turn = AdvertisingEvent.advertising([content])
            #expect(await poll { stream.elements.count { $0 == turn } >= 2 })
            #expect(stream.elements.allSatisfy { $0 == turn || $0 == .advertising([]) }, "only its own")
        }
        streams[0].stop()
        await adapter.waitUntilClosed()
        let rest = bluez.advertisements.values.compactMap { $0["ServiceData"]?.named }
        #expect(rest.allSatisfy { $0 == [service.description: .bytes([2])] })
        #expect(await poll { bluez.advertisements.count == 1 })
        // The adapter goes off and comes back: both the problem and its end reach the stream.
        try await bluez.set("hci0", isPowered: false)
        #expect(
            await poll { if case .problem(.bluetoothOff, _) = streams[1].elements.last { true } else { false } })
        try await bluez.set("hci0", isPowered: true)
        #expect(await poll { streams[1].elements.last == .advertising([list[1]]) })
        streams[1].stop()
        await adapter.waitUntilClosed()
        #expect(bluez.advertisements.isEmpty)
    }

    /// Several programs share a controller that sends one advertisement at a time. Their locks belong to open files, so
    /// that two adapters in one process behave like two programs.
    @Test func programsShareTheOnlyPlace() async throws {
        let bus = try SessionBus()
        let bluez = try await FakeBlueZ(bus, isBluetooth4: true)
        try await bluez.set("hci0", isPowered: true)
        let scanner = BluetoothAdapter(nil, bus: bus.bus)
        let scan = Collected(scanner.events([pattern], power: .continuous))
        #expect(await poll { problems(scan.elements) == ["opened"] })
        let adapters = (1...3).map { _ in BluetoothAdapter(nil, bus: bus.bus) }
        let list = (1...3).map { Advertisement(serviceData: [service: [UInt8($0)]]) }
        let streams = zip(adapters, list).map { Collected($0.advertise($1)) }
        for (stream, content) in zip(streams, list) {
            #expect(await poll { stream.elements.count { $0 == .advertising([content]) } >= 3 })
            #expect(stream.elements.allSatisfy { $0 == .advertising([content]) || $0 == .advertising([]) })
        }
        #expect(bluez.greatestAdvertisementCount == 1)
        // Two streams end; then the third is on the air all the time.
        streams[0].stop()
        streams[1].stop()
        await adapters[0].waitUntilClosed()
        await adapters[1].waitUntilClosed()
        #expect(await poll { streams[2].elements.last == .advertising([list[2]]) })
        let count = streams[2].elements.count
        try await Task.sleep(for: AirTime.cycle * 2)
        #expect(streams[2].elements.count == count)
        streams[2].stop()
        scan.stop()
        await adapters[2].waitUntilClosed()
        await scanner.waitUntilClosed()
        #expect(bluez.advertisements.isEmpty && bluez.monitorCount == 0)
    }

    @Test func aMediumFindsTokensAndSendsItsOwn() async throws {
        let bus = try SessionBus()
        let bluez = try await FakeBlueZ(bus)
        try await bluez.set("hci0", isPowered: true)
        let medium = BluetoothMedium(adapter: BluetoothAdapter(nil, bus: bus.bus))
        let events = Collected(medium.events(mode: .both))
        await medium.broadcast(try Payload(hex: "0123456789abcdef"))
        #expect(
            await poll { events.elements.contains(.opened(.scan)) && events.elements.contains(.opened(.broadcast)) })
        #expect(await poll { bluez.monitorCount == 1 })
        try await bluez.receive(service, [1, 2, 3], from: "00_11_22_33_44_55")
        let sighting = MediumEvent.sighting(
            Sighting(token: try Payload([1, 2, 3]), rssiDecibelMilliwatts: -40, patience: .seconds(9)))
        #expect(await poll { events.elements.contains(sighting) })
        // This payload is too long for an advertisement.
        await medium.broadcast(try Payload(Array(repeating: 7, count: 11)))
        #expect(
            await poll {
                events.elements.contains {
                    if case .problem(.bluetoothUnusable(.broadcast), _) = $0 { true } else { false }
                }
            })
        await medium.broadcast(try Payload([5]))
        #expect(await poll { events.elements.contains(.solved(.bluetoothUnusable(.broadcast))) })
        events.stop()
        await medium.waitUntilClosed()
        #expect(bluez.advertisements.isEmpty && bluez.monitorCount == 0)
    }

    @Test func anOptionalMediumIsSilentWithoutBluetooth() async throws {
        let bus = try SessionBus()
        let medium = BluetoothMedium(
            BluetoothMedium.Options(isOptional: true), adapter: BluetoothAdapter(nil, bus: bus.bus))
        let events = Collected(medium.events(mode: .both))
        // Too long for an advertisement, but without Bluetooth nothing is advertised.
        await medium.broadcast(try Payload(Array(repeating: 7, count: 11)))
        // The medium looks repeatedly, and uses an adapter that appears.
        let bluez = try await FakeBlueZ(bus)
        try await bluez.set("hci0", isPowered: true)
        let tooLong = MediumEvent.problem(
            .bluetoothUnusable(.broadcast),
            detail: "A token of 11 bytes does not fit into an advertisement. Use at most 10 bytes, or sound.")
        let both = [[MediumEvent.opened(.scan), tooLong], [tooLong, .opened(.scan)]]
        #expect(await poll { both.contains(events.elements) }, "\(events.elements)")
        try await bluez.remove("hci0")
        #expect(await poll { events.elements.last == .solved(.bluetoothUnusable(.broadcast)) }, "\(events.elements)")
        events.stop()
        await medium.waitUntilClosed()
    }
}
