#if Postgres
    import EarshotPostgres
    import Synchronization

    /// Rates over all nodes: the database has the buckets, and each node takes a share of their requests at a time.
    ///
    /// All nodes together never let more through than the limit. A share that a node took and does not spend is lost to the
    /// others for a while; it is a fifth of what the bucket holds.
    final class PostgresRates: Rates {
        private struct Share {
            var left: Int64
            /// Until then, the database has nothing more.
            var refusedUntil: Moment?
            var takenAt: Moment
        }

        private let pool: PostgresPool
        private let fixedClock: (any ServiceClock)?
        private let shares = Mutex<[RateSubject: Share]>([:])
        /// The number of shares from which those go back to nobody that were not used for long.
        private static let manyShares = 10_000
        private static let lifetime = Duration.seconds(60)

        init(_ pool: PostgresPool, fixedClock: (any ServiceClock)?) {
            self.pool = pool
            self.fixedClock = fixedClock
        }

        func wait(for subject: RateSubject, now: Moment) -> Int? {
            shares.withLock { shares in
                guard let share = shares[subject], share.left == 0 else { return nil }
                return Self.seconds(share.refusedUntil, now)
            }
        }

        func take(from subject: RateSubject, _ limit: RateLimit, now: Moment) async throws -> Int? {
            let known: Int?? = shares.withLock { shares in
                guard var share = shares[subject] else { return nil }
                guard share.left == 0 else {
                    share.left -= 1
                    shares[subject] = share
                    return .some(nil)
                }
                return Self.seconds(share.refusedUntil, now).map(Optional.some)
            }
            if let known { return known }
            let wanted = max(1, Int64(limit.burst / 5))
            let fixedClock = fixedClock
            let row = try await Problem.orAway {
                try await pool.perform { connection in
                    try connection.execute(
                        "SELECT * FROM take_rate($1, $2, $3, $4, $5)",
                        [
                            .text(subject.name), .integer(wanted), .number(limit.perSecond), .number(limit.burst),
                            .optional(fixedClock?.now.milliseconds),
                        ])[0]
                }
            }
            let (granted, wait) = (row.integer(0), row.optionalInteger(1))
            shares.withLock { shares in
                if shares.count > Self.manyShares {
                    shares = shares.filter { $0.value.takenAt + Self.lifetime > now }
                    // Anyone may come from many addresses. What is forgotten costs a question to the database.
                    if shares.count > Self.manyShares { shares = [:] }
                }
                // Another request may have taken a share at the same time.
                shares[subject] = Share(
                    left: (shares[subject]?.left ?? 0) + max(0, granted - 1),
                    refusedUntil: wait.map { now + .seconds($0) }, takenAt: now)
            }
            return granted > 0 ? nil : Int(wait ?? 1)
        }

        private static func seconds(_ until: Moment?, _ now: Moment) -> Int? {
            guard let until, until > now else { return nil }
            return Int((until.milliseconds - now.milliseconds + 999) / 1_000)
        }
    }

    extension RateSubject {
        /// The name in the database.
        fileprivate var name: String {
            switch self {
            case .requests(session: let hash): return "requests \(Array(hash).hex)"
            case .share(session: let hash): return "share \(Array(hash).hex)"
            case .allRequests(key: let key): return "key \(key)"
            case .sessions(key: let key): return "sessions \(key)"
            case .pageRequests(client: let client): return "address \(client)"
            case .pageSessions(client: let client): return "address sessions \(client)"
            case .failures(client: let client): return "address failures \(client)"
            }
        }
    }

    extension Problem {
        /// The result of `body`, or the problem that clients get if the database cannot be asked.
        static func orAway<Value>(_ body: () async throws -> Value) async throws -> Value {
            do {
                return try await body()
            } catch is PostgresPool.Away {
                throw Problem.storeAway
            } catch is PostgresPool.Full {
                throw Problem.overloaded
            } catch let error as PostgresError where error.isTimeout {
                // It waited too long, and took no effect.
                throw Problem.overloaded
            }
        }
    }
#endif
