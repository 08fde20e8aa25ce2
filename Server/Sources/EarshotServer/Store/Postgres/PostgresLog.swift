#if Postgres
    import EarshotPostgres
    import FoundationEssentials
    import Synchronization

    /// The log of one project in PostgreSQL, written by the project's owner.
    ///
    ///     turns that wait ─▶ batch ─▶ memory ─▶ one transaction (fence, rows by table) ─▶ answers
    ///
    /// While the log writes one batch, it collects the next: all changes of a batch share one wait for the disk. Memory
    /// changes only in a batch's turn. So if the database refuses the batch, memory is read again, and no change
    /// depends on data that is not on the disk.
    ///
    /// The fence of a batch is the owner's epoch: the database refuses batches of a node whose projects another node
    /// has taken.
    final class PostgresLog: ChangeLog {
        let project: Int64
        private let epoch: Int64
        private let pool: PostgresPool
        private let live: SharedLive
        private let limits: ServiceLimits
        private let clock: any ServiceClock
        private let onFence: @Sendable () -> Void
        private let queue: TurnQueue<any Turn>
        private let commits: Durations
        /// Whether memory may differ from the rows.
        private let isStale = SharedFlag()

        /// - Parameter onFence: called when the project has another owner.
        init(
            project: Int64, epoch: Int64, pool: PostgresPool, live: SharedLive, limits: ServiceLimits,
            commits: Durations, clock: any ServiceClock, onFence: @escaping @Sendable () -> Void
        ) {
            (self.project, self.epoch, self.pool, self.live) = (project, epoch, pool, live)
            (self.limits, self.commits, self.clock, self.onFence) = (limits, commits, clock, onFence)
            queue = TurnQueue(capacity: limits.pendingWrites)
        }

        var waitingCount: Int { queue.count }
        var lag: Duration { queue.lag }

        func append<Value: Sendable>(
            isPatient: Bool, _ body: @escaping @Sendable (_ now: Moment) throws -> (Value, RowChanges)
        ) async throws -> Value {
            try await withCheckedThrowingContinuation { continuation in
                let turn = PendingTurn(body: body, continuation: continuation)
                let isTaken = queue.add(turn, isPatient ? .patientChange : .change) { await self.run() }
                if !isTaken { continuation.resume(throwing: Problem.overloaded) }
            }
        }

        func afterChanges<Value: Sendable>(
            _ body: @escaping @Sendable (_ now: Moment) -> Value
        ) async throws -> Value {
            try await withCheckedThrowingContinuation { continuation in
                let read = PendingRead { [clock] error in
                    continuation.resume(with: error.map(Result.failure) ?? .success(body(clock.now)))
                }
                _ = queue.add(read, .read) { await self.run() }
            }
        }

        func contents(of publications: [Int64]) async throws -> [Int64: Data] {
            try await perform { connection in
                let rows = try connection.execute(
                    "SELECT id, content FROM publication WHERE id = ANY($1)", [.integers(publications)])
                return Dictionary(rows.map { ($0.integer(0), $0.bytes(1)) }) { first, _ in first }
            }
        }

        /// Reads the project's rows into memory.
        /// - Parameter isRestart: whether this is the first reading.
        func load(isRestart: Bool) async throws {
            let (project, limits, clock) = (project, limits, clock)
            let rows = try await perform { connection in
                try connection.transaction { connection in
                    try connection.run(script: "SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
                    try connection.run(script: "SET LOCAL statement_timeout = 0")
                    return try LiveRows(connection, project: project).bounded(limits, now: clock.now)
                }
            }
            live.withLock { live in
                let assumedUntil = isRestart ? clock.now + limits.sightingLifetime : live.assumedUntil
                live = Live(
                    rows, keeping: live, firstRow: ProjectRows.first(of: project), isRestart: isRestart, now: clock.now)
                live.assumedUntil = assumedUntil
            }
        }

        private func run() async {
            while let batch = queue.nextBatch() {
                var turns = batch[...]
                do {
                    if isStale.isSet { try await reload() }
                    var rows = RowChanges()
                    var count = 0
                    for turn in batch {
                        count += 1
                        // The failed change may be partly in memory, so no other change follows.
                        guard turn.run(now: clock.now, &rows) else {
                            isStale.set(true)
                            break
                        }
                    }
                    turns = batch.prefix(count)
                    if count < batch.count { queue.giveBack(batch[count...]) }
                    if !rows.isEmpty {
                        let start = ContinuousClock.now
                        try await write(rows)
                        commits.add(.now - start)
                    }
                    live.withLock { $0.commit() }
                    for turn in turns { turn.finish(nil) }
                } catch {
                    isStale.set(true)
                    // If that fails too, the next batch tries it.
                    try? await reload()
                    for turn in turns { turn.finish(error) }
                }
            }
        }

        private func reload() async throws {
            try await load(isRestart: false)
            live.withLock { $0.commit() }
            isStale.set(false)
        }

        private func write(_ rows: RowChanges) async throws {
            let (project, epoch) = (project, epoch)
            let isOwner = try await perform { connection in
                try connection.transaction { connection in
                    let fence = try connection.execute(
                        "SELECT FROM owner WHERE project_id = $1 AND epoch = $2 FOR SHARE",
                        [.integer(project), .integer(epoch)])
                    guard !fence.isEmpty else { return false }
                    try rows.write(connection, project: project)
                    return true
                }
            }
            guard isOwner else {
                onFence()
                throw Problem.projectMoves
            }
        }

        private func perform<Value: Sendable>(
            _ body: @escaping @Sendable (PostgresConnection) throws -> Value
        ) async throws -> Value {
            try await Problem.orAway { try await pool.perform(body) }
        }
    }

    /// The row numbers of a project. Only its owner assigns them, and they are unique among all projects.
    enum ProjectRows {
        private static let bits: Int64 = 40

        static func first(of project: Int64) -> Int64 { project << bits }
    }

    private protocol Turn: Sendable {
        /// Changes memory and adds the resulting rows.
        /// - Returns: false if memory may be inconsistent.
        func run(now: Moment, _ rows: inout RowChanges) -> Bool
        func finish(_ error: (any Error)?)
    }

    /// Waits for all earlier changes.
    private struct PendingRead: Turn {
        let end: @Sendable ((any Error)?) -> Void

        func run(now: Moment, _ rows: inout RowChanges) -> Bool { true }
        func finish(_ error: (any Error)?) { end(error) }
    }

    private final class PendingTurn<Value: Sendable>: Turn {
        private let body: @Sendable (Moment) throws -> (Value, RowChanges)
        private let continuation: CheckedContinuation<Value, any Error>
        private let result = Mutex<Result<Value, any Error>?>(nil)

        init(
            body: @escaping @Sendable (Moment) throws -> (Value, RowChanges),
            continuation: CheckedContinuation<Value, any Error>
        ) {
            (self.body, self.continuation) = (body, continuation)
        }

        func run(now: Moment, _ rows: inout RowChanges) -> Bool {
            do {
                let (value, changes) = try body(now)
                rows.append(changes)
                result.withLock { $0 = .success(value) }
                return true
            } catch {
                result.withLock { $0 = .failure(error) }
                return error is Problem
            }
        }

        func finish(_ error: (any Error)?) {
            switch (result.withLock { $0 }, error) {
            // It failed independently of the others.
            case (.failure(let own), _): continuation.resume(throwing: own)
            case (_, .some(let error)): continuation.resume(throwing: error)
            case (.success(let value), nil): continuation.resume(returning: value)
            case (nil, nil): continuation.resume(throwing: Problem.storeAway)
            }
        }
    }
#endif
