import FoundationEssentials
import GRDB

extension SQLiteStore {
    func publish(_ order: PublicationOrder) async throws -> Outcome<Publication> {
        try await change { [live] database, now in
            let session = order.renewal.session
            let expires = try live.withLock { try $0.prolonged(order.renewal, now: now) }
            let earlier = live.withLock { $0.earlier(order) }
            if let earlier { try Self.require(order.message, equals: earlier, database) }
            let (publication, token, tokenRow, changes) = try live.withLock { live in
                if earlier == nil { try live.requirePublicationRoom(order, now: now) }
                let row = earlier?.row ?? live.newRow()
                var changes = RowChanges()
                live.devices[session.device]?.expires = expires
                if earlier == nil {
                    live.insert(Live.Offer(order, row: row, expires: now + order.renewal.timeToLive))
                }
                let (token, tokenRow) = try live.renewOffer(row, order.renewal, now: now)
                // The device may hear subscriptions; and an expired publication that was not swept yet lives again.
                live.touch(live.pairs(publication: row), now: now)
                live.settle(&changes, now: now)
                return (live.offers[row]?.current, token, tokenRow, changes)
            }
            guard let publication else { throw DatabaseError(resultCode: .SQLITE_INTERNAL) }
            try Self.prolong(session, to: expires, database)
            if earlier == nil {
                try Self.insert(publication, order, database)
            } else {
                try Self.extend("publication", publication.row, to: publication.expires, database)
            }
            try Self.insert(token, row: tokenRow, for: .publication(publication.row), session, database)
            return Outcome(
                value: publication, token: token, isNew: earlier == nil, woken: try Self.write(changes, database))
        }
    }

    func publications(of session: Session, now: Moment) async throws -> [Publication] {
        try await committed(session) { live, now in
            (live.devices[session.device]?.publications ?? []).sorted().compactMap { live.offers[$0] }
                .filter { $0.isAlive(now) }.map(\.current)
        }
    }

    func renewPublication(_ identifier: String, _ renewal: Renewal) async throws -> (Publication, IssuedToken)? {
        try await change { [live] database, now in
            let session = renewal.session
            let renewed = try live.withLock { live -> (Moment, Publication, IssuedToken, Int64?)? in
                let expires = try live.prolonged(renewal, now: now)
                guard let row = live.publication(identifier, of: session, now: now) else { return nil }
                live.devices[session.device]?.expires = expires
                let (token, tokenRow) = try live.renewOffer(row, renewal, now: now)
                return live.offers[row].map { (expires, $0.current, token, tokenRow) }
            }
            guard let (expires, publication, token, tokenRow) = renewed else { return nil }
            try Self.prolong(session, to: expires, database)
            try Self.extend("publication", publication.row, to: publication.expires, database)
            try Self.insert(token, row: tokenRow, for: .publication(publication.row), session, database)
            return (publication, token)
        }
    }

    func unpublish(_ identifier: String, of session: Session) async throws -> Woken? {
        try await change { [live] database, now in
            let changes = live.withLock { live -> RowChanges? in
                guard let row = live.publication(identifier, of: session, now: now) else { return nil }
                var changes = RowChanges()
                live.endOffer(row, &changes, now: now)
                live.settle(&changes, now: now)
                return changes
            }
            return try changes.map { try Self.write($0, database) }
        }
    }

    static func extend(_ table: String, _ row: Int64, to expires: Moment, _ database: Database) throws {
        try database.run("UPDATE \(table) SET expires_at = ? WHERE id = ?", [expires, row])
    }

    private static func insert(_ publication: Publication, _ order: PublicationOrder, _ database: Database) throws {
        let session = order.renewal.session
        try database.run(
            """
            INSERT INTO publication (id, identifier, device_id, project_id, idempotency_key, namespace, type,
                expires_at, content_count, content) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """,
            [
                publication.row, publication.identifier, session.device, session.project, order.idempotencyKey,
                publication.namespace, publication.type, publication.expires, publication.contentCount,
                order.message.content,
            ])
    }

    private static func require(
        _ message: Message, equals earlier: Publication, _ database: Database
    ) throws {
        guard earlier.namespace == message.namespace, earlier.type == message.type else { throw Problem.repeatDiffers }
        let content = try Data.fetchOne(
            database.cachedStatement(sql: "SELECT content FROM publication WHERE id = ?"), arguments: [earlier.row])
        guard content == message.content else { throw Problem.repeatDiffers }
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
        _ row: Int64, _ renewal: Renewal, now: Moment
    ) throws -> (IssuedToken, row: Int64?) {
        uncommitted.insert(renewal.session.device)
        let issued = try issue(renewal.token, for: .publication(row), renewal.session, now: now)
        offers[row]?.expires = now + renewal.timeToLive
        offerEnds.set(row, at: now + renewal.timeToLive)
        return issued
    }
}
