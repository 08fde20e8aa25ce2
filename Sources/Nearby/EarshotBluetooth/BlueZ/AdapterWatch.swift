import EarshotDBus
import EarshotDiscovery
import Glibc
import Synchronization

/// Follows the state of an adapter: connects to the bus, finds the adapter, and notices when it comes, goes and is
/// switched.
///
/// After any signal that may change the state, the watch asks bluetoothd for the whole state again. So it has no memory
/// that could become wrong.
struct AdapterWatch: Sendable {
    /// The bus of BlueZ.
    let bus: DBusBus
    /// The name of the adapter, such as `hci1`; nil for the first that is switched on, or else the first.
    let name: String?

    /// How long the watch waits before it checks again while the system denies access (no signal reports the end of
    /// that), or while bluetoothd does not answer.
    private static let recheckInterval = Duration.seconds(5)
    private static let firstRetry = Duration.milliseconds(200)
    private static let maximumRetry = Duration.seconds(5)

    /// Reports each new state until the task is cancelled; then closes the connection.
    func run(_ report: @Sendable (AdapterState) -> Void) async {
        var wait = Self.firstRetry
        while !Task.isCancelled {
            let connection = DBusConnection(bus)
            let renewal = Renewal(connection)
            let failure = await follow(connection, renewal) { state in
                wait = Self.firstRetry
                report(state)
            }
            connection.close()
            await connection.waitUntilClosed()
            guard !Task.isCancelled else { return }
            if renewal.isWanted { continue }
            report(.unusable(.noBluetoothService, detail: Self.unreachable(failure)))
            try? await Task.sleep(for: wait)
            wait = min(wait * 2, Self.maximumRetry)
        }
    }

    /// Follows the state while the connection lasts.
    /// - Returns: why the connection ended.
    private func follow(_ connection: DBusConnection, _ renewal: Renewal, _ report: (AdapterState) -> Void) async
        -> DBusError
    {
        let (pokes, poke) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let resets = ResetCount()
        let receptions = [
            DBusMatch(sender: BlueZName.bus, member: "NameOwnerChanged", firstArgument: BlueZName.service),
            DBusMatch(sender: BlueZName.service, path: "/", interface: BlueZName.objectManager),
            DBusMatch(
                sender: BlueZName.service, pathNamespace: BlueZName.root, interface: BlueZName.properties,
                member: "PropertiesChanged", firstArgument: BlueZName.adapter),
        ].map { match in
            connection.receive(match) { signal in
                guard Self.mayChangeState(signal) else { return }
                if let path = Self.resetPath(signal) { resets.add(path) }
                poke.yield()
            } end: {
                poke.finish()
            }
        }
        defer { for reception in receptions { reception.cancel() } }
        var clock: Task<Void, Never>?
        defer { clock?.cancel() }
        func lookAgain() {
            clock = Task { if (try? await Task.sleep(for: Self.recheckInterval)) != nil { poke.yield() } }
        }
        poke.yield()
        var last: AdapterState?
        for await _ in pokes {
            if Task.isCancelled { return .cancelled }
            clock?.cancel()
            do throws(DBusError) {
                let state = try await state(connection, renewal, resets, last: last)
                if state != last { report(state) }
                last = state
                if case .unusable(.bluetoothForbidden, _) = state { lookAgain() }
            } catch .disconnected(let reason) {
                return .disconnected(reason)
            } catch {
                // bluetoothd left meanwhile, or does not answer.
                if Task.isCancelled { return .cancelled }
                lookAgain()
            }
        }
        return .disconnected("it was closed")
    }

    private func state(
        _ connection: DBusConnection, _ renewal: Renewal, _ resets: ResetCount, last: AdapterState?
    ) async throws(DBusError) -> AdapterState {
        // Read before the queries: if a reset happens in between, the answers are old, and the next state differs.
        let resetCounts = resets.counts
        do throws(DBusError) {
            let owner = try await connection.call(
                BlueZName.bus, BlueZName.busPath, BlueZName.bus, "GetNameOwner", [.string(BlueZName.service)])
            let names = try await adapterNames(connection)
            guard let name = try await choose(names, connection, last) else {
                let wish = self.name.map { "There is no Bluetooth adapter \($0)." } ?? "There is no Bluetooth adapter."
                let have = names.isEmpty ? "Plug one in." : "There is \(names.joined(separator: ", "))."
                return .unusable(.noBluetoothAdapter, detail: "\(wish) \(have)")
            }
            guard try await isPowered(name, connection) else {
                return .unusable(
                    .bluetoothOff,
                    detail:
                        "The Bluetooth adapter \(name) is off. Switch it on, for instance by 'bluetoothctl power on'."
                )
            }
            return .ready(
                ReadyAdapter(
                    connection: connection, owner: owner.first?.text ?? "", path: "\(BlueZName.root)/\(name)",
                    resetCount: resetCounts["\(BlueZName.root)/\(name)"] ?? 0,
                    radioFolder: RadioFolder.path(bus, adapter: name), renew: { renewal.want() }))
        } catch {
            guard let (problem, detail) = Self.problem(error) else { throw error }
            return .unusable(problem, detail: detail)
        }
    }

    /// What an error says about the access to bluetoothd, and text for the user; nil if nothing.
    static func problem(_ error: DBusError) -> (DiscoveryProblem, detail: String)? {
        if error.isAccessDenied { return (.bluetoothForbidden, forbidden(error)) }
        guard error.isRefusal("NameHasNoOwner") || error.isRefusal("ServiceUnknown") else { return nil }
        // Debian's unit does not start without this folder, and systemctl then reports no error.
        let hasAdapter = access("/sys/class/bluetooth", F_OK) == 0
        return (
            .noBluetoothService,
            hasAdapter
                ? "bluetoothd does not run. Install it ('sudo apt install bluez'), or start it ('sudo systemctl start bluetooth')."
                : "bluetoothd does not run, and there is no Bluetooth adapter. Plug one in; bluetoothd is in Debian's package bluez."
        )
    }

    /// The text for a user whose bus or bluetoothd does not answer.
    static func unreachable(_ error: DBusError) -> String {
        "Cannot talk to bluetoothd: \(error). Check that the system's message bus runs."
    }

    /// The text for a user who may not use Bluetooth.
    static func forbidden(_ error: DBusError) -> String {
        "The system denies access to Bluetooth: \(error). Join the group 'bluetooth', or ask the administrator."
    }

    private func adapterNames(_ connection: DBusConnection) async throws(DBusError) -> [String] {
        let answer = try await connection.call(
            BlueZName.service, BlueZName.root, BlueZName.introspectable, "Introspect")
        return BlueZName.adapterNames(introspection: answer.first?.text ?? "")
    }

    private func choose(_ names: [String], _ connection: DBusConnection, _ last: AdapterState?)
        async throws(DBusError) -> String?
    {
        if let name { return names.first { $0 == name } }
        // An adapter that works stays the chosen one.
        if case .ready(let adapter) = last, names.contains(adapter.name),
            try await isPowered(adapter.name, connection)
        {
            return adapter.name
        }
        for name in names where try await isPowered(name, connection) { return name }
        return names.first
    }

    private func isPowered(_ name: String, _ connection: DBusConnection) async throws(DBusError) -> Bool {
        do throws(DBusError) {
            let answer = try await connection.call(
                BlueZName.service, "\(BlueZName.root)/\(name)", BlueZName.properties, "Get",
                [.string(BlueZName.adapter), .string("Powered")])
            return answer.first?.boolean ?? false
        } catch {
            // The adapter was removed a moment ago.
            if error.isRefusal("UnknownObject") || error.isRefusal("UnknownMethod") { return false }
            throw error
        }
    }

    /// Whether a signal is about an adapter or bluetoothd, not about a device.
    private static func mayChangeState(_ signal: DBusSignal) -> Bool {
        guard signal.interface == BlueZName.objectManager else { return true }
        return signal.arguments.first?.text.flatMap { BlueZName.adapterName(path: $0) } != nil
    }

    /// The path of the adapter whose registrations bluetoothd forgets with this signal; nil for other signals. After a
    /// restart bluetoothd has another unique name.
    private static func resetPath(_ signal: DBusSignal) -> String? {
        switch signal.member {
        case "InterfacesRemoved": return signal.arguments.first?.text
        case "PropertiesChanged":
            let isOff = signal.arguments.count > 1 && signal.arguments[1].named?["Powered"]?.boolean == false
            return isOff ? signal.path : nil
        default: return nil
        }
    }
}

/// Ends a connection so that the watch makes another in its place.
private final class Renewal: Sendable {
    private let connection: DBusConnection
    private let wanted = Mutex(false)

    init(_ connection: DBusConnection) {
        self.connection = connection
    }

    var isWanted: Bool { wanted.withLock { $0 } }

    func want() {
        wanted.withLock { $0 = true }
        connection.close()
    }
}

/// How often each adapter lost all its registrations, by path.
private final class ResetCount: Sendable {
    /// Adapters come and go, but a machine has few.
    private let values = Mutex<[String: Int]>([:])
    var counts: [String: Int] { values.withLock { $0 } }
    func add(_ path: String) { values.withLock { $0[path, default: 0] += 1 } }
}
