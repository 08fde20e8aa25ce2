import Dispatch
import Foundation
internal import GRDB
import Synchronization

/// The state that must survive the end of the server, in SQLite.
///
/// Changes that wait are written together, in one transaction and with one wait for the disk. An outcome is reported
/// only after that, in the order of the changes.
final class Store: Sendable {
    typealias Completion = @Sendable (Result<StoreOutcome, StoreFailure>) -> Void

    private let database: DatabaseQueue
    private let queue = DispatchQueue(label: "simplepush.store")
    private let waiting = Mutex<[(change: StoreChange, completion: Completion)]>([])

    /// - Throws: `StoreFailure`
    init(path: String) throws {
        var configuration = Configuration()
        configuration.busyMode = .timeout(5)
        configuration.prepareDatabase { database in
            try database.execute(sql: "PRAGMA journal_mode = WAL")
            // A transaction is on the disk before it is acknowledged.
            try database.execute(sql: "PRAGMA synchronous = FULL")
        }
        do {
            let folder = (path as NSString).deletingLastPathComponent
            if !folder.isEmpty {
                try FileManager.default.createDirectory(
                    atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
            }
            // The file contains texts and the users' keys, so only its owner may read it. SQLite gives its companion
            // files the same mode.
            if !FileManager.default.fileExists(atPath: path) {
                _ = FileManager.default.createFile(atPath: path, contents: nil, attributes: [.posixPermissions: 0o600])
            }
            database = try DatabaseQueue(path: path, configuration: configuration)
            try Self.migrator.migrate(database)
        } catch {
            throw StoreFailure(description: "The database \(path) cannot be used: \(error).")
        }
    }

    private static var migrator: DatabaseMigrator {
        var migrator = DatabaseMigrator()
        migrator.registerMigration("1") { database in
            try database.execute(
                sql: """
                    CREATE TABLE user (id TEXT PRIMARY KEY, name TEXT NOT NULL, key TEXT NOT NULL) WITHOUT ROWID;
                    CREATE TABLE message (
                        sequence INTEGER PRIMARY KEY AUTOINCREMENT, recipient TEXT NOT NULL, sender TEXT NOT NULL,
                        id TEXT NOT NULL, kind TEXT NOT NULL, text TEXT NOT NULL, sentAt REAL NOT NULL,
                        UNIQUE (recipient, sender, kind, id));
                    CREATE INDEX messageRecipient ON message (recipient, sequence);
                    CREATE TABLE call (
                        id TEXT PRIMARY KEY, caller TEXT NOT NULL, callee TEXT NOT NULL, isAccepted INTEGER NOT NULL,
                        startedAt REAL NOT NULL) WITHOUT ROWID;
                    """)
        }
        return migrator
    }

    // MARK: Reading

    /// All users, calls, and waiting messages.
    func load() throws -> (users: [StoredUser], calls: [StoredCall], sums: [String: WaitingSum]) {
        try database.read { database in
            let users = try Row.fetchAll(database, sql: "SELECT id, name, key FROM user")
                .map { StoredUser(id: $0["id"], name: $0["name"], key: $0["key"]) }
            let calls = try Row.fetchAll(database, sql: "SELECT * FROM call").map { row in
                StoredCall(
                    id: row["id"], caller: row["caller"], callee: row["callee"], isAccepted: row["isAccepted"],
                    startedAt: row["startedAt"])
            }
            return (users, calls, try Self.sums(database, where: "TRUE", []))
        }
    }

    private static func sums(
        _ database: Database, where condition: String, _ arguments: StatementArguments
    ) throws -> [String: WaitingSum] {
        let rows = try Row.fetchAll(
            database,
            sql: """
                SELECT recipient, COUNT(*) AS count, SUM(LENGTH(CAST(text AS BLOB))) AS bytes, MAX(sequence) AS highest
                FROM message WHERE \(condition) GROUP BY recipient
                """, arguments: arguments)
        return Dictionary(
            rows.map {
                (
                    $0["recipient"],
                    WaitingSum(count: $0["count"], byteCount: $0["bytes"], highestSequence: $0["highest"])
                )
            }, uniquingKeysWith: { first, _ in first })
    }

    /// The next messages of a user, after all earlier changes.
    func read(
        recipient: String, after sequence: Int64, limit: Int,
        completion: @escaping @Sendable (Result<[WaitingMessage], StoreFailure>) -> Void
    ) {
        queue.async { [database] in
            let result = Result {
                try database.read { database in
                    try Row.fetchAll(
                        database,
                        sql: "SELECT * FROM message WHERE recipient = ? AND sequence > ? ORDER BY sequence LIMIT ?",
                        arguments: [recipient, sequence, limit]
                    ).map { row in
                        WaitingMessage(
                            sequence: row["sequence"], recipient: row["recipient"], sender: row["sender"],
                            id: row["id"],
                            kind: WaitingMessage.Kind(rawValue: row["kind"]) ?? .text, text: row["text"],
                            sentAt: row["sentAt"])
                    }
                }
            }
            completion(result.mapError { StoreFailure(description: "The database cannot be read: \($0).") })
        }
    }

    // MARK: Writing

    /// Writes a change. `completion` runs on the store's queue when the change is on the disk.
    func write(_ change: StoreChange, completion: @escaping Completion) {
        let isFirst = waiting.withLock { waiting in
            waiting.append((change, completion))
            return waiting.count == 1
        }
        // Changes that come while the queue is busy join the transaction that this block will write.
        if isFirst { queue.async { self.writeWaiting() } }
    }

    /// Waits until all earlier requests have their outcomes.
    func finish() async {
        await withCheckedContinuation { continuation in queue.async { continuation.resume() } }
    }

    private func writeWaiting() {
        let batch = waiting.withLock { waiting in
            defer { waiting = [] }
            return waiting
        }
        guard !batch.isEmpty else { return }
        do {
            let outcomes = try database.write { database in
                try batch.map { try Self.apply($0.change, database) }
            }
            for (entry, outcome) in zip(batch, outcomes) { entry.completion(.success(outcome)) }
        } catch {
            let failure = StoreFailure(description: "The database cannot be written: \(error).")
            for entry in batch { entry.completion(.failure(failure)) }
        }
    }

    private static func apply(_ change: StoreChange, _ database: Database) throws -> StoreOutcome {
        switch change {
        case .user(let user):
            try execute(
                database, "INSERT OR REPLACE INTO user (id, name, key) VALUES (?, ?, ?)",
                [user.id, user.name, user.key])
            return .done
        case .message(let message): return try insert(message, database)
        case .call(let call, let message):
            try execute(
                database, "INSERT OR IGNORE INTO call VALUES (?, ?, ?, ?, ?)",
                [call.id, call.caller, call.callee, call.isAccepted, call.startedAt])
            return try insert(message, database)
        case .accepted(let call):
            try execute(database, "UPDATE call SET isAccepted = 1 WHERE id = ?", [call])
            return .done
        case .ended(let call):
            try execute(database, "DELETE FROM call WHERE id = ?", [call])
            return .done
        case .acknowledged(let recipient, let through):
            return try remove("recipient = ? AND sequence <= ?", [recipient, through], database)
        case .expired(let before): return try remove("sentAt < ?", [before], database)
        }
    }

    private static func insert(_ message: WaitingMessage, _ database: Database) throws -> StoreOutcome {
        try execute(
            database,
            "INSERT OR IGNORE INTO message (recipient, sender, id, kind, text, sentAt) VALUES (?, ?, ?, ?, ?, ?)",
            [message.recipient, message.sender, message.id, message.kind.rawValue, message.text, message.sentAt])
        return database.changesCount == 0 ? .known : .kept(sequence: database.lastInsertedRowID)
    }

    private static func remove(
        _ condition: String, _ arguments: StatementArguments, _ database: Database
    ) throws -> StoreOutcome {
        let sums = try sums(database, where: condition, arguments)
        try execute(database, "DELETE FROM message WHERE \(condition)", arguments)
        return .removed(sums)
    }

    private static func execute(_ database: Database, _ sql: String, _ arguments: StatementArguments) throws {
        try database.cachedStatement(sql: sql).execute(arguments: arguments)
    }
}
