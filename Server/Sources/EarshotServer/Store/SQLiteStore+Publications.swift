import FoundationEssentials
import GRDB

extension SQLiteStore {
    private static let columns = "id, identifier, namespace, type, content_count, expires_at"

    func publish(_ order: PublicationOrder) async throws -> Outcome<Publication> {
        try await writes.perform { database, now in
            let session = order.renewal.session
            let expires = now + order.renewal.timeToLive
            try Self.prolong(order.renewal, database, now: now)
            if let earlier = try Self.earlier(order, database) {
                let (renewed, token) = try Self.renew(earlier, order.renewal, database, now: now)
                // An expired publication that was not swept yet lives again.
                return Outcome(
                    value: renewed, token: token, isNew: false,
                    woken: try Self.settle(session.device, database, now: now))
            }
            try Self.requireRoom(in: "publication", order.perDevice, order.perKey, session, database, now: now)
            try database.run(
                """
                INSERT INTO publication (identifier, device_id, key_id, project_id, idempotency_key, namespace,
                    type, expires_at, content_count, content) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                """,
                [
                    order.identifier, session.device, session.key, session.project, order.idempotencyKey,
                    order.message.namespace, order.message.type, expires,
                    order.message.content.count, order.message.content,
                ])
            let publication = Publication(
                row: database.lastInsertedRowID, identifier: order.identifier, namespace: order.message.namespace,
                type: order.message.type, contentCount: order.message.content.count, expires: expires)
            let token = try Self.issue(
                order.renewal.token, for: .publication(publication.row), session, database, now: now)
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
        try await writes.perform { database, now in
            try Self.prolong(renewal, database, now: now)
            return try Self.publication(identifier, of: renewal.session, now, database)
                .map { try Self.renew($0, renewal, database, now: now) }
        }
    }

    func unpublish(_ identifier: String, of session: Session) async throws -> Woken? {
        try await writes.perform { database, now in
            guard let publication = try Self.publication(identifier, of: session, now, database) else { return nil }
            try database.run("UPDATE publication SET ended_at = ? WHERE id = ?", [now, publication.row])
            return try Self.settle(session.device, database, now: now)
        }
    }

    private static func renew(
        _ publication: Publication, _ renewal: Renewal, _ database: Database, now: Moment
    ) throws -> (Publication, IssuedToken) {
        let expires = now + renewal.timeToLive
        try database.run("UPDATE publication SET expires_at = ? WHERE id = ?", [expires, publication.row])
        let renewed = Publication(
            row: publication.row, identifier: publication.identifier, namespace: publication.namespace,
            type: publication.type, contentCount: publication.contentCount, expires: expires)
        let token = try issue(
            renewal.token, for: .publication(publication.row), renewal.session, database, now: now)
        return (renewed, token)
    }

    /// The publication of an earlier order with the same idempotency key, if any.
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

    /// Checks that one more fits the limits of the device and of its key.
    ///
    /// A device has few, so they are counted one by one. A key has a stored count, so expired ones count until they are
    /// swept away.
    static func requireRoom(
        in table: String, _ perDevice: Int, _ perKey: Int, _ session: Session, _ database: Database, now: Moment
    ) throws {
        let alive = table == "publication" ? "ended_at IS NULL AND expires_at > ?" : "expires_at > ?"
        let ofDevice = try database.count(
            "SELECT count(*) FROM \(table) WHERE device_id = ? AND \(alive)", [session.device, now])
        guard ofDevice < perDevice else { throw Problem.quota("\(table)s", limit: perDevice, per: "device") }
        let ofKey = try database.count("SELECT \(table)s FROM api_key WHERE id = ?", [session.key])
        guard ofKey < perKey else { throw Problem.quota("\(table)s", limit: perKey, per: "key") }
    }
}
