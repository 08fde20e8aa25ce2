import FoundationEssentials

extension Engine {
    func publish(_ order: PublicationOrder) async throws -> Outcome<Publication> {
        while true {
            let earlier = try await earlierEqual(order)
            let outcome = try await change { live, changes, now -> Outcome<Publication>? in
                // Another order with the same key had its turn meanwhile, or the earlier publication ended.
                guard live.earlier(order)?.row == earlier else { return nil }
                let session = order.renewal.session
                let expires = try live.prolonged(order.renewal, now: now)
                if earlier == nil { try live.requirePublicationRoom(order, now: now) }
                try live.requireUnused(
                    order.renewal.token, for: earlier.map(TokenBinding.publication), session, now: now)
                let row = earlier ?? live.newRow()
                live.prolong(session, to: expires, &changes)
                if earlier == nil {
                    let offer = Live.Offer(order, row: row, expires: now + order.renewal.timeToLive)
                    live.insert(offer)
                    changes.madePublications.append((offer, order.message.content))
                }
                let issued = try live.renewOffer(row, order.renewal, &changes, now: now)
                // The device may hear subscriptions; and an expired publication that was not swept yet is live again.
                live.touch(live.pairs(publication: row), now: now)
                live.settle(&changes, now: now)
                return live.offers[row].map {
                    Outcome(value: $0.current, token: issued, isNew: earlier == nil, woken: changes.woken)
                }
            }
            if let outcome { return outcome }
        }
    }

    /// The row of the publication of an earlier order with the same idempotency key; nil if there is none.
    /// - Throws: `Problem.repeatDiffers` if that order had another message.
    private func earlierEqual(_ order: PublicationOrder) async throws -> Int64? {
        while let earlier = live.withLock({ $0.earlier(order) }) {
            let message = order.message
            guard earlier.namespace == message.namespace, earlier.type == message.type else {
                throw Problem.repeatDiffers
            }
            if let content = try await log.contents(of: [earlier.row])[earlier.row] {
                guard content == message.content else { throw Problem.repeatDiffers }
                return earlier.row
            }
            // The content is not on the disk yet, or no longer.
            try await log.afterChanges { _ in }
        }
        return nil
    }

    func publications(of session: Session) async throws -> [Publication] {
        try await committed(session) { live, now in
            (live.devices[session.device]?.publications ?? []).sorted().compactMap { live.offers[$0] }
                .filter { $0.isAlive(now) }.map(\.current)
        }
    }

    /// Nil if this device has no such publication.
    func renewPublication(_ identifier: String, _ renewal: Renewal) async throws -> (Publication, IssuedToken)? {
        try await change(isPatient: true) { live, changes, now in
            let expires = try live.prolonged(renewal, now: now)
            guard let row = live.publication(identifier, of: renewal.session, now: now) else { return nil }
            try live.requireUnused(renewal.token, for: .publication(row), renewal.session, now: now)
            live.prolong(renewal.session, to: expires, &changes)
            let issued = try live.renewOffer(row, renewal, &changes, now: now)
            return live.offers[row].map { ($0.current, issued) }
        }
    }

    /// Nil if this device has no such publication.
    func unpublish(_ identifier: String, of session: Session) async throws -> Woken? {
        try await change { live, changes, now in
            guard let row = live.publication(identifier, of: session, now: now) else { return nil }
            live.endOffer(row, &changes, now: now)
            live.settle(&changes, now: now)
            return changes.woken
        }
    }
}

extension Live.Offer {
    fileprivate init(_ order: PublicationOrder, row: Int64, expires: Moment) {
        let (message, session) = (order.message, order.renewal.session)
        self.init(
            publication: Publication(
                row: row, identifier: order.identifier, namespace: message.namespace, type: message.type,
                contentCount: message.content.count, expires: expires),
            device: session.device, project: session.project, order: order.idempotencyKey, expires: expires)
    }
}

extension Live {
    /// The publication of an earlier order with the same idempotency key, if any.
    fileprivate func earlier(_ order: PublicationOrder) -> Publication? {
        order.idempotencyKey.flatMap { offerOrders[OrderName(device: order.renewal.session.device, key: $0)] }
            .flatMap { offers[$0]?.current }
    }

    fileprivate func publication(_ identifier: String, of session: Session, now: Moment) -> Int64? {
        guard let row = offerRows[identifier], let offer = offers[row], offer.device == session.device,
            offer.isAlive(now)
        else { return nil }
        return row
    }

    fileprivate mutating func renewOffer(
        _ row: Int64, _ renewal: Renewal, _ changes: inout RowChanges, now: Moment
    ) throws -> IssuedToken {
        uncommitted.insert(renewal.session.device)
        let issued = try issue(renewal.token, for: .publication(row), renewal.session, &changes, now: now)
        let expires = now + renewal.timeToLive
        // A row created in this turn already has this time.
        if offers[row]?.expires != expires { changes.publicationEnds[row] = expires }
        offers[row]?.expires = expires
        offerEnds.set(row, at: expires)
        return issued
    }
}
