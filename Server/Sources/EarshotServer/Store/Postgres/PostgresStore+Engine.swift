#if Postgres
    import FoundationEssentials
    import Synchronization

    /// The operations of the engines, for requests.
    extension PostgresStore {
        private func engine(of session: Session) async throws -> Engine { try await engine(of: session.project) }

        func openSession(_ order: SessionOrder) async throws -> Session {
            let session = try await engine(of: order.holder.project).openSession(order)
            note(session.project, of: order.hash)
            return session
        }

        func session(hash: Data, now: Moment) async throws -> Session? {
            guard let project = try await home(of: hash) else { return nil }
            return try await engine(of: project).session(hash: hash, now: now)
        }

        func endSession(_ session: Session) async throws -> Woken {
            try await engine(of: session).endSession(session)
        }

        func publish(_ order: PublicationOrder) async throws -> Outcome<Publication> {
            try await engine(of: order.renewal.session).publish(order)
        }

        func publications(of session: Session, now: Moment) async throws -> [Publication] {
            try await engine(of: session).publications(of: session)
        }

        func renewPublication(_ identifier: String, _ renewal: Renewal) async throws -> (Publication, IssuedToken)? {
            try await engine(of: renewal.session).renewPublication(identifier, renewal)
        }

        func unpublish(_ identifier: String, of session: Session) async throws -> Woken? {
            try await engine(of: session).unpublish(identifier, of: session)
        }

        func subscribe(_ order: SubscriptionOrder) async throws -> Outcome<Subscription> {
            try await engine(of: order.renewal.session).subscribe(order)
        }

        func subscriptions(of session: Session, now: Moment) async throws -> [Subscription] {
            try await engine(of: session).subscriptions(of: session)
        }

        func renewSubscription(_ identifier: String, _ renewal: Renewal) async throws -> (Subscription, IssuedToken)? {
            try await engine(of: renewal.session).renewSubscription(identifier, renewal)
        }

        func unsubscribe(_ identifier: String, of session: Session) async throws -> Bool {
            try await engine(of: session).unsubscribe(identifier, of: session)
        }

        func report(_ report: SightingReport) async throws -> SightingAnswer {
            try await engine(of: report.session).report(report)
        }

        func presence(of session: Session) -> Presence? {
            projects.withLock { $0[session.project]?.owned?.engine.presence }
        }

        func position(of session: Session, after cursor: Int64?, now: Moment) async throws -> StreamPosition? {
            try await engine(of: session).position(of: session, after: cursor)
        }

        func changes(of session: Session, _ query: ChangeQuery) async throws -> ChangePage {
            try await engine(of: session).changes(of: session, query)
        }

        /// The engines are swept one after the other. A failure of one does not prevent the others.
        func sweep(_ limits: ServiceLimits) async throws -> Swept {
            try await updateClock()
            var all = Swept()
            var failure: (any Error)?
            for engine in engines {
                do {
                    let swept = try await engine.sweep(limits, isUrgent: false)
                    all = Swept(woken: all.woken + swept.woken, hasMore: all.hasMore || swept.hasMore)
                } catch {
                    failure = error
                }
            }
            if let failure { throw failure }
            return all
        }
    }
#endif
