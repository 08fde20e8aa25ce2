import EarshotDBus

/// A way to make an adapter scan.
protocol ScanWay: Sendable {
    /// Begins to scan.
    /// - Parameter isUnwanted: asked again and again while it waits; if true, it does not begin.
    /// - Returns: whether it began.
    func begin(unless isUnwanted: @Sendable () -> Bool) async throws(DBusError) -> Bool
    /// Ends the scan; no effect if the adapter does not scan.
    func end() async
}

/// Scans with `StartDiscovery`: actively, and for all kinds of advertisements.
///
/// One program at a time begins the first discovery. bluetoothd (5.66 to 5.87) remembers one caller that waits for that begin: if another
/// one calls before the answer, the first is never answered. It can then neither end its discovery nor begin another ("InProgress"), and the
/// adapter scans until it leaves the bus. Our rounds begin at the same time in all programs, so this would happen often.
///
/// The lock `discovery` is held alone from the call to its answer, then with others while the program scans: those that come then are
/// answered at once, and need not wait for each other. The last one ends alone again.
final class DiscoveryScan: ScanWay {
    /// The number of attempts if another program begins or ends a scan at the same moment.
    private static let attemptCount = 5
    /// How long to wait for the program that begins: as long as bluetoothd may take to answer it.
    private static let turnLimit = Duration.seconds(10)
    private static let pollInterval = Duration.milliseconds(5)

    private let adapter: ReadyAdapter
    private let turn: RadioLock

    init(adapter: ReadyAdapter) {
        self.adapter = adapter
        turn = RadioLock(adapter.radioFolder, "discovery")
    }

    deinit { turn.close() }

    func begin(unless isUnwanted: @Sendable () -> Bool) async throws(DBusError) -> Bool {
        // DuplicateData makes bluetoothd report data that it has reported before.
        let filter = DBusValue.properties(["Transport": .string("le"), "DuplicateData": .boolean(true)])
        _ = try await adapter.call(BlueZName.adapter, "SetDiscoveryFilter", [filter])
        for attempt in 1...Self.attemptCount {
            guard try await takeTurn(unless: isUnwanted) else { return false }
            do throws(DBusError) {
                try await call("StartDiscovery")
                _ = turn.take(alone: false)
                return true
            } catch {
                turn.giveBack()
                guard error.isRefusal("InProgress"), attempt < Self.attemptCount else { throw error }
                try? await Task.sleep(for: .milliseconds(200))
            }
        }
        return false
    }

    func end() async {
        // If others scan, the lock is theirs.
        _ = turn.take(alone: true)
        try? await call("StopDiscovery")
        turn.giveBack()
    }

    /// Waits until no other program begins the first discovery.
    ///
    /// If an advertisement needs quiet by then, a begin would only delay it: the programs would begin and end one after another.
    /// - Returns: false if the discovery is not wanted any more.
    private func takeTurn(unless isUnwanted: @Sendable () -> Bool) async throws(DBusError) -> Bool {
        let end = ContinuousClock.now + Self.turnLimit
        while !turn.take(alone: true), !turn.take(alone: false), ContinuousClock.now < end {
            if isUnwanted() { return false }
            do { try await Task.sleep(for: Self.pollInterval) } catch { throw .cancelled }
        }
        return true
    }

    /// Calls a method also if the task is cancelled: bluetoothd refuses to end a discovery whose begin it has not answered.
    private func call(_ member: String) async throws(DBusError) {
        let failure = await Task { [adapter] () -> DBusError? in
            do throws(DBusError) {
                _ = try await adapter.call(BlueZName.adapter, member)
                return nil
            } catch {
                return error
            }
        }.value
        // A program that takes no part in the turns called at the same time, or bluetoothd hangs.
        if case .noReply = failure { adapter.renew() }
        if let failure { throw failure }
    }
}
