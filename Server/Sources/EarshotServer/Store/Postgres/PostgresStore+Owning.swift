#if Postgres
    import EarshotPostgres
    import FoundationEssentials
    import Logging
    import Synchronization

    /// A project that this node owns.
    struct OwnedProject: Sendable {
        let engine: Engine
        let epoch: Int64
    }

    /// A project that this node owns, or is about to own.
    struct Holding: Sendable {
        let taking: Task<OwnedProject, any Error>
        var owned: OwnedProject?
    }

    /// The node that serves a project.
    enum ProjectPlace: Sendable, Equatable {
        case here
        case node(address: String)
    }

    /// The ownership of projects by nodes.
    ///
    /// A node lives as long as it holds the advisory lock of its number, on a separate connection; PostgreSQL
    /// releases the lock when the connection ends. Another node may take a project only if it can get the lock of the
    /// project's owner. It then raises the epoch, and from then on the database refuses batches of the former owner.
    extension PostgresStore {
        /// The class of the advisory locks of nodes. Classes 1 and 3 are those of the migration and of the registers of projects.
        private static let lockClass = PostgresValue.integer(4)

        /// The maximum time that a request waits while its project is read. Most projects take less; one with 100,000
        /// devices takes 1.7 s, and all its devices would wait here.
        private static let patience = Duration.milliseconds(500)

        /// The engine of a project that this node owns, or can take.
        /// - Throws: `Problem.projectMoves` if another node owns it; `Problem.projectLoading` if reading it takes
        ///   longer than `patience`.
        func engine(of project: Int64) async throws -> Engine {
            guard isNode else { throw Problem.storeAway }
            let holding = projects.withLock { projects in
                if let holding = projects[project] { return holding }
                let holding = Holding(
                    taking: Task {
                        do {
                            let owned = try await take(project)
                            self.projects.withLock { $0[project]?.owned = owned }
                            return owned
                        } catch {
                            self.projects.withLock { $0[project] = nil }
                            throw error
                        }
                    })
                projects[project] = holding
                return holding
            }
            if let owned = holding.owned { return owned.engine }
            let (results, continuation) = AsyncStream.makeStream(of: Result<OwnedProject, any Error>.self)
            Task { continuation.yield(await holding.taking.result) }
            let waiting = Task {
                try await Task.sleep(for: Self.patience)
                continuation.finish()
            }
            defer { waiting.cancel() }
            guard let result = await results.first(where: { _ in true }) else { throw Problem.projectLoading }
            return try result.get().engine
        }

        /// Whether this node owns a project, or is about to own it.
        func owns(_ project: Int64) -> Bool { projects.withLock { $0[project] } != nil }

        /// The engines of the projects that this node owns.
        var engines: [Engine] { projects.withLock { $0.values.compactMap(\.owned?.engine) } }

        /// The node that serves a project. If the project has no owner, or its owner does not answer, this node takes
        /// it.
        /// - Parameter unreachable: the address of an owner that does not answer.
        /// - Throws: `Problem.projectMoves` if that owner is alive nevertheless.
        func place(of project: Int64, unreachable: String? = nil) async throws -> ProjectPlace {
            // Another node may take a project that this node is about to take.
            if projects.withLock({ $0[project]?.owned }) != nil { return .here }
            if let address = try await owner(of: project), address != unreachable { return .node(address: address) }
            do {
                _ = try await engine(of: project)
                return .here
            } catch let problem as Problem where problem == .projectMoves {
                // Another node was faster.
                guard let address = try await owner(of: project), address != unreachable else { throw problem }
                return .node(address: address)
            }
        }

        /// The address of the other node that owns a project; nil if no other node owns it.
        private func owner(of project: Int64) async throws -> String? {
            let node = node.withLock { $0 }
            return try await perform { connection, _ in
                try connection.execute(
                    "SELECT address FROM owner JOIN node ON node.id = node_id WHERE project_id = $1 AND node.id <> $2",
                    [.integer(project), .integer(node ?? 0)]
                ).first?.text(0)
            }
        }

        private func take(_ project: Int64) async throws -> OwnedProject {
            guard let node = node.withLock({ $0 }) else { throw Problem.storeAway }
            let epoch = try await perform { connection, _ in
                try connection.transaction { try Self.take(project, node, $0) }
            }
            guard let epoch else { throw Problem.projectMoves }
            let (live, start) = (SharedLive(), ContinuousClock.now)
            let log = PostgresLog(
                project: project, epoch: epoch, pool: pool, live: live, limits: limits, commits: commits, clock: clock
            ) { [weak self] in self?.lose(project, epoch: epoch) }
            try await log.load(isRestart: true)
            let engine = Engine(live, log: log, clock: clock)
            logger.notice(
                "this node owns a project",
                metadata: [
                    "project": "\(project)", "epoch": "\(epoch)", "devices": "\(engine.counts.devices)",
                    "ms": "\(Int((ContinuousClock.now - start) / .milliseconds(1)))",
                ])
            return OwnedProject(engine: engine, epoch: epoch)
        }

        /// Makes a node the owner.
        /// - Returns: its epoch; nil if the current owner is alive.
        private static func take(_ project: Int64, _ node: Int64, _ connection: PostgresConnection) throws -> Int64? {
            let owners = try connection.execute(
                "SELECT node_id, epoch FROM owner WHERE project_id = $1 FOR UPDATE", [.integer(project)])
            guard let owner = owners.first?.integer(0) else {
                // If another node inserts first, that node owns the project.
                return try connection.execute(
                    "INSERT INTO owner VALUES ($1, $2, 1) ON CONFLICT DO NOTHING RETURNING epoch",
                    [.integer(project), .integer(node)]
                ).first?.integer(0)
            }
            if owner != node {
                let isDead = try connection.execute(
                    "SELECT pg_try_advisory_xact_lock($1, $2)", [lockClass, .integer(owner)])[0].boolean(0)
                guard isDead else { return nil }
            }
            return try connection.execute(
                "UPDATE owner SET node_id = $2, epoch = epoch + 1 WHERE project_id = $1 RETURNING epoch",
                [.integer(project), .integer(node)])[0].integer(0)
        }

        /// Takes the node's lock on a new connection, and checks which projects the node still owns.
        func confirm(_ connection: PostgresConnection, place: String) throws {
            let known = node.withLock { $0 }
            // Row and lock become visible together. Without the lock another node may have deleted the row.
            let number = try connection.transaction { connection in
                let number = try known ?? connection.execute("SELECT nextval('node_number')")[0].integer(0)
                try connection.execute("SELECT pg_advisory_lock($1, $2)", [Self.lockClass, .integer(number)])
                try connection.execute(
                    "INSERT INTO node VALUES ($1, $2) ON CONFLICT (id) DO NOTHING", [.integer(number), .text(place)])
                return number
            }
            node.withLock { $0 = number }
            // Deletes the rows of dead nodes. A node is dead if its lock is free.
            try connection.execute(
                "DELETE FROM node WHERE id <> $2 AND pg_try_advisory_xact_lock($1, id)",
                [Self.lockClass, .integer(number)])
            let epochs = try connection.execute(
                "SELECT project_id, epoch FROM owner WHERE node_id = $1", [.integer(number)])
            let owned = Dictionary(epochs.map { ($0.integer(0), $0.integer(1)) }) { $1 }
            for (project, holding) in projects.withLock({ $0 }) {
                guard let epoch = holding.owned?.epoch, owned[project] != epoch else { continue }
                lose(project, epoch: epoch)
            }
            noteRevocations()
        }

        /// Forgets a project that another node owns.
        private func lose(_ project: Int64, epoch: Int64) {
            let lost = projects.withLock { projects -> OwnedProject? in
                guard let owned = projects[project]?.owned, owned.epoch == epoch else { return nil }
                projects[project] = nil
                return owned
            }
            guard let lost else { return }
            logger.warning("another node owns a project now", metadata: ["project": "\(project)"])
            self.lost(lost.engine.live.withLock { Set($0.devices.keys) })
        }

        /// The secret by which nodes recognise each other's requests. It is stored only in the database.
        func clusterSecret() async throws -> String {
            try await perform { connection, _ in try connection.execute("SELECT secret FROM cluster")[0].text(0) }
        }

        // MARK: Homes

        /// The maximum number of cached hashes; beyond it the cache is cleared.
        private static let maximumHomes = 200_000

        /// The project of a session or of a device key; nil if there is neither.
        func home(of hash: Data) async throws -> Int64? {
            if let known = homes.withLock({ $0[hash] }) { return known }
            // The owner of a project has its devices in memory. After it has taken a project, all of its devices are
            // looked up for the first time.
            let owned = projects.withLock { $0.compactMapValues(\.owned) }
            if let project = owned.first(where: { $0.value.engine.live.withLock { $0.sessions[hash] != nil } })?.key {
                note(project, of: hash)
                return project
            }
            let project = try await perform { connection, _ in
                try connection.execute(
                    """
                    SELECT project_id FROM device WHERE hash = $1
                    UNION ALL SELECT project_id FROM api_key WHERE hash = $1 AND role = 'device'
                    """, [.bytes(hash)]
                ).first?.integer(0)
            }
            if let project { note(project, of: hash) }
            return project
        }

        func note(_ project: Int64, of hash: Data) {
            homes.withLock { homes in
                if homes.count >= Self.maximumHomes { homes = [:] }
                homes[hash] = project
            }
        }

        // MARK: Revocations

        /// Ends the devices of revoked keys, and the items that the operator wants to end.
        func noteRevocations() {
            // If the database is unreachable, this is repeated when the connection is back.
            Task { try? await endRevoked() }
        }

        func endRevoked() async throws {
            let (rows, endings) = try await perform { connection, _ in
                (
                    try connection.execute("SELECT project_id, id FROM api_key WHERE revoked_at IS NOT NULL"),
                    try Endings(connection)
                )
            }
            let revoked = Dictionary(grouping: rows, by: { $0.integer(0) }).mapValues { Set($0.map { $0.integer(1) }) }
            let owned = projects.withLock { $0.compactMapValues(\.owned) }
            for (project, owned) in owned {
                owned.engine.live.withLock { live in
                    if let keys = revoked[project] { live.endRevoked(keys) }
                    live.end(endings)
                }
            }
        }
    }
#endif
