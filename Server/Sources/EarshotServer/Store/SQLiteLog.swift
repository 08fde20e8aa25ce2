import FoundationEssentials
import GRDB

/// The log of the embedded store: rows of one SQLite file.
///
/// If the database refuses a change, memory is read again before the next one, so no later change depends on data that
/// is not on the disk.
struct SQLiteLog: ChangeLog {
    let writes: WriteQueue
    let pool: DatabasePool
    /// Whether memory may be ahead of the rows, because the database refused a change.
    let isStale: SharedFlag

    var waitingCount: Int { writes.waitingCount }
    var lag: Duration { writes.lag }

    func append<Value: Sendable>(
        isPatient: Bool, _ body: @escaping @Sendable (_ now: Moment) throws -> (Value, RowChanges)
    ) async throws -> Value {
        try await writes.perform(isPatient: isPatient) { [isStale] database, now in
            do {
                let (value, changes) = try body(now)
                try Self.write(changes, database)
                return value
            } catch let problem as Problem {
                throw problem
            } catch {
                isStale.set(true)
                throw error
            }
        }
    }

    func afterChanges<Value: Sendable>(
        _ body: @escaping @Sendable (_ now: Moment) -> Value
    ) async throws -> Value { try await writes.afterWrites(body) }

    func contents(of publications: [Int64]) async throws -> [Int64: Data] {
        try await pool.read { database in
            let statement = try database.cachedStatement(sql: "SELECT content FROM publication WHERE id = ?")
            var contents: [Int64: Data] = [:]
            for row in publications { contents[row] = try Data.fetchOne(statement, arguments: [row]) }
            return contents
        }
    }

    private static func write(_ changes: RowChanges, _ database: Database) throws {
        try insert(changes, database)
        for (table, ends) in [
            ("device", changes.deviceEnds), ("publication", changes.publicationEnds),
            ("subscription", changes.subscriptionEnds),
        ] {
            for (row, expires) in ends {
                try database.run("UPDATE \(table) SET expires_at = ? WHERE id = ?", [expires, row])
            }
        }
        for (device, sequence) in changes.deletedDeliveries { try delete(device, sequence, database) }
        for delivered in changes.delivered {
            if let replaced = delivered.replaced { try delete(delivered.device, replaced, database) }
            try database.run(
                """
                INSERT INTO delivery (device_id, sequence, subscription_id, publication_id, is_found, changed_at)
                VALUES (?, ?, ?, ?, ?, ?)
                """,
                [
                    delivered.device, delivered.delivery.sequence, delivered.pair.subscription,
                    delivered.pair.publication, delivered.delivery.isFound, delivered.delivery.changed,
                ])
        }
        for (device, sequence) in changes.sequences {
            try database.run("UPDATE device SET sequence = ? WHERE id = ?", [sequence, device])
        }
        for (device, sequence) in changes.forgotten {
            try database.run(
                "UPDATE device SET forgotten = max(forgotten, ?) WHERE id = ?", [sequence, device])
        }
        for (row, moment) in changes.endedPublications {
            try database.run("UPDATE publication SET ended_at = ? WHERE id = ?", [moment, row])
        }
        for (table, rows) in [
            ("publication", changes.deletedPublications), ("subscription", changes.deletedSubscriptions),
            ("token", changes.deletedTokens), ("device", changes.deletedDevices),
        ] {
            for row in rows { try database.run("DELETE FROM \(table) WHERE id = ?", [row]) }
        }
    }

    private static func insert(_ changes: RowChanges, _ database: Database) throws {
        for (row, device) in changes.openedDevices {
            try database.run(
                """
                INSERT INTO device (id, identifier, key_id, project_id, hash, expires_at, sequence, forgotten)
                VALUES (?, ?, ?, ?, ?, ?, 0, 0)
                """,
                [row, device.identifier, device.key, device.project, device.hash, device.expires])
        }
        for (offer, content) in changes.madePublications {
            let publication = offer.publication
            try database.run(
                """
                INSERT INTO publication (id, identifier, device_id, project_id, idempotency_key, namespace, type,
                    expires_at, content_count, content) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                """,
                [
                    publication.row, publication.identifier, offer.device, offer.project, offer.order,
                    publication.namespace, publication.type, offer.expires, publication.contentCount, content,
                ])
        }
        for wish in changes.madeSubscriptions {
            let subscription = wish.subscription
            try database.run(
                """
                INSERT INTO subscription (id, identifier, device_id, project_id, idempotency_key, namespace, type,
                    expires_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?)
                """,
                [
                    subscription.row, subscription.identifier, wish.device, wish.project, wish.order,
                    subscription.filter.namespace, subscription.filter.type, wish.expires,
                ])
        }
        for (row, token) in changes.issuedTokens {
            let (publication, subscription) = token.binding.columns
            try database.run(
                """
                INSERT INTO token (id, project_id, bytes, device_id, publication_id, subscription_id, issued_at,
                    expires_at, wrapped_key) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
                """,
                [
                    row, token.name.project, token.name.data, token.device, publication, subscription, token.issued,
                    token.expires, token.key,
                ])
        }
    }

    private static func delete(_ device: Int64, _ sequence: Int64, _ database: Database) throws {
        try database.run("DELETE FROM delivery WHERE device_id = ? AND sequence = ?", [device, sequence])
    }
}
