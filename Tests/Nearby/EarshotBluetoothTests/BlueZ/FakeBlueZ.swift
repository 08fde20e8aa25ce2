import DesktopTestSupport
import EarshotDBus
import Foundation
import Synchronization

@testable import EarshotBluetooth

/// A simulated bluetoothd on a private bus: the test switches its adapters. It records the calls that it receives.
final class FakeBlueZ: Sendable {
    private struct State {
        var calls: [String] = []
        var powered: [String: Bool] = [:]
        var isForbidden = false
        var isHeldByOthers = false
        /// The radio's folder, and how often a discovery began outside its caller's turn.
        var radioFolder: String?
        var beginCountOutOfTurn = 0
        var losesNextDiscovery = false
        /// The callers whose start of a discovery was never answered.
        var unanswered: Set<String> = []
        var registrationDelaySeconds = 0.0
        var maximumAdvertisementCount = 5
        var advertisements: [String: [String: DBusValue]] = [:]
        var greatestAdvertisementCount = 0
        /// The owner and the root of each registered application with monitors.
        var monitors: [String: String] = [:]
    }

    let connection: DBusConnection
    private let offersMonitors: Bool
    private let activatesMonitors: Bool
    private let isBluetooth4: Bool
    private let state = Mutex(State())

    init(
        _ bus: SessionBus, offersMonitors: Bool = true, activatesMonitors: Bool = true, isBluetooth4: Bool = false
    ) async throws {
        connection = bus.connect()
        self.offersMonitors = offersMonitors
        self.activatesMonitors = activatesMonitors
        self.isBluetooth4 = isBluetooth4
        try await exportRoot()
        _ = try await connection.call(
            "org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus", "RequestName",
            [.string(BlueZName.service), .uint32(0)])
    }

    /// The names of the methods that were called, in order.
    var calls: [String] { state.withLock { $0.calls } }
    /// The properties of the registered advertisements, by path.
    var advertisements: [String: [String: DBusValue]] { state.withLock { $0.advertisements } }
    /// The maximum number of advertisements that were registered at once.
    var greatestAdvertisementCount: Int { state.withLock { $0.greatestAdvertisementCount } }
    var monitorCount: Int { state.withLock { $0.monitors.count } }

    func set(maximumAdvertisementCount: Int) {
        state.withLock { $0.maximumAdvertisementCount = maximumAdvertisementCount }
    }

    /// Plugs an adapter in, or switches it.
    func set(_ name: String, isPowered: Bool) async throws {
        let isNew = state.withLock { state in
            let isNew = state.powered[name] == nil
            state.powered[name] = isPowered
            if !isPowered { (state.advertisements, state.monitors) = ([:], [:]) }
            return isNew
        }
        try await export(name)
        try await exportRoot()
        let path = "\(BlueZName.root)/\(name)"
        if isNew {
            let interfaces = DBusValue.dictionary(
                key: "s", value: "a{sv}", [.string(BlueZName.adapter): .properties([:])])
            try await connection.emit("/", BlueZName.objectManager, "InterfacesAdded", [.path(path), interfaces])
        } else {
            try await connection.emit(
                path, BlueZName.properties, "PropertiesChanged",
                [.string(BlueZName.adapter), .properties(["Powered": .boolean(isPowered)]), .array(of: "s", [])])
        }
    }

    /// Unplugs an adapter.
    func remove(_ name: String) async throws {
        state.withLock { $0.powered[name] = nil }
        try await exportRoot()
        let path = "\(BlueZName.root)/\(name)"
        connection.withdraw(path)
        try await connection.emit(
            "/", BlueZName.objectManager, "InterfacesRemoved",
            [.path(path), .array(of: "s", [.string(BlueZName.adapter)])])
    }

    /// Lets each registration of an advertisement take this time.
    func set(registrationDelaySeconds: Double) {
        state.withLock { $0.registrationDelaySeconds = registrationDelaySeconds }
    }

    /// Lets another program start or end a scan of its own.
    func set(isHeldByOthers: Bool, _ name: String) async throws {
        state.withLock { $0.isHeldByOthers = isHeldByOthers }
        try await export(name)
    }

    /// Checks from now on whether a program that begins a discovery holds the lock of its turn.
    func followTurns(_ folder: String?) { state.withLock { $0.radioFolder = folder } }
    var beginCountOutOfTurn: Int { state.withLock { $0.beginCountOutOfTurn } }

    /// Leaves the next start of a discovery unanswered, as bluetoothd does if another one comes at the same time.
    func loseNextDiscovery() { state.withLock { $0.losesNextDiscovery = true } }

    /// Denies all further calls, or allows them.
    func set(isForbidden: Bool) { state.withLock { $0.isForbidden = isForbidden } }

    /// Lets the adapter receive an advertisement, as bluetoothd reports it: the content, then `DeviceFound`.
    func receive(_ service: BluetoothUUID, _ bytes: [UInt8], from device: String, rssi: Int16 = -40) async throws {
        let path = "\(BlueZName.root)/hci0/dev_\(device)"
        let properties: [String: DBusValue] = [
            "RSSI": .int16(rssi),
            "ServiceData": .dictionary(key: "s", value: "v", [.string(service.description): .variant(.bytes(bytes))]),
        ]
        let interfaces = DBusValue.dictionary(
            key: "s", value: "a{sv}", [.string(BlueZName.device): .properties(properties)])
        try await connection.emit("/", BlueZName.objectManager, "InterfacesAdded", [.path(path), interfaces])
        try await find(path)
    }

    /// Lets the adapter receive a known advertisement again.
    func find(_ path: String) async throws {
        for (root, owner) in state.withLock({ $0.monitors }) {
            _ = try await connection.call(owner, "\(root)/monitor0", BlueZName.monitor, "DeviceFound", [.path(path)])
        }
    }

    private func exportRoot() async throws {
        let nodes = state.withLock { $0.powered.keys.sorted() }.map { "<node name=\"\($0)\"/>" }.joined()
        try await connection.export(
            BlueZName.root,
            DBusObject([
                BlueZName.introspectable: .init(methods: [
                    "Introspect": { [self] _ throws(DBusError) in
                        try permit("Introspect", isCounted: false)
                        return [.string("<node>\(nodes)</node>")]
                    }
                ])
            ]))
    }

    private func permit(_ method: String, isCounted: Bool = true) throws(DBusError) {
        let isForbidden = state.withLock { state in
            if isCounted { state.calls.append(method) }
            return state.isForbidden
        }
        if isForbidden {
            throw DBusError.refused(name: "org.freedesktop.DBus.Error.AccessDenied", text: "Rejected send message")
        }
    }

    private func export(_ name: String) async throws {
        let (isPowered, isHeld) = state.withLock { ($0.powered[name] ?? false, $0.isHeldByOthers) }
        func plain(_ method: String) -> DBusObject.Method {
            { [self] _ throws(DBusError) in
                try permit(method)
                return []
            }
        }
        func discovery(_ method: String) -> DBusObject.Method {
            { [self] call throws(DBusError) in try discover(method, call) }
        }
        var interfaces: [String: DBusObject.Interface] = [
            BlueZName.adapter: .init(
                properties: ["Powered": .boolean(isPowered), "Discovering": .boolean(isHeld)],
                methods: [
                    "SetDiscoveryFilter": plain("SetDiscoveryFilter"), "StartDiscovery": discovery("StartDiscovery"),
                    "StopDiscovery": discovery("StopDiscovery"),
                ]),
            BlueZName.advertisingManager: .init(
                properties: isBluetooth4
                    ? ["SupportedInstances": .byte(5)]
                    : ["SupportedInstances": .byte(5), "SupportedSecondaryChannels": .array(of: "s", [])],
                methods: [
                    "RegisterAdvertisement": { [self] call throws(DBusError) in try register(call) },
                    "UnregisterAdvertisement": { [self] call throws(DBusError) in
                        try permit("UnregisterAdvertisement")
                        let path = call.arguments.first?.text ?? ""
                        state.withLock { $0.advertisements[path] = nil }
                        return []
                    },
                ]),
        ]
        if offersMonitors {
            interfaces[BlueZName.monitorManager] = .init(
                properties: ["SupportedMonitorTypes": .array(of: "s", [.string("or_patterns")])],
                methods: [
                    "RegisterMonitor": { [self] call throws(DBusError) in
                        try permit("RegisterMonitor")
                        activate(call)
                        return []
                    },
                    "UnregisterMonitor": { [self] call throws(DBusError) in
                        try permit("UnregisterMonitor")
                        state.withLock { $0.monitors[call.arguments.first?.text ?? ""] = nil }
                        return []
                    },
                ])
        }
        try await connection.export("\(BlueZName.root)/\(name)", DBusObject(interfaces))
    }

    private func discover(_ method: String, _ call: DBusCall) throws(DBusError) -> [DBusValue] {
        try permit(method)
        try state.withLock { state throws(DBusError) in
            if method == "StartDiscovery", let folder = state.radioFolder {
                let turn = RadioLock(folder, "discovery")
                if turn.take(alone: true) { state.beginCountOutOfTurn += 1 }
                turn.close()
            }
            if state.unanswered.contains(call.sender) {
                throw DBusError.refused(name: "org.bluez.Error.InProgress", text: "Operation already in progress")
            }
            if method == "StartDiscovery", exchange(&state.losesNextDiscovery, with: false) {
                state.unanswered.insert(call.sender)
                throw DBusError.noReply
            }
        }
        return []
    }

    private func register(_ call: DBusCall) throws(DBusError) -> [DBusValue] {
        try permit("RegisterAdvertisement")
        // On the connection's own thread.
        Thread.sleep(forTimeInterval: state.withLock { $0.registrationDelaySeconds })
        let path = call.arguments.first?.text ?? ""
        let isFull = state.withLock { state in
            let isFull = state.advertisements.count >= state.maximumAdvertisementCount
            if !isFull { state.advertisements[path] = [:] }
            state.greatestAdvertisementCount = max(state.greatestAdvertisementCount, state.advertisements.count)
            return isFull
        }
        if isFull {
            throw DBusError.refused(name: "org.bluez.Error.NotPermitted", text: "Maximum advertisements reached")
        }
        Task {
            let answer = try? await connection.call(
                call.sender, path, BlueZName.properties, "GetAll", [.string(BlueZName.advertisement)])
            state.withLock { state in
                if state.advertisements[path] != nil { state.advertisements[path] = answer?.first?.named ?? [:] }
            }
        }
        return []
    }

    private func activate(_ call: DBusCall) {
        let root = call.arguments.first?.text ?? ""
        Task {
            let listed = try? await connection.call(call.sender, root, BlueZName.objectManager, "GetManagedObjects")
            for path in (listed?.first?.named ?? [:]).keys {
                _ = try? await connection.call(
                    call.sender, path, BlueZName.monitor, activatesMonitors ? "Activate" : "Release")
            }
            if activatesMonitors { state.withLock { $0.monitors[root] = call.sender } }
        }
    }
}
