import GRDB

extension SQLiteStore {
    func position(of session: Session, after cursor: Int64?, now: Moment) async throws -> StreamPosition? {
        try await pool.read { database in
            try database.row(
                """
                SELECT sequence, forgotten FROM device JOIN api_key ON api_key.id = key_id
                WHERE device.id = ? AND expires_at > ? AND revoked_at IS NULL
                """,
                [session.device, now]
            ).map { row in
                let (last, forgotten): (Int64, Int64) = (row["sequence"], row["forgotten"])
                return StreamPosition(isResumed: cursor.map { $0 >= forgotten && $0 <= last } ?? false, last: last)
            }
        }
    }

    func changes(of session: Session, _ query: ChangeQuery) async throws -> ChangePage {
        try await pool.read { database in
            let changes = try database.rows(
                """
                SELECT delivery.sequence, is_found, subscription.identifier, publication.identifier,
                    publication.namespace, publication.type, content
                FROM delivery
                JOIN subscription ON subscription.id = subscription_id
                JOIN publication ON publication.id = publication_id
                WHERE delivery.device_id = ? AND delivery.sequence > ? AND delivery.sequence <= ? AND is_found >= ?
                ORDER BY delivery.sequence LIMIT ?
                """,
                [session.device, query.after, query.through, query.isFoundOnly, query.limit]
            ).map { row in
                Change(
                    sequence: row[0], isFound: row[1], subscription: row[2], publication: row[3],
                    message: Message(namespace: row[4], type: row[5], content: row[6]))
            }
            return ChangePage(
                changes: changes, cursor: changes.last?.sequence ?? query.after, isFull: changes.count == query.limit)
        }
    }
}
