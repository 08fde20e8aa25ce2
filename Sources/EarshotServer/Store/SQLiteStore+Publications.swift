import FoundationEssentials
import GRDB

extension SQLiteStore {
    private static let columns = "id, identifier, namespace, type, content_count, expires_at"

    func publish(_ order: PublicationOrder) async throws -> Outcome<Publication> {
        try await writes.perform { database in
            let (session, now) = (order.renewal.session, order.renewal.now)
            try Self.prolong(order.renewal, database)
            if let earlier = try Self.earlier(order, database) {
                let (renewed, token) = try Self.renew(earlier, order.renewal, database)
                // It may have run out, and lives again.
                return Outcome(
                    value: renewed, token: token, isNew: false,
                    woken: try Self.settle(session.device, database, now: now))
            }
            try Self.requireRoom(in: "publication", order.perDevice, order.perKey, order.renewal, database)
            try database.run(
                """
                INSERT INTO publication (identifier, device_id, key_id, project_id, idempotency_key, namespace,
                    type, expires_at, content_count, content) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                """,
                [
                    order.identifier, session.device, session.key, session.project, order.idempotencyKey,
                    order.message.namespace, order.message.type, order.renewal.expires,
                    order.message.content.count, order.message.content,
                ])
            let publication = Publication(
                row: database.lastInsertedRowID, identifier: order.identifier, namespace: order.message.namespace,
                type: order.message.type, contentCount: order.message.content.count, expires: order.renewal.expires)
            let token = try Self.issue(
                order.renewal.token, for: .publication(publication.row), session, database)
            return Outcome(
                value: publication, token: token, isNew: true,
                woken: try Self.settle(session.device, database, now: now))
        }
    }

    func publications(of session: Session, now: Moment) async throws -> [Publication] {
        try await pool.read { database in
            try database.rows(
                """
                SELECT \(Self.columns) FROM publication
                WHERE device_id = ? AND ended_at IS NULL AND expires_at > ? ORDER BY id
                """,
                [session.device, now]
            ).map(Self.publication)
        }
    }

    func renewPublication(_ identifier: String, _ renewal: Renewal) async throws -> (Publication, IssuedToken)? {
        try await writes.perform { database in
            try Self.prolong(renewal, database)
            return try Self.publication(identifier, of: renewal.session, renewal.now, database)
                .map { try Self.renew($0, renewal, database) }
        }
    }

    func unpublish(_ identifier: String, of session: Session, now: Moment) async throws -> Woken? {
        try await writes.perform { database in
            guard let publication = try Self.publication(identifier, of: session, now, database) else { return nil }
            try database.run("UPDATE publication SET ended_at = ? WHERE id = ?", [now, publication.row])
            return try Self.settle(session.device, database, now: now)
        }
    }

    private static func renew(
        _ publication: Publication, _ renewal: Renewal, _ database: Database
    ) throws -> (Publication, IssuedToken) {
        try database.run("UPDATE publication SET expires_at = ? WHERE id = ?", [renewal.expires, publication.row])
        let renewed = Publication(
            row: publication.row, identifier: publication.identifier, namespace: publication.namespace,
            type: publication.type, contentCount: publication.contentCount, expires: renewal.expires)
        return (
            renewed, try issue(renewal.token, for: .publication(publication.row), renewal.session, database)
        )
    }

    /// The same order, where it had come before.
    private static func earlier(_ order: PublicationOrder, _ database: Database) throws -> Publication? {
        guard let key = order.idempotencyKey else { return nil }
        let row = try database.row(
            """
            SELECT \(columns), content FROM publication
            WHERE device_id = ? AND idempotency_key = ? AND ended_at IS NULL
            """,
            [order.renewal.session.device, key])
        guard let row else { return nil }
        let message = Message(namespace: row["namespace"], type: row["type"], content: row["content"])
        guard message == order.message else { throw Problem.repeatDiffers }
        return publication(row)
    }

    private static func publication(
        _ identifier: String, of session: Session, _ now: Moment, _ database: Database
    ) throws -> Publication? {
        try database.row(
            """
            SELECT \(columns) FROM publication
            WHERE identifier = ? AND device_id = ? AND ended_at IS NULL AND expires_at > ?
            """,
            [identifier, session.device, now]
        ).map(publication)
    }

    private static func publication(_ row: Row) -> Publication {
        Publication(
            row: row["id"], identifier: row["identifier"], namespace: row["namespace"], type: row["type"],
            contentCount: row["content_count"], expires: row["expires_at"])
    }

    /// Whether one more fits, for the device and for its key.
    static func requireRoom(
        in table: String, _ perDevice: Int, _ perKey: Int, _ renewal: Renewal, _ database: Database
    ) throws {
        let session = renewal.session
        let alive = table == "publication" ? "ended_at IS NULL AND expires_at > ?" : "expires_at > ?"
        for (column, id, limit, owner) in [
            ("device_id", session.device, perDevice, "device"), ("key_id", session.key, perKey, "key"),
        ] {
            let count = try database.count(
                "SELECT count(*) FROM \(table) WHERE \(column) = ? AND \(alive)", [id, renewal.now])
            guard count < limit else { throw Problem.quota("\(table)s", limit: limit, per: owner) }
        }
    }
}
