import DesktopTestSupport
import EarshotDBus
import TestSupport
import Testing

@testable import EarshotNetworks

@Suite("Networks of NetworkManager", .apart, .enabled(if: SessionBus.missing == nil, "\(SessionBus.missing ?? "")"))
struct NetworkManagerTests {
    private typealias Active = FakeNetworkManager.Active
    private static let ship = Array("My Cruise Ship Wi-Fi".utf8)

    private static func wifi(_ ssid: [UInt8]?, profile: [UInt8] = []) -> Active {
        Active(type: "802-11-wireless", ssid: ssid, profileSSID: profile)
    }

    private static func wired(_ deviceType: UInt32 = 1) -> Active {
        Active(type: "802-3-ethernet", deviceType: deviceType)
    }

    @Test("joining, leaving and joining another network are each reported once")
    func joins() async throws {
        let bus = try SessionBus()
        let manager = try await FakeNetworkManager(bus)
        let networks = Collected(SystemNetworks(bus: bus.bus, kernel: FakeKernel()))
        defer { networks.stop() }
        #expect(await poll { networks.networks == [nil] })
        try await manager.set([1: Self.wifi(Self.ship)], primary: 1)
        #expect(await poll { networks.networks == [nil, .wifi(ssid: Self.ship)] })
        try await manager.set([1: Self.wifi(Self.ship)], primary: 1)
        try await manager.set([:], primary: nil)
        #expect(await poll { networks.networks.count == 3 })
        try await manager.set([2: Self.wired()], primary: 2)
        #expect(await poll { networks.networks.count == 4 })
        #expect(networks.networks == [nil, .wifi(ssid: Self.ship), nil, .ethernet])
        #expect(networks.situations.allSatisfy { $0.source == .networkManager && $0.problem == nil })
    }

    @Test(
        "SSIDs are bytes: not UTF-8, 32 of them, none",
        arguments: [[0xFF, 0xFE, 0x00, 0x80], [UInt8](repeating: 0xC3, count: 32), []] as [[UInt8]])
    func bytes(ssid: [UInt8]) async throws {
        let bus = try SessionBus()
        let manager = try await FakeNetworkManager(bus)
        try await manager.set([1: Self.wifi(ssid)], primary: 1)
        let networks = Collected(SystemNetworks(bus: bus.bus, kernel: FakeKernel()))
        defer { networks.stop() }
        #expect(await poll { networks.networks == [.wifi(ssid: ssid)] })
    }

    @Test("an SSID of 33 bytes does not count as a network, and a hidden access point has the SSID of the profile")
    func unusualNames() async throws {
        let bus = try SessionBus()
        let manager = try await FakeNetworkManager(bus)
        try await manager.set([1: Self.wifi([], profile: Self.ship)], primary: 1)
        let networks = Collected(SystemNetworks(bus: bus.bus, kernel: FakeKernel()))
        defer { networks.stop() }
        #expect(await poll { networks.networks == [.wifi(ssid: Self.ship)] })
        try await manager.set([1: Self.wifi([UInt8](repeating: 65, count: 33))], primary: 1)
        #expect(await poll { networks.networks == [.wifi(ssid: Self.ship), nil] })
    }

    /// The first situation that the watch reports for these connections.
    private func first(_ active: [Int: Active], primary: Int?) async throws -> [Network?] {
        let bus = try SessionBus()
        let manager = try await FakeNetworkManager(bus)
        try await manager.set(active, primary: primary)
        let networks = Collected(SystemNetworks(bus: bus.bus, kernel: FakeKernel()))
        defer { networks.stop() }
        #expect(await poll { !networks.networks.isEmpty })
        return networks.networks
    }

    @Test("the primary connection counts, not another that is active as well")
    func primary() async throws {
        #expect(try await first([1: Self.wifi(Self.ship), 2: Self.wired()], primary: 1) == [.wifi(ssid: Self.ship)])
        #expect(try await first([1: Self.wifi(Self.ship), 2: Self.wired()], primary: 2) == [.ethernet])
    }

    @Test("without a primary connection the activated ones count: wired, then Wi-Fi, the oldest first")
    func noDefaultRoute() async throws {
        #expect(try await first([1: Self.wifi(Self.ship), 2: Self.wired()], primary: nil) == [.ethernet])
        #expect(
            try await first([10: Self.wifi([1]), 9: Self.wifi(Self.ship)], primary: nil) == [.wifi(ssid: Self.ship)])
        var joining = Self.wifi([1])
        joining.state = 1
        #expect(try await first([1: joining, 2: Self.wifi(Self.ship)], primary: nil) == [.wifi(ssid: Self.ship)])
        #expect(try await first([1: joining], primary: nil) == [nil])
    }

    @Test("a hotspot of the machine's own, a virtual card and a bridge do not count")
    func foreignKinds() async throws {
        var hotspot = Self.wifi(Self.ship)
        hotspot.mode = 3
        #expect(try await first([1: hotspot], primary: nil) == [nil])
        #expect(try await first([1: Self.wired(20)], primary: 1) == [nil])
        #expect(try await first([1: Active(type: "bridge", deviceType: 13)], primary: 1) == [nil])
    }

    @Test("for a VPN the network below it counts; a VPN with an unknown or endless base does not count")
    func vpn() async throws {
        let wifi = Self.wifi(Self.ship)
        func vpn(_ base: Int?) -> Active { Active(type: "vpn", deviceType: 0, base: base) }
        #expect(try await first([1: wifi, 2: vpn(1)], primary: 2) == [.wifi(ssid: Self.ship)])
        #expect(try await first([1: wifi, 2: vpn(1), 3: vpn(2)], primary: 3) == [.wifi(ssid: Self.ship)])
        #expect(try await first([2: vpn(nil)], primary: 2) == [nil])
        #expect(try await first([2: vpn(3), 3: vpn(2)], primary: 2) == [nil])
    }

    @Test("roaming reports nothing; a device whose access point is gone has left the network")
    func roaming() async throws {
        let bus = try SessionBus()
        let manager = try await FakeNetworkManager(bus)
        try await manager.set([1: Self.wifi(Self.ship)], primary: 1)
        let networks = Collected(SystemNetworks(bus: bus.bus, kernel: FakeKernel()))
        defer { networks.stop() }
        #expect(await poll { networks.networks == [.wifi(ssid: Self.ship)] })
        for _ in 0..<3 {
            try await manager.roam(1, Self.wifi(nil))
            try await manager.roam(1, Self.wifi(Self.ship))
        }
        // The primary connection stays; only the access point is gone.
        try await manager.roam(1, Self.wifi(nil))
        #expect(await poll { networks.networks == [.wifi(ssid: Self.ship), nil] })
        try await manager.roam(1, Self.wifi(Self.ship))
        #expect(await poll { networks.networks == [.wifi(ssid: Self.ship), nil, .wifi(ssid: Self.ship)] })
    }

    @Test("a silent access point is gone when the kernel says so, even while NetworkManager still lists it")
    func silentAccessPoint() async throws {
        func picture(_ network: Network?) -> KernelPicture {
            KernelPicture(links: [.init(index: 3, name: "wlan0", isRunning: true, network: network, isWireless: true)])
        }
        let bus = try SessionBus()
        let kernel = FakeKernel(picture(.wifi(ssid: Self.ship)))
        let manager = try await FakeNetworkManager(bus)
        try await manager.set([1: Self.wifi(Self.ship)], primary: 1)
        let networks = Collected(SystemNetworks(bus: bus.bus, kernel: kernel))
        defer { networks.stop() }
        #expect(await poll { networks.networks == [.wifi(ssid: Self.ship)] })
        kernel.set(.success(picture(nil)))
        #expect(await poll { networks.networks == [.wifi(ssid: Self.ship), nil] })
        kernel.set(.success(picture(.wifi(ssid: Self.ship))))
        #expect(await poll { networks.networks == [.wifi(ssid: Self.ship), nil, .wifi(ssid: Self.ship)] })
    }

    @Test("the kernel answers while NetworkManager is away or starting; then NetworkManager answers")
    func restart() async throws {
        let bus = try SessionBus()
        let kernel = FakeKernel(.one("wlan0", .wifi(ssid: Self.ship)))
        let manager = try await FakeNetworkManager(bus)
        try await manager.set([1: Self.wifi(Self.ship)], primary: 1)
        let networks = Collected(SystemNetworks(bus: bus.bus, kernel: kernel))
        defer { networks.stop() }
        #expect(await poll { networks.situations.map(\.source) == [.networkManager] })
        await manager.leave()
        #expect(await poll { networks.situations.map(\.source) == [.networkManager, .kernel] })
        let next = try await FakeNetworkManager(bus, isStarting: true)
        try await Task.sleep(for: .milliseconds(300))
        try await next.set([1: Self.wifi(Self.ship)], primary: 1)
        #expect(await poll { networks.situations.count == 3 })
        #expect(networks.situations.map(\.source) == [.networkManager, .kernel, .networkManager])
        #expect(networks.networks.allSatisfy { $0 == .wifi(ssid: Self.ship) })
    }

    @Test("the kernel answers for a device that NetworkManager does not manage")
    func unmanaged() async throws {
        let bus = try SessionBus()
        let manager = try await FakeNetworkManager(bus, unmanaged: ["eth0"])
        defer { manager.connection.close() }
        let networks = Collected(SystemNetworks(bus: bus.bus, kernel: FakeKernel(.one("eth0", .ethernet))))
        defer { networks.stop() }
        #expect(await poll { networks.situations == [NetworkSituation(primary: .ethernet, source: .kernel)] })
    }

    @Test("a default route of another program counts more than the network that NetworkManager joined")
    func foreignDefaultRoute() async throws {
        let bus = try SessionBus()
        let kernel = FakeKernel(.one("wlan0", .wifi(ssid: Self.ship)))
        let manager = try await FakeNetworkManager(bus)
        try await manager.set([1: Self.wifi(Self.ship)], primary: nil)
        let networks = Collected(SystemNetworks(bus: bus.bus, kernel: kernel))
        defer { networks.stop() }
        #expect(
            await poll {
                networks.situations == [NetworkSituation(primary: .wifi(ssid: Self.ship), source: .networkManager)]
            })
        kernel.set(.success(.one("tunnel0", nil)))
        #expect(
            await poll { networks.situations.last == NetworkSituation(primary: nil, source: .kernel) })
        kernel.set(.success(.one("eth0", .ethernet)))
        #expect(
            await poll { networks.situations.last == NetworkSituation(primary: .ethernet, source: .kernel) })
    }

    @Test("the kernel answers while the bus is away, and the watch finds the bus when it is back")
    func busGone() async throws {
        var bus: SessionBus? = try SessionBus()
        let address = try #require(bus?.bus)
        let manager = try await FakeNetworkManager(#require(bus))
        try await manager.set([1: Self.wifi(Self.ship)], primary: 1)
        let kernel = FakeKernel(.one("eth0", .ethernet))
        let networks = Collected(SystemNetworks(bus: address, kernel: kernel))
        defer { networks.stop() }
        #expect(await poll { networks.networks == [.wifi(ssid: Self.ship)] })
        bus?.kill()
        #expect(await poll { networks.networks.last == .ethernet })
        kernel.set(.failure(KernelError("the kernel does not answer")))
        #expect(await poll { networks.situations.last?.problem?.contains("the kernel does not answer") == true })
        bus = nil
    }

    @Test("the network of a modem, with its area if the system reports one")
    func mobile() async throws {
        let bus = try SessionBus()
        let modem = "/org/freedesktop/ModemManager1/Modem/0"
        let service = bus.connect()
        let location = DBusValue.dictionary(
            key: "u", value: "v", [.uint32(1): .variant(.string("244,05,0000,00A1B2C3,0012FE"))])
        try await service.export(
            modem,
            DBusObject([
                ModemManagerName.modem3GPP: .init(properties: ["OperatorCode": .string("24405")]),
                ModemManagerName.location: .init(methods: ["GetLocation": { _ in [location] }]),
            ]))
        _ = try await service.call(
            "org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus", "RequestName",
            [.string(ModemManagerName.service), .uint32(0)])
        let manager = try await FakeNetworkManager(bus)
        try await manager.set([1: Active(type: "gsm", deviceType: 8, modem: modem)], primary: 1)
        let networks = Collected(SystemNetworks(bus: bus.bus, kernel: FakeKernel()))
        defer { networks.stop() }
        let network = MobileNetwork(countryCode: "244", networkCode: "05", trackingAreaCode: "12FE")
        #expect(await poll { networks.networks == [.mobile(network)] })
        service.close()
        #expect(await poll { networks.networks == [.mobile(network), nil] })
    }

    @Test("invalid codes of operators and areas")
    func codes() {
        #expect(
            ModemManagerReader.network(operatorCode: "310410", location: nil)
                == MobileNetwork(countryCode: "310", networkCode: "410"))
        for location in ["", "310,410,FFFE,1", "310,410,FFFE,1,000000", "310,410,FFFE,1,1000000", "a,b,c,d,x"] {
            #expect(
                ModemManagerReader.network(operatorCode: "310410", location: location)?.trackingAreaCode == nil)
        }
        for code in ["", "3104", "3104100", "31041x"] {
            #expect(ModemManagerReader.network(operatorCode: code, location: nil) == nil)
        }
    }
}
