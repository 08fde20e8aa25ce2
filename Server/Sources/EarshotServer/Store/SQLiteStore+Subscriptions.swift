import GRDB

extension SQLiteStore {
    private static let columns = "id, identifier, namespace, type, expires_at"

    func subscribe(_ order: SubscriptionOrder) async throws -> Outcome<Subscription> {
        try await writes.perform { database, now in
            let session = order.renewal.session
            let expires = now + order.renewal.timeToLive
            try Self.prolong(order.renewal, database, now: now)
            if let earlier = try Self.earlier(order, database) {
                let (renewed, token) = try Self.renew(earlier, order.renewal, database, now: now)
                // An expired subscription that was not swept yet lives again.
                return Outcome(
                    value: renewed, token: token, isNew: false,
                    woken: try Self.settle(session.device, database, now: now))
            }
            try Self.requireRoom(in: "subscription", order.perDevice, order.perKey, session, database, now: now)
            try database.run(
                """
                INSERT INTO subscription (identifier, device_id, key_id, project_id, idempotency_key, namespace,
                    type, expires_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?)
                """,
                [
                    order.identifier, session.device, session.key, session.project, order.idempotencyKey,
                    order.filter.namespace, order.filter.type, expires,
                ])
            let subscription = Subscription(
                row: database.lastInsertedRowID, identifier: order.identifier, filter: order.filter,
                expires: expires)
            let token = try Self.issue(
                order.renewal.token, for: .subscription(subscription.row), session, database, now: now)
            // The device may already hear publications.
            return Outcome(
                value: subscription, token: token, isNew: true,
                woken: try Self.settle(session.device, database, now: now))
        }
    }

    func subscriptions(of session: Session, now: Moment) async throws -> [Subscription] {
        try await pool.read { database in
            try database.rows(
                "SELECT \(Self.columns) FROM subscription WHERE device_id = ? AND expires_at > ? ORDER BY id",
                [session.device, now]
            ).map(Self.subscription)
        }
    }

    func renewSubscription(_ identifier: String, _ renewal: Renewal) async throws -> (Subscription, IssuedToken)? {
        try await writes.perform { database, now in
            try Self.prolong(renewal, database, now: now)
            return try Self.subscription(identifier, of: renewal.session, now, database)
                .map { try Self.renew($0, renewal, database, now: now) }
        }
    }

    func unsubscribe(_ identifier: String, of session: Session) async throws -> Bool {
        try await writes.perform { database, now in
            guard let subscription = try Self.subscription(identifier, of: session, now, database) else {
                return false
            }
            try database.run("DELETE FROM subscription WHERE id = ?", [subscription.row])
            return true
        }
    }

    private static func renew(
        _ subscription: Subscription, _ renewal: Renewal, _ database: Database, now: Moment
    ) throws -> (Subscription, IssuedToken) {
        let expires = now + renewal.timeToLive
        try database.run("UPDATE subscription SET expires_at = ? WHERE id = ?", [expires, subscription.row])
        let renewed = Subscription(
            row: subscription.row, identifier: subscription.identifier, filter: subscription.filter,
            expires: expires)
        let token = try issue(
            renewal.token, for: .subscription(subscription.row), renewal.session, database, now: now)
        return (renewed, token)
    }

    /// The subscription of an earlier order with the same idempotency key, if any.
    private static func earlier(_ order: SubscriptionOrder, _ database: Database) throws -> Subscription? {
        guard let key = order.idempotencyKey else { return nil }
        let found = try database.row(
            "SELECT \(columns) FROM subscription WHERE device_id = ? AND idempotency_key = ?",
            [order.renewal.session.device, key]
        ).map(subscription)
        guard let found else { return nil }
        guard found.filter == order.filter else { throw Problem.repeatDiffers }
        return found
    }

    private static func subscription(
        _ identifier: String, of session: Session, _ now: Moment, _ database: Database
    ) throws -> Subscription? {
        try database.row(
            "SELECT \(columns) FROM subscription WHERE identifier = ? AND device_id = ? AND expires_at > ?",
            [identifier, session.device, now]
        ).map(subscription)
    }

    private static func subscription(_ row: Row) -> Subscription {
        Subscription(
            row: row["id"], identifier: row["identifier"],
            filter: MessageFilter(namespace: row["namespace"], type: row["type"]), expires: row["expires_at"])
    }
}
