import GRDB

extension SQLiteStore {
    func subscribe(_ order: SubscriptionOrder) async throws -> Outcome<Subscription> {
        try await change { [live] database, now in
            let session = order.renewal.session
            let (subscription, token, tokenRow, expires, isNew, changes) = try live.withLock { live in
                let expires = try live.prolonged(order.renewal, now: now)
                let earlier = live.earlier(order)
                if let earlier, earlier.filter != order.filter { throw Problem.repeatDiffers }
                if earlier == nil { try live.requireSubscriptionRoom(order, now: now) }
                let row = earlier?.row ?? live.newRow()
                var changes = RowChanges()
                live.devices[session.device]?.expires = expires
                if earlier == nil {
                    live.insert(Live.Wish(order, row: row, expires: now + order.renewal.timeToLive))
                }
                let (token, tokenRow) = try live.renewWish(row, order.renewal, now: now)
                // The device may already hear publications; and an expired subscription that was not swept yet lives again.
                live.touch(live.pairs(subscription: row), now: now)
                live.settle(&changes, now: now)
                return (live.wishes[row]?.current, token, tokenRow, expires, earlier == nil, changes)
            }
            guard let subscription else { throw DatabaseError(resultCode: .SQLITE_INTERNAL) }
            try Self.prolong(session, to: expires, database)
            if isNew {
                try Self.insert(subscription, order, database)
            } else {
                try Self.extend("subscription", subscription.row, to: subscription.expires, database)
            }
            try Self.insert(token, row: tokenRow, for: .subscription(subscription.row), session, database)
            return Outcome(
                value: subscription, token: token, isNew: isNew, woken: try Self.write(changes, database))
        }
    }

    func subscriptions(of session: Session, now: Moment) async throws -> [Subscription] {
        try await committed(session) { live, now in
            (live.devices[session.device]?.subscriptions ?? []).sorted().compactMap { live.wishes[$0] }
                .filter { $0.expires > now }.map(\.current)
        }
    }

    func renewSubscription(_ identifier: String, _ renewal: Renewal) async throws -> (Subscription, IssuedToken)? {
        try await change { [live] database, now in
            let session = renewal.session
            let renewed = try live.withLock { live -> (Moment, Subscription, IssuedToken, Int64?)? in
                let expires = try live.prolonged(renewal, now: now)
                guard let row = live.subscription(identifier, of: session, now: now) else { return nil }
                live.devices[session.device]?.expires = expires
                let (token, tokenRow) = try live.renewWish(row, renewal, now: now)
                return live.wishes[row].map { (expires, $0.current, token, tokenRow) }
            }
            guard let (expires, subscription, token, tokenRow) = renewed else { return nil }
            try Self.prolong(session, to: expires, database)
            try Self.extend("subscription", subscription.row, to: subscription.expires, database)
            try Self.insert(token, row: tokenRow, for: .subscription(subscription.row), session, database)
            return (subscription, token)
        }
    }

    func unsubscribe(_ identifier: String, of session: Session) async throws -> Bool {
        try await change { [live] database, now in
            let changes = live.withLock { live -> RowChanges? in
                guard let row = live.subscription(identifier, of: session, now: now) else { return nil }
                var changes = RowChanges()
                live.endWish(row, &changes)
                return changes
            }
            guard let changes else { return false }
            _ = try Self.write(changes, database)
            return true
        }
    }

    private static func insert(_ subscription: Subscription, _ order: SubscriptionOrder, _ database: Database) throws {
        let session = order.renewal.session
        try database.run(
            """
            INSERT INTO subscription (id, identifier, device_id, project_id, idempotency_key, namespace, type,
                expires_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?)
            """,
            [
                subscription.row, subscription.identifier, session.device, session.project, order.idempotencyKey,
                subscription.filter.namespace, subscription.filter.type, subscription.expires,
            ])
    }
}

extension Live.Wish {
    fileprivate init(_ order: SubscriptionOrder, row: Int64, expires: Moment) {
        let session = order.renewal.session
        self.init(
            subscription: Subscription(row: row, identifier: order.identifier, filter: order.filter, expires: expires),
            device: session.device, project: session.project, order: order.idempotencyKey, expires: expires)
    }
}

extension Live {
    /// The subscription of an earlier order with the same idempotency key, if any.
    fileprivate func earlier(_ order: SubscriptionOrder) -> (row: Int64, filter: MessageFilter)? {
        order.idempotencyKey.flatMap { wishOrders[OrderName(device: order.renewal.session.device, key: $0)] }
            .flatMap { row in wishes[row].map { (row, $0.subscription.filter) } }
    }

    fileprivate func subscription(_ identifier: String, of session: Session, now: Moment) -> Int64? {
        guard let row = wishRows[identifier], let wish = wishes[row], wish.device == session.device,
            wish.expires > now
        else { return nil }
        return row
    }

    fileprivate mutating func renewWish(
        _ row: Int64, _ renewal: Renewal, now: Moment
    ) throws -> (IssuedToken, row: Int64?) {
        uncommitted.insert(renewal.session.device)
        let issued = try issue(renewal.token, for: .subscription(row), renewal.session, now: now)
        wishes[row]?.expires = now + renewal.timeToLive
        wishEnds.set(row, at: now + renewal.timeToLive)
        return issued
    }
}
