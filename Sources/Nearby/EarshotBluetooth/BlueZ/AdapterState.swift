import EarshotDBus
import EarshotDiscovery

/// Whether an adapter can be used now.
enum AdapterState: Sendable, Equatable {
    /// The problem, and text for the user: what is wrong and what to do.
    case unusable(DiscoveryProblem, detail: String)
    case ready(ReadyAdapter)
}

/// An adapter that is there and switched on.
struct ReadyAdapter: Sendable, Equatable {
    let connection: DBusConnection
    /// bluetoothd's unique name. Calls and signals with any other name are not from bluetoothd.
    let owner: String
    /// The path of the adapter's object.
    let path: String
    /// Counts how often the adapter was switched off, removed or restarted: each time it lost all registrations.
    let resetCount: Int
    /// The folder whose locks the user's programs share for the adapter; nil if there is none.
    let radioFolder: String?
    /// Makes the watch connect again. bluetoothd then forgets all that this connection asked for.
    let renew: @Sendable () -> Void

    /// The name of the adapter, such as `hci0`.
    var name: String { BlueZName.adapterName(path: path) ?? path }

    static func == (left: ReadyAdapter, right: ReadyAdapter) -> Bool {
        left.connection === right.connection && left.owner == right.owner && left.path == right.path
            && left.resetCount == right.resetCount
    }

    /// Whether the adapter currently scans for any program.
    var isDiscovering: Bool {
        get async throws(DBusError) {
            try await properties(BlueZName.adapter, timeLimit: .seconds(1))["Discovering"] == .boolean(true)
        }
    }

    /// Calls a method of bluetoothd.
    /// - Parameter timeLimit: The maximum time to wait; above 0.
    func call(
        _ interface: String, _ member: String, _ arguments: [DBusValue] = [], path: String? = nil,
        timeLimit: Duration = .seconds(10)
    ) async throws(DBusError) -> [DBusValue] {
        try await connection.call(
            BlueZName.service, path ?? self.path, interface, member, arguments, timeLimit: timeLimit)
    }

    /// The properties of an object of bluetoothd.
    func properties(_ interface: String, path: String? = nil, timeLimit: Duration = .seconds(10))
        async throws(DBusError) -> [String: DBusValue]
    {
        try await call(BlueZName.properties, "GetAll", [.string(interface)], path: path, timeLimit: timeLimit).first?
            .named ?? [:]
    }
}
