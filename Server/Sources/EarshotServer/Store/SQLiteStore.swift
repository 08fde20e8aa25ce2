import FoundationEssentials
package import GRDB

/// The embedded store: one SQLite file, in write-ahead logging so that readers never wait for writers.
///
/// `synchronous = FULL`: an answered commit is on the disk, not only in the kernel.
package final class SQLiteStore: Store {
    let pool: DatabasePool
    let writes: WriteQueue
    /// The files that other users could read or write until this store was opened.
    let repairedFiles: [String]

    /// Opens the file, creates a missing one, and migrates its tables to the current version.
    /// - Parameters:
    ///   - path: the path of the database; `-wal` and `-shm` stand beside it.
    ///   - pendingWrites: the maximum number of writes that wait for the disk.
    ///   - clock: the source of the writes' time.
    /// - Throws: GRDB's `DatabaseError` if SQLite cannot open or migrate the file; `AdministrationError` if other users may
    ///   read it and this process may not change that.
    package init(path: String, pendingWrites: Int = 4_096, clock: any ServiceClock = SystemClock.shared) throws {
        var configuration = Configuration()
        configuration.label = "earshotd"
        // `earshotd key create` writes beside a running service; each waits for the other.
        configuration.busyMode = .timeout(5)
        configuration.maximumReaderCount = 4
        configuration.prepareDatabase { database in
            try database.execute(sql: "PRAGMA journal_size_limit = 67108864")
        }
        repairedFiles = try DatabaseFiles.protect(path)
        pool = try DatabasePool(path: path, configuration: configuration)
        // GRDB sets NORMAL when it opens a pool, after the block above has run.
        try pool.writeWithoutTransaction { try $0.execute(sql: "PRAGMA synchronous = FULL") }
        try Schema.migrator.migrate(pool)
        writes = WriteQueue(pool, capacity: pendingWrites, clock: clock)
    }

    /// Waits for readers and writers, and closes the database.
    /// - Throws: GRDB's `DatabaseError` if a connection cannot be closed.
    package func close() throws { try pool.close() }

    /// Merges the write-ahead log into the database, and empties it.
    ///
    /// SQLite would do so when the last connection closes, but the pool closes its read-only connections last.
    /// - Throws: if another process reads. Then the log stays, and nothing is lost.
    func mergeLog() throws {
        try pool.writeWithoutTransaction { _ = try $0.checkpoint(.truncate) }
    }

    func check() async throws {
        try await writes.perform { database, now in
            try database.run("UPDATE probe SET written_at = ?", [now])
        }
    }

    func counts(now: Moment) async throws -> StoreCounts {
        try await pool.read { [writes] database in
            func count(_ sql: String) throws -> Int {
                try database.count(sql, [now.milliseconds])
            }
            return StoreCounts(
                devices: try count("SELECT count(*) FROM device WHERE ended_at IS NULL AND expires_at > ?"),
                publications: try count("SELECT count(*) FROM publication WHERE ended_at IS NULL AND expires_at > ?"),
                subscriptions: try count("SELECT count(*) FROM subscription WHERE expires_at > ?"),
                sightings: try count("SELECT count(*) FROM sighting WHERE expires_at > ?"),
                beacons: try database.count("SELECT count(*) FROM beacon"),
                attachments: try database.count("SELECT count(*) FROM attachment"),
                waitingWrites: writes.waitingCount)
        }
    }
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
