package import EarshotDBus
public import EarshotDiscovery

/// The Bluetooth adapters of this machine, and the kind of bluetoothd that serves them. It opens and changes nothing.
public struct BluetoothOverview: Sendable, Equatable {
    /// An adapter.
    public struct Adapter: Sendable, Equatable {
        /// Such as `hci0`.
        public let name: String
        /// Whether it is switched on.
        public let isPowered: Bool
        /// Nil if the adapter has no Low Energy, which Earshot needs.
        public let bluetoothd: BluetoothdKind?
    }

    /// Why there are no adapters, and text for the user.
    public struct Trouble: Sendable, Equatable {
        /// What is missing.
        public let problem: DiscoveryProblem
        /// What is wrong, and what to do.
        public let detail: String
    }

    /// The adapters, in the order of their numbers.
    public let adapters: [Adapter]
    /// Nil if there are adapters.
    public let trouble: Trouble?

    /// Asks bluetoothd.
    /// - Parameter timeLimit: The maximum time for each of its answers; above 0.
    public static func read(timeLimit: Duration = .seconds(2)) async -> BluetoothOverview {
        await read(.system, timeLimit: timeLimit)
    }

    /// The same on another bus than the system's.
    package static func read(_ bus: DBusBus, timeLimit: Duration = .seconds(2)) async -> BluetoothOverview {
        let connection = DBusConnection(bus)
        defer { connection.close() }
        do throws(DBusError) {
            // A question to the bus, because one to bluetoothd would start it.
            _ = try await connection.call(
                BlueZName.bus, BlueZName.busPath, BlueZName.bus, "GetNameOwner", [.string(BlueZName.service)],
                timeLimit: timeLimit)
            let names = BlueZName.adapterNames(
                introspection: try await introspection(BlueZName.root, connection, timeLimit))
            var adapters: [Adapter] = []
            for name in names {
                if let adapter = try await adapter(name, connection, timeLimit) { adapters.append(adapter) }
            }
            if !adapters.isEmpty { return BluetoothOverview(adapters: adapters, trouble: nil) }
            return BluetoothOverview(.noBluetoothAdapter, "There is no Bluetooth adapter. Plug one in.")
        } catch {
            if let (problem, detail) = AdapterWatch.problem(error) { return BluetoothOverview(problem, detail) }
            return BluetoothOverview(.noBluetoothService, AdapterWatch.unreachable(error))
        }
    }

    init(adapters: [Adapter], trouble: Trouble?) {
        (self.adapters, self.trouble) = (adapters, trouble)
    }

    private init(_ problem: DiscoveryProblem, _ detail: String) {
        self.init(adapters: [], trouble: Trouble(problem: problem, detail: detail))
    }

    /// An adapter; nil if it was removed a moment ago.
    private static func adapter(_ name: String, _ connection: DBusConnection, _ timeLimit: Duration)
        async throws(DBusError) -> Adapter?
    {
        let path = "\(BlueZName.root)/\(name)"
        do throws(DBusError) {
            let interfaces = try await introspection(path, connection, timeLimit)
            let answer = try await connection.call(
                BlueZName.service, path, BlueZName.properties, "Get",
                [.string(BlueZName.adapter), .string("Powered")], timeLimit: timeLimit)
            // bluetoothd offers both only on an adapter with Low Energy.
            let hasLowEnergy = interfaces.contains("\"\(BlueZName.advertisingManager)\"")
            let offersMonitors = interfaces.contains("\"\(BlueZName.monitorManager)\"")
            return Adapter(
                name: name, isPowered: answer.first?.boolean ?? false,
                bluetoothd: hasLowEnergy ? BluetoothdKind(offersMonitors: offersMonitors) : nil)
        } catch {
            if error.isRefusal("UnknownObject") || error.isRefusal("UnknownMethod") { return nil }
            throw error
        }
    }

    private static func introspection(_ path: String, _ connection: DBusConnection, _ timeLimit: Duration)
        async throws(DBusError) -> String
    {
        try await connection.call(
            BlueZName.service, path, BlueZName.introspectable, "Introspect", timeLimit: timeLimit
        ).first?.text ?? ""
    }
}
