#if Postgres
    import EarshotPostgres
    import FoundationEssentials
    import Glibc
    import Logging
    import Synchronization

    /// The store of several nodes: PostgreSQL has the log of every project, and decides which node owns it.
    ///
    /// A node takes a project when it gets a request for it and the project has no live owner. From then on its memory
    /// is authoritative (`Engine`), and the other nodes forward requests to it (`ForwardingMiddleware`).
    package final class PostgresStore: Store {
        let pool: PostgresPool
        let logger: Logger
        let limits: ServiceLimits
        let commits = Durations()
        /// The number of this node in the database, which it gets when it joins.
        let node = Mutex<Int64?>(nil)
        /// The projects that this node owns, or is about to own.
        let projects = Mutex<[Int64: Holding]>([:])
        /// A cache: the projects of sessions and device keys, by their hashes.
        let homes = Mutex<[Data: Int64]>([:])
        /// False if the database may lose answered writes; a warning for the operator.
        let isDurable: Bool
        private let address: PostgresAddress
        private let databaseClock = DatabaseClock()
        /// The clock of a test; nil for the database's clock.
        private let fixedClock: (any ServiceClock)?
        private let listener = Mutex<PostgresListener?>(nil)
        private let onLoss = Mutex<@Sendable (Set<Int64>) -> Void>({ _ in })

        /// The channel on which nodes learn that keys were revoked.
        static let channel = "earshot_keys"

        /// Connects, and migrates the tables to the current version.
        /// - Parameters:
        ///   - address: `postgres://user@host/database`.
        ///   - creates: whether to create the tables if there are none.
        ///   - limits: `databaseConnections` is the number of connections for requests; one more holds the node's lock.
        ///   - clock: the source of time; nil for the database's clock, which all nodes share.
        /// - Throws: `AdministrationError` if the database cannot be reached, or its tables are of another version.
        init(
            address: String, creates: Bool = true, limits: ServiceLimits = ServiceLimits(),
            clock: (any ServiceClock)? = nil,
            logger: Logger = Logger(label: "earshotd")
        ) throws {
            let address = PostgresAddress(address)
            (self.address, self.limits, self.logger) = (address, limits, logger)
            fixedClock = clock
            do {
                let connection = try PostgresConnection(address, settings: Self.settings)
                try PostgresSchema.migrate(connection, creates: creates)
                isDurable = try ["fsync", "full_page_writes"].allSatisfy {
                    try connection.execute("SELECT current_setting('\($0)')")[0].text(0) == "on"
                }
                databaseClock.set(to: try Self.time(connection))
            } catch let error as PostgresError {
                throw AdministrationError(description: "\(error)")
            }
            pool = PostgresPool(
                address, size: limits.databaseConnections, capacity: limits.pendingWrites, settings: Self.settings
            ) { reason in
                if let reason {
                    logger.error("the database is away", metadata: ["reason": "\(reason)"])
                } else {
                    logger.notice("the database is back")
                }
            }
        }

        // JIT compilation does not pay for any of these statements. After ten seconds no client waits for the answer.
        // PostgreSQL may be configured to answer before a commit is on the disk; that must not apply here.
        private static let settings = [
            "SET statement_timeout = '10s'", "SET synchronous_commit = on", "SET jit = off",
        ]

        package var clock: any ServiceClock { fixedClock ?? databaseClock }

        package func close() {
            listener.withLock { listener in
                listener?.close()
                listener = nil
            }
            pool.close()
        }

        /// Whether this node is registered as alive in the database.
        var isNode: Bool { listener.withLock { $0?.isConnected ?? false } }

        /// Becomes a node that may own projects, and blocks until it is registered in the database.
        /// - Parameter place: the address at which other nodes reach this one.
        /// - Throws: `AdministrationError` if that takes longer than ten seconds.
        func join(at place: String) throws {
            let new = PostgresListener(
                address, channel: Self.channel, onConnect: { [weak self] in try self?.confirm($0, place: place) },
                onNotification: { [weak self] _ in self?.noteRevocations() })
            listener.withLock { $0 = new }
            let end = ContinuousClock.now + .seconds(10)
            while !new.isConnected {
                guard ContinuousClock.now < end else {
                    throw AdministrationError(description: "PostgreSQL does not answer; see its log.")
                }
                usleep(2_000)
            }
        }

        func begin(_ limits: ServiceLimits, onLoss: @escaping @Sendable (Set<Int64>) -> Void) {
            self.onLoss.withLock { $0 = onLoss }
        }

        /// Reports devices that this node no longer serves.
        func lost(_ devices: Set<Int64>) { onLoss.withLock { $0 }(devices) }

        func check() async throws {
            _ = try await perform { connection, _ in
                try connection.execute("UPDATE probe SET written_at = moment(NULL)")
            }
        }

        func counts() async throws -> StoreCounts {
            let counts = engines.map(\.counts)
            return StoreCounts(
                devices: counts.reduce(0) { $0 + $1.devices }, publications: counts.reduce(0) { $0 + $1.publications },
                subscriptions: counts.reduce(0) { $0 + $1.subscriptions },
                sightings: counts.reduce(0) { $0 + $1.sightings },
                waitingWrites: counts.reduce(pool.waitingCount) { $0 + $1.waitingWrites },
                logLag: counts.map(\.logLag).max() ?? .zero)
        }

        var gauges: [Gauge] {
            [
                Gauge("earshot_database_up", "Whether PostgreSQL can be reached.", isNode && pool.isUp ? 1 : 0),
                Gauge("earshot_database_connections", "Connections to PostgreSQL at most.", Double(pool.size)),
                Gauge("earshot_database_busy_connections", "Connections with a call.", Double(pool.busyCount)),
                Gauge("earshot_database_waiting_calls", "Calls that wait for a connection.", Double(pool.waitingCount)),
                Gauge("earshot_owned_projects", "Projects that this node serves.", Double(engines.count)),
            ]
        }

        /// Runs `body` with a connection, and the test's time or null.
        /// - Throws: `Problem` if the database is unreachable or overloaded, or the error of `body`.
        func perform<Value: Sendable>(
            _ body: @escaping @Sendable (PostgresConnection, PostgresValue) throws -> Value
        ) async throws -> Value {
            let fixedClock = fixedClock
            return try await Problem.orAway {
                try await pool.perform { connection in
                    try body(connection, .optional(fixedClock?.now.milliseconds))
                }
            }
        }

        /// The same, in a transaction.
        func transaction<Value: Sendable>(
            _ body: @escaping @Sendable (PostgresConnection, _ now: Moment) throws -> Value
        ) async throws -> Value {
            try await perform { connection, fixed in
                try connection.transaction { connection in
                    let now = try connection.execute("SELECT moment($1)", [fixed])[0].integer(0)
                    return try body(connection, Moment(milliseconds: now))
                }
            }
        }

        /// Reads the database's time, if the last reading is older than a second.
        func updateClock() async throws {
            guard databaseClock.age > .seconds(1) else { return }
            databaseClock.set(to: try await perform { connection, _ in try Self.time(connection) })
        }

        private static func time(_ connection: PostgresConnection) throws -> Moment {
            Moment(milliseconds: try connection.execute("SELECT moment(NULL)")[0].integer(0))
        }
    }

    /// The database's clock, estimated: its last reading, continued by a monotonic clock.
    final class DatabaseClock: ServiceClock {
        private struct Reading {
            var moment = Moment(milliseconds: 0)
            var at = ContinuousClock.now
        }

        private let reading = Mutex(Reading())

        var now: Moment {
            let reading = reading.withLock { $0 }
            return reading.moment + (ContinuousClock.now - reading.at)
        }

        /// The time since the last reading.
        var age: Duration { reading.withLock { ContinuousClock.now - $0.at } }

        func set(to moment: Moment) { reading.withLock { $0 = Reading(moment: moment) } }
    }

    extension PostgresError: StoreFailure {
        var reason: String { description }
    }
#endif
