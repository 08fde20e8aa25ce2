import FoundationEssentials
import GRDB

/// The operations of the engine, for requests.
extension SQLiteStore {
    func openSession(_ order: SessionOrder) async throws -> Session { try await engine.openSession(order) }

    func session(hash: Data, now: Moment) async throws -> Session? {
        try refreshRevocations()
        return try await engine.session(hash: hash, now: now)
    }

    func endSession(_ session: Session) async throws -> Woken { try await engine.endSession(session) }

    func publish(_ order: PublicationOrder) async throws -> Outcome<Publication> { try await engine.publish(order) }

    func publications(of session: Session, now: Moment) async throws -> [Publication] {
        try await engine.publications(of: session)
    }

    func renewPublication(_ identifier: String, _ renewal: Renewal) async throws -> (Publication, IssuedToken)? {
        try await engine.renewPublication(identifier, renewal)
    }

    func unpublish(_ identifier: String, of session: Session) async throws -> Woken? {
        try await engine.unpublish(identifier, of: session)
    }

    func subscribe(_ order: SubscriptionOrder) async throws -> Outcome<Subscription> {
        try await engine.subscribe(order)
    }

    func subscriptions(of session: Session, now: Moment) async throws -> [Subscription] {
        try await engine.subscriptions(of: session)
    }

    func renewSubscription(_ identifier: String, _ renewal: Renewal) async throws -> (Subscription, IssuedToken)? {
        try await engine.renewSubscription(identifier, renewal)
    }

    func unsubscribe(_ identifier: String, of session: Session) async throws -> Bool {
        try await engine.unsubscribe(identifier, of: session)
    }

    func report(_ report: SightingReport) async throws -> SightingAnswer { try await engine.report(report) }

    func presence(of session: Session) -> Presence? { engine.presence }

    func position(of session: Session, after cursor: Int64?, now: Moment) async throws -> StreamPosition? {
        try refreshRevocations()
        return try await engine.position(of: session, after: cursor)
    }

    func changes(of session: Session, _ query: ChangeQuery) async throws -> ChangePage {
        try await engine.changes(of: session, query)
    }

    func sweep(_ limits: ServiceLimits) async throws -> Swept {
        try refreshRevocations()
        return try await engine.sweep(limits, isUrgent: isStale.isSet)
    }

    func counts() -> StoreCounts { engine.counts }

    func begin(_ limits: ServiceLimits, onLoss: @escaping @Sendable (Set<Int64>) -> Void) async throws {
        try await writes.perform { [live] database, now in
            for (table, column, maximum) in [
                ("device", "expires_at", limits.sessionLifetime),
                ("publication", "expires_at", limits.maximumTimeToLive), ("publication", "ended_at", .zero),
                ("subscription", "expires_at", limits.maximumTimeToLive),
                ("token", "expires_at", limits.tokenLifetime), ("token", "issued_at", .zero),
                ("delivery", "changed_at", .zero),
            ] as [(String, String, Duration)] {
                try database.run(
                    "UPDATE \(table) SET \(column) = :then WHERE \(column) > :then", ["then": now + maximum])
            }
            try live.withLock { live in
                live = Live(try LiveRows(database), keeping: live, isRestart: false, now: now)
                live.bound(limits, now: now)
            }
        }
    }
}
