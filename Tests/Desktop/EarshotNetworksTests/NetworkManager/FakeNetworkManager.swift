import DesktopTestSupport
import EarshotDBus
import Synchronization

@testable import EarshotNetworks

/// NetworkManager as a test needs it, on a private bus: each active connection has a device of its own.
final class FakeNetworkManager: Sendable {
    /// An active connection, by its number.
    struct Active: Sendable {
        var type: String
        /// NMActiveConnectionState; 2 is activated.
        var state: UInt32 = 2
        /// NMDeviceType; 1 is Ethernet, 2 Wi-Fi.
        var deviceType: UInt32 = 2
        /// NM80211Mode; 2 is infrastructure, 3 an access point of the machine's own.
        var mode: UInt32 = 2
        /// The SSID of the access point; nil if there is none now.
        var ssid: [UInt8]?
        /// The SSID of the profile.
        var profileSSID: [UInt8] = []
        /// The number of the connection below a VPN.
        var base: Int?
        /// The path of ModemManager's object.
        var modem = ""
    }

    let connection: DBusConnection
    private static let root = NetworkManagerName.path

    init(_ bus: SessionBus, isStarting: Bool = false, unmanaged: [String] = []) async throws {
        connection = bus.connect()
        try await show([:], primary: nil, isStarting: isStarting, unmanaged: unmanaged)
        _ = try await connection.call(
            "org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus", "RequestName",
            [.string(NetworkManagerName.service), .uint32(0)])
    }

    static func path(_ number: Int?) -> String { number.map { "\(root)/ActiveConnection/\($0)" } ?? "/" }

    /// Sets the connections, and signals the change.
    func set(_ active: [Int: Active], primary: Int?, isStarting: Bool = false) async throws {
        try await show(active, primary: primary, isStarting: isStarting, unmanaged: [])
        try await change(
            Self.root, NetworkManagerName.manager,
            [
                "PrimaryConnection": .path(Self.path(primary)),
                "ActiveConnections": .array(of: "o", active.keys.sorted().map { .path(Self.path($0)) }),
            ])
    }

    /// Changes the SSID of a connection's access point, as NetworkManager reports it: only the access point changes.
    func roam(_ number: Int, _ active: Active) async throws {
        try await export(number, active)
        try await change(
            "\(Self.root)/Devices/\(number)", NetworkManagerName.wireless,
            ["ActiveAccessPoint": .path(active.ssid == nil ? "/" : "\(Self.root)/AccessPoint/\(number)")])
    }

    /// Leaves the bus.
    func leave() async {
        connection.close()
        await connection.waitUntilClosed()
    }

    private func change(_ path: String, _ interface: String, _ properties: [String: DBusValue]) async throws {
        try await connection.emit(
            path, BusName.properties, "PropertiesChanged",
            [.string(interface), .properties(properties), .array(of: "s", [])])
    }

    private func show(_ active: [Int: Active], primary: Int?, isStarting: Bool, unmanaged: [String]) async throws {
        for (number, one) in active { try await export(number, one) }
        try await connection.export(
            "\(Self.root)/Devices/99",
            DBusObject([NetworkManagerName.device: .init(properties: ["State": .uint32(10)])]))
        try await connection.export(
            Self.root,
            DBusObject([
                NetworkManagerName.manager: .init(
                    properties: [
                        "PrimaryConnection": .path(Self.path(primary)),
                        "ActiveConnections": .array(of: "o", active.keys.sorted().map { .path(Self.path($0)) }),
                        "Startup": .boolean(isStarting),
                    ],
                    methods: [
                        "GetDeviceByIpIface": { call throws(DBusError) in
                            guard unmanaged.contains(call.arguments.first?.text ?? "") else {
                                throw DBusError.refused(
                                    name: "org.freedesktop.NetworkManager.UnknownDevice", text: "No device found")
                            }
                            return [.path("\(Self.root)/Devices/99")]
                        }
                    ])
            ]))
    }

    private func export(_ number: Int, _ active: Active) async throws {
        let (device, point) = ("\(Self.root)/Devices/\(number)", "\(Self.root)/AccessPoint/\(number)")
        let profile = "\(Self.root)/Settings/\(number)"
        // Export the access point first, because a device must not name one that does not exist yet.
        if let ssid = active.ssid {
            try await connection.export(
                point, DBusObject([NetworkManagerName.accessPoint: .init(properties: ["Ssid": .bytes(ssid)])]))
        }
        try await connection.export(
            Self.path(number),
            DBusObject([
                NetworkManagerName.activeConnection: .init(properties: [
                    "Type": .string(active.type), "State": .uint32(active.state),
                    "Devices": .array(of: "o", active.type == "vpn" ? [] : [.path(device)]),
                    "Connection": .path(profile), "SpecificObject": .path(Self.path(active.base)),
                ])
            ]))
        try await connection.export(
            device,
            DBusObject([
                NetworkManagerName.device: .init(properties: [
                    "DeviceType": .uint32(active.deviceType), "Udi": .string(active.modem), "State": .uint32(100),
                    "Interface": .string("wlan0"),
                ]),
                NetworkManagerName.wireless: .init(properties: [
                    "Mode": .uint32(active.mode), "ActiveAccessPoint": .path(active.ssid == nil ? "/" : point),
                ]),
            ]))
        let settings: [DBusValue: DBusValue] = [
            .string("802-11-wireless"): .properties(["ssid": .bytes(active.profileSSID)])
        ]
        try await connection.export(
            profile,
            DBusObject([
                NetworkManagerName.settingsConnection: .init(methods: [
                    "GetSettings": { _ in [.dictionary(key: "s", value: "a{sv}", settings)] }
                ])
            ]))
    }
}
