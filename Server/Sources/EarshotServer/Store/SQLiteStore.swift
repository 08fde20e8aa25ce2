import FoundationEssentials
package import GRDB
import Synchronization

/// The embedded store: one SQLite file in write-ahead logging mode, so that readers do not wait for writers.
///
/// `synchronous = FULL`: an answered commit is on the disk, not only in the kernel.
package final class SQLiteStore: Store {
    let pool: DatabasePool
    let writes: WriteQueue
    let engine: Engine
    let commits = Durations()
    var gauges: [Gauge] { [] }
    /// Whether memory may be ahead of the rows, because the database refused a change.
    let isStale: SharedFlag
    /// The right to serve; nil for the operator's commands.
    private let lock: DatabaseLock?
    var isServing: Bool { lock != nil }
    /// The live items; only for a store that serves.
    var live: SharedLive { engine.live }
    var clock: any ServiceClock { engine.clock }
    /// A connection that only reads which keys are revoked.
    let revocations: DatabaseQueue
    let knownRevocations = Atomic(-1)
    /// The time of the last reading of the revoked keys.
    let revocationsSeen = Mutex<ContinuousClock.Instant?>(nil)
    /// The files that other users could read or write until this store was opened.
    let repairedFiles: [String]
    private let folder: String
    private let minimumRoomBytes: UInt64

    /// Opens the file, creates a missing one, and migrates its tables to the current version.
    /// - Parameters:
    ///   - path: the path of the database; `-wal` and `-shm` are beside it.
    ///   - pendingWrites: the maximum number of writes that wait for the disk.
    ///   - clock: the source of the writes' time.
    ///   - minimumRoomBytes: the free space on the disk below which the store counts as failing. The write-ahead log
    ///     alone may take 64 MiB.
    ///   - creates: whether to create a missing file, and the tables of an empty one.
    ///   - isServing: whether to read the live items into memory. The operator's commands leave that to the service.
    /// - Throws: `DatabaseInUse` if another service has the database; GRDB's `DatabaseError` if SQLite cannot open or
    ///   migrate the file; `AdministrationError` if the path names something other than a database of this or an earlier
    ///   earshotd, or if other users may read it and this process may not change that.
    package init(
        path: String, pendingWrites: Int = 4_096, clock: any ServiceClock = SystemClock.shared,
        minimumRoomBytes: UInt64 = 64 << 20, creates: Bool = true,
        isServing: Bool = true
    ) throws {
        folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
        self.minimumRoomBytes = minimumRoomBytes
        var configuration = Configuration()
        configuration.label = "earshotd"
        // `earshotd key create` writes while a service runs; each waits for the other.
        configuration.busyMode = .timeout(5)
        configuration.maximumReaderCount = 4
        configuration.prepareDatabase { database in
            try database.execute(sql: "PRAGMA journal_size_limit = 67108864")
        }
        try DatabaseFiles.check(path)
        try Schema.check(path, creates: creates)
        lock = isServing ? try DatabaseLock(database: path) : nil
        repairedFiles = try DatabaseFiles.protect(path)
        pool = try DatabasePool(path: path, configuration: configuration)
        // GRDB sets NORMAL when it opens a pool, after the block above has run.
        try pool.writeWithoutTransaction { try $0.execute(sql: "PRAGMA synchronous = FULL") }
        try Schema.migrator.migrate(pool)
        var reading = Configuration()
        reading.readonly = true
        reading.busyMode = .timeout(5)
        revocations = try DatabaseQueue(path: path, configuration: reading)
        let (live, isStale) = (SharedLive(), SharedFlag())
        self.isStale = isStale
        writes = WriteQueue(
            pool, capacity: pendingWrites, commits: commits, clock: clock,
            needsRepair: { isStale.isSet },
            prepare: { database, now in
                guard isStale.isSet else { return }
                let rows = try LiveRows(database)
                live.withLock { $0 = Live(rows, keeping: $0, isRestart: false, now: now) }
                isStale.set(false)
            }, onCommit: { live.withLock { $0.commit() } }, onFailedCommit: { isStale.set(isServing) })
        engine = Engine(live, log: SQLiteLog(writes: writes, pool: pool, isStale: isStale), clock: clock)
        guard isServing else { return }
        let rows = try pool.read { try LiveRows($0) }
        live.withLock { $0 = Live(rows, isRestart: true, now: clock.now) }
    }

    /// Waits for readers and writers, and closes the database.
    /// - Throws: GRDB's `DatabaseError` if a connection cannot be closed.
    package func close() throws {
        try revocations.close()
        try pool.close()
        lock?.release()
    }

    /// Merges the write-ahead log into the database and empties it.
    ///
    /// SQLite would do so when the last connection closes, but the pool closes its read-only connections last.
    /// - Throws: if another process is reading. Then the log stays, and nothing is lost.
    func mergeLog() throws {
        try pool.writeWithoutTransaction { _ = try $0.checkpoint(.truncate) }
    }

    /// The time for which a refused write counts if no other follows. Without this limit and without requests, the
    /// store would stay marked as failing.
    private static let refusalLifetime = Duration.seconds(60)

    func check() async throws {
        try await writes.perform(isProbe: true) { database, now in
            try database.run("UPDATE probe SET written_at = ?", [now])
        }
        // The probe may succeed when larger writes fail.
        if let refusal = writes.refusal, ContinuousClock.now - refusal.at < Self.refusalLifetime {
            throw StoreTrouble(reason: "the last write failed: \(refusal.reason)")
        }
        let attributes: [FileAttributeKey: Any]
        do {
            attributes = try FileManager.default.attributesOfFileSystem(forPath: folder)
        } catch {
            throw StoreTrouble(reason: "the folder of the database cannot be read")
        }
        guard let room = attributes[.systemFreeSize] as? UInt64 else { return }
        guard room >= minimumRoomBytes else {
            throw StoreTrouble(reason: "the disk has \(room >> 20) MiB left, less than \(minimumRoomBytes >> 20)")
        }
    }
}

/// The reason why a store counts as failing although it can be written.
struct StoreTrouble: StoreFailure {
    let reason: String
}

/// A flag that several threads may set.
final class SharedFlag: Sendable {
    private let flag = Atomic(false)

    var isSet: Bool { flag.load(ordering: .acquiring) }
    func set(_ value: Bool) { flag.store(value, ordering: .releasing) }
}

extension Moment: DatabaseValueConvertible {
    package var databaseValue: DatabaseValue { milliseconds.databaseValue }

    package static func fromDatabaseValue(_ value: DatabaseValue) -> Moment? {
        Int64.fromDatabaseValue(value).map(Moment.init(milliseconds:))
    }
}

extension DatabaseError: StoreFailure {
    var reason: String { "\(resultCode) \(message ?? "")" }
}

extension Error {
    /// What SQLite says of a file that is damaged; nil for any other error.
    package var damage: String? {
        guard let error = self as? DatabaseError, [.SQLITE_CORRUPT, .SQLITE_NOTADB].contains(error.resultCode) else {
            return nil
        }
        return "SQLite: \(error.message ?? "the file is damaged")"
    }

    /// The difference of the tables from those of this service, which damage of their descriptions may leave; nil for any other error.
    package var strangeTables: String? {
        guard let error = self as? DatabaseError, error.resultCode == .SQLITE_ERROR else { return nil }
        return "The tables are not those of earshotd: \(error.message ?? "SQLite does not say why")"
    }
}
