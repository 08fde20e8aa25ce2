import FoundationEssentials
import GRDB

extension Endings {
    init(_ database: Database) throws {
        for row in try database.rows("SELECT device, publication FROM ending") {
            insert(device: row[0], publication: row[1])
        }
    }
}

extension LiveRows {
    /// Reads the tables.
    init(_ database: Database) throws {
        revokedKeys = Set(try database.integers("SELECT id FROM api_key WHERE revoked_at IS NOT NULL"))
        endings = try Endings(database)
        var origins: [Int64: AllowedOrigins] = [:]
        for row in try database.rows("SELECT id, origins FROM api_key WHERE origins IS NOT NULL") {
            origins[row[0]] = AllowedOrigins(stored: row[1])
        }
        var salts: [Int64: Data] = [:]
        for row in try database.rows("SELECT id, salt FROM project WHERE salt IS NOT NULL") { salts[row[0]] = row[1] }
        devices = try database.rows(
            "SELECT id, identifier, key_id, project_id, hash, expires_at, sequence, forgotten FROM device"
        ).map { row in
            let key: Int64 = row[2]
            return (
                row[0],
                Live.Device(
                    identifier: row[1], key: key, project: row[3], hash: row[4], origins: origins[key],
                    salt: salts[row[3]], expires: row[5], sequence: row[6], forgotten: row[7])
            )
        }
        offers = try database.rows(
            """
            SELECT id, identifier, namespace, type, content_count, expires_at, device_id, project_id, idempotency_key,
                ended_at FROM publication
            """
        ).map { row in
            let publication = Publication(
                row: row[0], identifier: row[1], namespace: row[2], type: row[3], contentCount: row[4],
                expires: row[5])
            return Live.Offer(
                publication: publication, device: row[6], project: row[7], order: row[8],
                expires: publication.expires, ended: row[9])
        }
        wishes = try database.rows(
            """
            SELECT id, identifier, namespace, type, expires_at, device_id, project_id, idempotency_key
            FROM subscription
            """
        ).map { row in
            let subscription = Subscription(
                row: row[0], identifier: row[1], filter: MessageFilter(namespace: row[2], type: row[3]),
                expires: row[4])
            return Live.Wish(
                subscription: subscription, device: row[5], project: row[6], order: row[7],
                expires: subscription.expires)
        }
        tokens = try database.rows(
            """
            SELECT id, project_id, bytes, device_id, publication_id, subscription_id, issued_at, expires_at, wrapped_key
            FROM token ORDER BY id
            """
        ).compactMap { row in
            guard let name = Live.TokenName(row[2], project: row[1]) else { return nil }
            let token = Live.Token(
                name: name, device: row[3], binding: TokenBinding(publication: row[4], subscription: row[5]),
                issued: row[6], expires: row[7], key: row[8])
            return (row[0], token)
        }
        deliveries = try database.rows(
            "SELECT subscription_id, publication_id, is_found, sequence, changed_at FROM delivery"
        ).map { row in
            (
                Pair(publication: row[1], subscription: row[0]),
                Live.Delivery(sequence: row[3], isFound: row[2], changed: row[4])
            )
        }
    }
}
