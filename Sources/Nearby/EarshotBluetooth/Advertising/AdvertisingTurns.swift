/// Which advertisements are on the air, and which wait for their turn. It has no clock and makes no calls.
struct AdvertisingTurns: Sendable {
    /// An advertisement that bluetoothd sends.
    struct Registration: Sendable, Equatable {
        var path: String
        var content: Advertisement
    }

    /// The advertisements to send, without duplicates.
    private(set) var wanted: [Advertisement] = []
    /// Those on the air, the oldest first.
    private(set) var registered: [Registration] = []
    /// The one that began last.
    private var latest: Advertisement?

    /// Sets the advertisements to send.
    mutating func want(_ contents: [Advertisement]) {
        wanted = []
        for content in contents where !wanted.contains(content) { wanted.append(content) }
    }

    /// The wanted advertisements that are not on the air, the longest waiting first.
    var waiting: [Advertisement] {
        let air = registered.map(\.content)
        // They take turns in the order of the list, so the next follows the one that began last.
        let last = latest.flatMap { wanted.firstIndex(of: $0) } ?? -1
        let order = wanted[(last + 1)...] + wanted[...max(last, -1)]
        return order.filter { !air.contains($0) }
    }

    /// The number of wanted advertisements on the air.
    var keptCount: Int { registered.count { wanted.contains($0.content) } }

    /// The first on the air that is no longer wanted.
    var obsolete: Registration? { registered.first { !wanted.contains($0.content) } }

    /// Notes that bluetoothd sends an advertisement.
    mutating func add(_ registration: Registration) {
        registered.append(registration)
        latest = registration.content
    }

    /// Notes that bluetoothd no longer sends the one at a path.
    mutating func remove(_ path: String) {
        registered.removeAll { $0.path == path }
    }

    /// Notes that bluetoothd forgot all of them.
    mutating func removeAll() {
        registered = []
    }
}
