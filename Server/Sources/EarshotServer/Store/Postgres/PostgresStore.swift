#if Postgres
    import EarshotPostgres
    import FoundationEssentials
    import Logging
    import Synchronization

    /// The store of several nodes: a PostgreSQL database.
    ///
    /// No node keeps anything in memory that another must know. Each call is one call of a function in the database
    /// (`PostgresSchema`), which locks the devices that it concerns.
    package final class PostgresStore: Store {
        private let pool: PostgresPool
        private let address: PostgresAddress
        private let databaseClock = DatabaseClock()
        /// The clock of a test; nil for the database's.
        private let fixedClock: (any ServiceClock)?
        private let listener = Mutex<PostgresListener?>(nil)
        private let announcements: Announcements
        /// Several nodes hear each other's notifications, and their own.
        private let node = Secret.newIdentifier()
        let rates: any Rates
        /// Of a database that keeps writes from the disk; for the operator to know.
        let isDurable: Bool

        /// The channel on which nodes tell each other of devices with new changes.
        private static let channel = "earshot_wake"

        /// Connects, and migrates the tables to the current version.
        /// - Parameters:
        ///   - address: `postgres://user@host/database`.
        ///   - connections: the number of connections for requests, ≥ 1. One more listens.
        ///   - pendingCalls: the maximum number of calls that wait for a connection.
        ///   - clock: the source of time; nil for the database's clock, which all nodes share.
        /// - Throws: `AdministrationError` if the database cannot be reached, or is of a later version.
        init(
            address: String, connections: Int = 16, pendingCalls: Int = 4_096, clock: (any ServiceClock)? = nil,
            logger: Logger = Logger(label: "earshotd")
        ) throws {
            let address = PostgresAddress(address)
            self.address = address
            fixedClock = clock
            do {
                let connection = try PostgresConnection(address, settings: Self.settings)
                try PostgresSchema.migrate(connection)
                isDurable = try ["fsync", "full_page_writes"].allSatisfy {
                    try connection.execute("SELECT current_setting('\($0)')")[0].text(0) == "on"
                }
                databaseClock.set(to: try Self.time(connection))
            } catch let error as PostgresError {
                throw AdministrationError(description: "\(error)")
            }
            pool = PostgresPool(address, size: connections, capacity: pendingCalls, settings: Self.settings) { reason in
                if let reason {
                    logger.error("the database is away", metadata: ["reason": "\(reason)"])
                } else {
                    logger.notice("the database is back")
                }
            }
            rates = PostgresRates(pool, fixedClock: clock)
            announcements = Announcements(pool, channel: Self.channel, node: node)
        }

        // Each statement is planned once for a connection, and none is worth a compiler. A plan that was made for empty tables
        // would read them from end to end for as long as the connection lives. Each question here is for a few rows, and has an
        // index, so every join is a loop over an index.
        //
        // A call that waits longer for others would no longer be awaited. PostgreSQL may be configured to answer before a
        // commit is on the disk; not for these.
        private static let settings = [
            "SET statement_timeout = '10s'", "SET synchronous_commit = on", "SET jit = off",
            "SET plan_cache_mode = force_generic_plan", "SET enable_seqscan = off", "SET enable_hashjoin = off",
            "SET enable_mergejoin = off",
        ]

        package var clock: any ServiceClock { fixedClock ?? databaseClock }

        package func close() {
            listener.withLock { listener in
                listener?.close()
                listener = nil
            }
            pool.close()
        }

        /// Listens for the other nodes. `wake` gets the devices that have new changes, or nil if any may have.
        func listen(_ wake: @escaping @Sendable (Set<Int64>?) -> Void) {
            let node = node
            let new = PostgresListener(
                address, channel: Self.channel,
                onNotification: { payload in
                    let parts = payload.split(separator: " ")
                    guard parts.count == 2, parts[0] != node else { return }
                    wake(Set(parts[1].split(separator: ",").compactMap { Int64($0) }))
                }, onGap: { wake(nil) })
            listener.withLock { listener in
                listener?.close()
                listener = new
            }
        }

        func announce(_ devices: Set<Int64>) { announcements.add(devices) }

        func check() async throws {
            _ = try await perform { connection, _ in
                try connection.execute("UPDATE probe SET written_at = moment(NULL)")
            }
        }

        /// `usage` has a few rows for each key. The sightings are PostgreSQL's own count, which is some seconds late: counting the
        /// rows takes 103 ms for a million.
        func counts() async throws -> StoreCounts {
            let waiting = pool.waitingCount
            return try await perform { connection, _ in
                let row = try connection.execute(
                    """
                    SELECT coalesce(sum(devices), 0), coalesce(sum(publications), 0), coalesce(sum(subscriptions), 0),
                        pg_stat_get_live_tuples('sighting'::regclass)
                    FROM usage
                    """)[0]
                let numbers = (0..<4).map { Int(row.integer($0)) }
                return StoreCounts(
                    devices: numbers[0], publications: numbers[1], subscriptions: numbers[2], sightings: numbers[3],
                    waitingWrites: waiting)
            }
        }

        /// Runs `body` with a connection, and the test's time or null.
        /// - Throws: `Problem` if the database is away or overloaded, or the error of `body`.
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

        /// Notes the database's time.
        func updateClock() async throws {
            databaseClock.set(to: try await perform { connection, _ in try Self.time(connection) })
        }

        private static func time(_ connection: PostgresConnection) throws -> Moment {
            Moment(milliseconds: try connection.execute("SELECT moment(NULL)")[0].integer(0))
        }
    }

    /// The database's clock, as this node knows it: its last reading, continued by a steady clock.
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

        func set(to moment: Moment) { reading.withLock { $0 = Reading(moment: moment) } }
    }

    /// Tells the other nodes which devices have new changes, after those are committed.
    ///
    /// PostgreSQL commits transactions that notify one after the other, disk included. So a notification is a transaction of its
    /// own, which writes nothing, and one carries the devices of all calls that end while another is under way. If the node
    /// dies in between, streams on other nodes look at their next heartbeat.
    final class Announcements: Sendable {
        private struct State {
            var devices: Set<Int64> = []
            var isRunning = false
        }

        private let pool: PostgresPool
        private let channel: String
        private let node: String
        private let state = Mutex(State())
        /// A payload has less than 8,000 bytes, and a number at most 20 with its comma.
        private static let maximumCount = 350

        init(_ pool: PostgresPool, channel: String, node: String) {
            self.pool = pool
            self.channel = channel
            self.node = node
        }

        func add(_ devices: Set<Int64>) {
            guard !devices.isEmpty else { return }
            let mustRun = state.withLock { state in
                state.devices.formUnion(devices)
                defer { state.isRunning = true }
                return !state.isRunning
            }
            if mustRun { Task { await run() } }
        }

        private func run() async {
            while let devices = next() {
                let payload = "\(node) \(devices.map { "\($0)" }.joined(separator: ","))"
                let channel = channel
                // While the database is away there is nothing to wake for, and its listeners look when it is back.
                _ = try? await pool.perform { connection in
                    try connection.execute("SELECT pg_notify($1, $2)", [.text(channel), .text(payload)])
                }
            }
        }

        private func next() -> [Int64]? {
            state.withLock { state in
                guard !state.devices.isEmpty else {
                    state.isRunning = false
                    return nil
                }
                let devices = Array(state.devices.prefix(Self.maximumCount))
                state.devices.subtract(devices)
                return devices
            }
        }
    }

    extension PostgresError: StoreFailure {
        var reason: String { description }
    }
#endif
