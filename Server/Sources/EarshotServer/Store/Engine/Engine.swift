import FoundationEssentials
import Synchronization

/// The engine of every store: the live items in memory, and the operations that change them.
///
///     operation ─▶ its turn ─▶ Live ─▶ RowChanges ─▶ log ─▶ answer
///
/// It is independent of the database. The log gives each change its turn, and stores the resulting rows before the
/// answer is sent. Sightings are in memory only: a report waits for the log only if it finds or loses a message.
final class Engine: Sendable {
    let live: SharedLive
    let log: any ChangeLog
    let clock: any ServiceClock
    let presence = Presence()

    /// Creates an engine for a log.
    /// - Parameter live: the items read from the log, which marks them as committed.
    init(_ live: SharedLive, log: any ChangeLog, clock: any ServiceClock) {
        (self.live, self.log, self.clock) = (live, log, clock)
    }

    /// Changes memory and then the rows, when the log gives it a turn.
    ///
    /// Cost of a change in memory: microseconds, under the lock. `body` throws a `Problem` before it changes anything.
    /// - Parameter isPatient: whether the change may wait some milliseconds for others.
    func change<Value: Sendable>(
        isPatient: Bool = false,
        _ body: @escaping @Sendable (inout Live, inout RowChanges, _ now: Moment) throws -> Value
    ) async throws -> Value {
        try await log.append(isPatient: isPatient) { [live] now in
            try live.withLock { live in
                var changes = RowChanges()
                let value = try body(&live, &changes, now)
                return (value, changes)
            }
        }
    }

    /// The same; then it settles the pairs that wait in `unsettled`.
    /// - Returns: the devices that it wakes.
    func settle(
        _ body: @escaping @Sendable (inout Live, inout RowChanges, _ now: Moment) -> Void = { _, _, _ in }
    ) async throws -> Woken {
        try await log.append { [live] now in
            live.withLock { live in
                var changes = RowChanges()
                body(&live, &changes, now)
                live.settle(&changes, now: now)
                return (changes.woken, changes)
            }
        }
    }

    /// The result of `body` about a device, once the device's changes are on the disk.
    func committed<Value: Sendable>(
        _ session: Session, _ body: @escaping @Sendable (Live, _ now: Moment) -> Value
    ) async throws -> Value {
        let now = clock.now
        let value = live.withLock { live in
            live.uncommitted.contains(session.device) ? nil : body(live, now)
        }
        if let value { return value }
        return try await log.afterChanges { [live] now in live.withLock { body($0, now) } }
    }

    /// The numbers of live items.
    var counts: StoreCounts {
        live.withLock { live in
            StoreCounts(
                devices: live.devices.count, publications: live.offerRows.count, subscriptions: live.wishes.count,
                sightings: live.sightingCount, waitingWrites: log.waitingCount, logLag: log.lag)
        }
    }
}

/// The log of an engine: it stores changes, one turn after the other.
protocol ChangeLog: Sendable {
    /// Calls `body` when the changes before it have had their turn.
    /// - Parameters:
    ///   - isPatient: whether it may wait some milliseconds for others, to share their commit.
    ///   - body: changes memory, and gives the resulting row changes. If it throws a `Problem`, it has changed nothing.
    /// - Returns: the value of `body`, once its rows are on the disk.
    /// - Throws: the error of `body`; `Problem.overloaded` if too many changes wait; the error of the database. After
    ///   that, memory matches the rows.
    func append<Value: Sendable>(
        isPatient: Bool, _ body: @escaping @Sendable (_ now: Moment) throws -> (Value, RowChanges)
    ) async throws -> Value
    /// The value of `body`, called once all earlier changes are on the disk.
    /// - Throws: the error of the database, if it refused one of the changes written immediately before.
    func afterChanges<Value: Sendable>(
        _ body: @escaping @Sendable (_ now: Moment) -> Value
    ) async throws -> Value
    /// The contents of the publications that are on the disk, by row.
    func contents(of publications: [Int64]) async throws -> [Int64: Data]
    /// The number of changes that wait for their turn.
    var waitingCount: Int { get }
    /// The waiting time of the oldest change that is not on the disk.
    var lag: Duration { get }
}

extension ChangeLog {
    /// The same for a change that does not wait for others.
    func append<Value: Sendable>(
        _ body: @escaping @Sendable (_ now: Moment) throws -> (Value, RowChanges)
    ) async throws -> Value {
        try await append(isPatient: false, body)
    }
}

/// The live items, protected by a lock that is held for microseconds.
final class SharedLive: Sendable {
    private let live = Mutex(Live())

    func withLock<Value: Sendable>(_ body: (inout Live) throws -> Value) rethrows -> Value {
        try live.withLock { live throws -> Value in try body(&live) }
    }
}
