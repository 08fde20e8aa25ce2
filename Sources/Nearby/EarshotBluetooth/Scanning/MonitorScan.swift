import EarshotDBus
import Synchronization

/// Scans with advertisement monitors: passively, and only for advertisements that match their patterns.
///
/// There is one monitor for each pattern, so that `DeviceFound` tells which one matched. Without thresholds for the
/// signal strength, bluetoothd calls it for each reception.
final class MonitorScan: ScanWay {
    /// bluetoothd 5.66 allows 32 monitors in all programs together.
    static let maximumPatternCount = 16
    /// How long bluetoothd may take to activate the monitors.
    private static let activationLimit = Duration.seconds(10)
    private static let numbers = Atomic(0)

    private struct State {
        var activatedCount = 0
        var hasRefused = false
        var waiting: CheckedContinuation<Bool, Never>?
    }

    private let adapter: ReadyAdapter
    private let root: String
    private let patterns: [AdvertisementPattern]
    private let found: @Sendable (String, AdvertisementPattern) -> Void
    private let state = Mutex(State())

    /// - Parameter found: receives the path of a device, and the pattern that matched. It runs on the connection's thread.
    init(
        _ adapter: ReadyAdapter, _ patterns: [AdvertisementPattern],
        found: @escaping @Sendable (String, AdvertisementPattern) -> Void
    ) {
        self.adapter = adapter
        self.patterns = patterns
        self.found = found
        root = "/earshot/monitors\(Self.numbers.add(1, ordering: .relaxed).newValue)"
    }

    /// Whether an adapter can scan with monitors, for at most `maximumPatternCount` patterns.
    static func isOffered(_ adapter: ReadyAdapter) async throws(DBusError) -> Bool {
        do throws(DBusError) {
            let manager = try await adapter.properties(BlueZName.monitorManager)
            return manager["SupportedMonitorTypes"]?.elements?.contains(.string("or_patterns")) ?? false
        } catch {
            guard case .refused = error, !error.isAccessDenied else { throw error }
            return false
        }
    }

    func begin(unless isUnwanted: @Sendable () -> Bool) async throws(DBusError) -> Bool {
        try await export()
        state.withLock { $0 = State() }
        do throws(DBusError) {
            _ = try await adapter.call(BlueZName.monitorManager, "RegisterMonitor", [.path(root)])
        } catch {
            guard error.isRefusal("AlreadyExists") else { throw error }
        }
        guard await isActivated() else {
            if Task.isCancelled { throw DBusError.cancelled }
            await end()
            throw DBusError.refused(
                name: "org.bluez.Error.NotSupported", text: "bluetoothd did not activate the advertisement monitors")
        }
        return true
    }

    func end() async {
        _ = try? await adapter.call(BlueZName.monitorManager, "UnregisterMonitor", [.path(root)])
    }

    /// Withdraws the objects; call it after the last `end`.
    func close() {
        for index in patterns.indices { adapter.connection.withdraw(path(index)) }
        adapter.connection.withdraw(root)
    }

    private func path(_ index: Int) -> String { "\(root)/monitor\(index)" }

    private func export() async throws(DBusError) {
        for (index, pattern) in patterns.enumerated() {
            try await adapter.connection.export(path(index), monitor(pattern))
        }
        try await adapter.connection.export(root, DBusObject(managesObjects: true))
    }

    private func monitor(_ pattern: AdvertisementPattern) -> DBusObject {
        let owner = adapter.owner
        let monitor = DBusObject.Interface(
            properties: ["Type": .string("or_patterns"), "Patterns": MonitorPattern(pattern).value],
            methods: [
                "Activate": { [weak self] call in
                    if call.sender == owner { self?.take(isActivated: true) }
                    return []
                },
                "Release": { [weak self] call in
                    if call.sender == owner { self?.take(isActivated: false) }
                    return []
                },
                "DeviceFound": { [found] call in
                    if call.sender == owner, let path = call.arguments.first?.text { found(path, pattern) }
                    return []
                },
                "DeviceLost": { _ in [] },
            ])
        return DBusObject([BlueZName.monitor: monitor])
    }

    private func take(isActivated: Bool) {
        let (waiting, outcome) = state.withLock { state -> (CheckedContinuation<Bool, Never>?, Bool) in
            if isActivated { state.activatedCount += 1 } else { state.hasRefused = true }
            guard let outcome = activation(state) else { return (nil, false) }
            defer { state.waiting = nil }
            return (state.waiting, outcome)
        }
        waiting?.resume(returning: outcome)
    }

    /// True if all monitors work, false if one does not; nil before that is known.
    private func activation(_ state: State) -> Bool? {
        if state.hasRefused { return false }
        return state.activatedCount >= patterns.count ? true : nil
    }

    private func isActivated() async -> Bool {
        let clock = Task {
            try? await Task.sleep(for: Self.activationLimit)
            take(isActivated: false)
        }
        defer { clock.cancel() }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let known = state.withLock { state -> Bool? in
                    let outcome = activation(state)
                    if outcome == nil { state.waiting = continuation }
                    return outcome
                }
                if let known { continuation.resume(returning: known) }
            }
        } onCancel: {
            take(isActivated: false)
        }
    }
}
