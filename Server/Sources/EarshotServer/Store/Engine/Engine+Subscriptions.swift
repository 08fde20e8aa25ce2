extension Engine {
    func subscribe(_ order: SubscriptionOrder) async throws -> Outcome<Subscription> {
        let outcome = try await change { live, changes, now -> Outcome<Subscription>? in
            let session = order.renewal.session
            let expires = try live.prolonged(order.renewal, now: now)
            let earlier = live.earlier(order)
            if let earlier, earlier.filter != order.filter { throw Problem.repeatDiffers }
            if earlier == nil { try live.requireSubscriptionRoom(order, now: now) }
            try live.requireUnused(
                order.renewal.token, for: (earlier?.row).map(TokenBinding.subscription), session, now: now)
            let row = earlier?.row ?? live.newRow()
            live.prolong(session, to: expires, &changes)
            if earlier == nil {
                let wish = Live.Wish(order, row: row, expires: now + order.renewal.timeToLive)
                live.insert(wish)
                changes.madeSubscriptions.append(wish)
            }
            let issued = try live.renewWish(row, order.renewal, &changes, now: now)
            // The device may already hear publications; and an expired subscription that was not swept yet is live
            // again.
            live.touch(live.pairs(subscription: row), now: now)
            live.settle(&changes, now: now)
            return live.wishes[row].map {
                Outcome(value: $0.current, token: issued, isNew: earlier == nil, woken: changes.woken)
            }
        }
        guard let outcome else { preconditionFailure("a subscription that was made is gone") }
        return outcome
    }

    func subscriptions(of session: Session) async throws -> [Subscription] {
        try await committed(session) { live, now in
            (live.devices[session.device]?.subscriptions ?? []).sorted().compactMap { live.wishes[$0] }
                .filter { $0.expires > now }.map(\.current)
        }
    }

    /// Nil if this device has no such subscription.
    func renewSubscription(_ identifier: String, _ renewal: Renewal) async throws -> (Subscription, IssuedToken)? {
        try await change(isPatient: true) { live, changes, now in
            let expires = try live.prolonged(renewal, now: now)
            guard let row = live.subscription(identifier, of: renewal.session, now: now) else { return nil }
            try live.requireUnused(renewal.token, for: .subscription(row), renewal.session, now: now)
            live.prolong(renewal.session, to: expires, &changes)
            let issued = try live.renewWish(row, renewal, &changes, now: now)
            return live.wishes[row].map { ($0.current, issued) }
        }
    }

    /// False if this device has no such subscription.
    func unsubscribe(_ identifier: String, of session: Session) async throws -> Bool {
        try await change { live, changes, now in
            guard let row = live.subscription(identifier, of: session, now: now) else { return false }
            live.endWish(row, &changes)
            return true
        }
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
        _ row: Int64, _ renewal: Renewal, _ changes: inout RowChanges, now: Moment
    ) throws -> IssuedToken {
        uncommitted.insert(renewal.session.device)
        let issued = try issue(renewal.token, for: .subscription(row), renewal.session, &changes, now: now)
        let expires = now + renewal.timeToLive
        if wishes[row]?.expires != expires { changes.subscriptionEnds[row] = expires }
        wishes[row]?.expires = expires
        wishEnds.set(row, at: expires)
        return issued
    }
}
