import DesktopTestSupport
import EarshotDBus
import TestSupport
import Testing

@testable import EarshotNetworks

@Suite("Networks of iwd", .apart, .enabled(if: SessionBus.missing == nil, "\(SessionBus.missing ?? "")"))
struct IwdTests {
    private static let root = "/net/connman/iwd"
    private static let device = "\(root)/0/3"
    private static let network = "\(root)/0/3/4d79_psk"

    /// iwd with one device, which is connected to a network or not.
    private static func service(_ bus: SessionBus, network name: String?) async throws -> DBusConnection {
        let connection = bus.connect()
        try await connection.export("/", DBusObject(managesObjects: true))
        try await show(connection, network: name)
        _ = try await connection.call(
            "org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus", "RequestName",
            [.string(IwdName.service), .uint32(0)])
        return connection
    }

    private static func show(_ connection: DBusConnection, network name: String?) async throws {
        var station: [String: DBusValue] = ["State": .string(name == nil ? "disconnected" : "connected")]
        if let name {
            station["ConnectedNetwork"] = .path(network)
            try await connection.export(
                network, DBusObject([IwdName.network: .init(properties: ["Name": .string(name)])]))
        }
        try await connection.export(
            device,
            DBusObject([
                IwdName.device: .init(properties: ["Name": .string("wlan0")]),
                IwdName.station: .init(properties: station),
            ]))
        try await connection.emit(
            device, BusName.properties, "PropertiesChanged",
            [.string(IwdName.station), .properties(station), .array(of: "s", [])])
    }

    @Test("the network of the device with the default route, with each change")
    func joins() async throws {
        let bus = try SessionBus()
        let service = try await Self.service(bus, network: "Schiff ü")
        // The kernel reports the route but, as an old kernel does, no SSID.
        let networks = Collected(SystemNetworks(bus: bus.bus, kernel: FakeKernel(.one("wlan0", nil))))
        defer { networks.stop() }
        #expect(await poll { networks.networks == [.wifi(ssid: Array("Schiff ü".utf8))] })
        try await Self.show(service, network: nil)
        #expect(await poll { networks.networks == [.wifi(ssid: Array("Schiff ü".utf8)), nil] })
        try await Self.show(service, network: "Camp")
        #expect(await poll { networks.networks.last == .wifi(ssid: Array("Camp".utf8)) })
        #expect(networks.situations.allSatisfy { $0.source == .iwd })
        service.close()
        #expect(await poll { networks.situations.last == NetworkSituation(primary: nil, source: .kernel) })
    }

    @Test("the kernel answers for a route through another device")
    func otherDevice() async throws {
        let bus = try SessionBus()
        let service = try await Self.service(bus, network: "Camp")
        defer { service.close() }
        let networks = Collected(SystemNetworks(bus: bus.bus, kernel: FakeKernel(.one("eth0", .ethernet))))
        defer { networks.stop() }
        #expect(await poll { networks.situations == [NetworkSituation(primary: .ethernet, source: .kernel)] })
    }
}
