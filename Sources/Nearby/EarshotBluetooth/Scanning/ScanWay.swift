import EarshotDBus

/// A way to make an adapter scan.
protocol ScanWay: Sendable {
    /// Begins to scan.
    func begin() async throws(DBusError)
    /// Ends the scan; no effect if the adapter does not scan.
    func end() async
}

/// Scans with `StartDiscovery`: actively, and for all kinds of advertisements.
struct DiscoveryScan: ScanWay {
    let adapter: ReadyAdapter
    /// The number of attempts if another program begins or ends a scan at the same moment.
    private static let attemptCount = 5

    func begin() async throws(DBusError) {
        // DuplicateData makes bluetoothd report data that it has reported before.
        let filter = DBusValue.properties(["Transport": .string("le"), "DuplicateData": .boolean(true)])
        _ = try await adapter.call(BlueZName.adapter, "SetDiscoveryFilter", [filter])
        for attempt in 1...Self.attemptCount {
            do throws(DBusError) {
                _ = try await adapter.call(BlueZName.adapter, "StartDiscovery")
                return
            } catch {
                guard error.isRefusal("InProgress"), attempt < Self.attemptCount else { throw error }
                try? await Task.sleep(for: .milliseconds(200))
            }
        }
    }

    func end() async {
        _ = try? await adapter.call(BlueZName.adapter, "StopDiscovery")
    }
}
