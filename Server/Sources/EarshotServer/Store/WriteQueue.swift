import GRDB
import Synchronization

/// Collects the writes that arrive while the disk is busy and commits them together.
///
/// A commit waits for the disk, regardless of its size. So under load many writes share one wait, and without load a
/// write does not wait for others. Each write has its own savepoint, so a failed write does not affect the others.
final class WriteQueue: Sendable {
    /// The reason why the database refused a write.
    struct Refusal: Sendable {
        let reason: String
        let at = ContinuousClock.now
    }

    private struct State {
        var refusal: Refusal?
    }

    private let pool: DatabasePool
    private let queue: TurnQueue<any Write>
    private let commits: Durations
    private let clock: any ServiceClock
    private let needsRepair: @Sendable () -> Bool
    private let prepare: @Sendable (Database, Moment) throws -> Void
    private let onCommit: @Sendable () -> Void
    private let onFailedCommit: @Sendable () -> Void
    private let state = Mutex(State())

    /// - Parameters:
    ///   - capacity: the maximum number of waiting writes.
    ///   - commits: records the duration of each commit.
    ///   - clock: the source of each write's time, read when its turn comes.
    ///   - needsRepair: whether `prepare` has something to repair. Reads then wait for the repair.
    ///   - prepare: called before each write, and after the last one, in their transaction. It repairs the effects of a
    ///     failed write.
    ///   - onCommit: called when the writes are on the disk, before their callers get the result.
    ///   - onFailedCommit: called when a commit failed, before the callers get the error.
    init(
        _ pool: DatabasePool, capacity: Int, commits: Durations, clock: any ServiceClock,
        needsRepair: @escaping @Sendable () -> Bool = { false },
        prepare: @escaping @Sendable (Database, Moment) throws -> Void = { _, _ in },
        onCommit: @escaping @Sendable () -> Void = {}, onFailedCommit: @escaping @Sendable () -> Void = {}
    ) {
        self.onCommit = onCommit
        self.needsRepair = needsRepair
        self.prepare = prepare
        self.onFailedCommit = onFailedCommit
        self.pool = pool
        queue = TurnQueue(capacity: capacity)
        self.commits = commits
        self.clock = clock
    }

    /// The number of waiting writes.
    var waitingCount: Int { queue.count }

    /// The same, including reads.
    var turnCount: Int { queue.turnCount }

    /// The waiting time of the oldest write that is not on the disk.
    var lag: Duration { queue.lag }

    /// The last refusal, if no write has succeeded since.
    var refusal: Refusal? { state.withLock { $0.refusal } }

    /// The result of `body`, once it is on the disk.
    /// - Parameters:
    ///   - isProbe: whether the write only tests the disk. Such a small write proves nothing about larger ones.
    ///   - isPatient: whether it may wait some milliseconds for others.
    /// - Throws: the error of `body`, `Problem.overloaded` if too many writes wait, or the error of the commit.
    func perform<Value: Sendable>(
        isProbe: Bool = false, isPatient: Bool = false,
        _ body: @escaping @Sendable (Database, _ now: Moment) throws -> Value
    ) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            let write = PendingWrite(isProbe: isProbe, body: body, continuation: continuation)
            let isTaken = queue.add(write, isPatient ? .patientChange : .change) { await self.run() }
            if !isTaken { continuation.resume(throwing: Problem.overloaded) }
        }
    }

    /// The value of `body`, once all earlier writes are on the disk. It does not query the database.
    /// - Throws: the error of the commit, if that failed.
    func afterWrites<Value: Sendable>(_ body: @escaping @Sendable (_ now: Moment) -> Value) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            let read = PendingRead { [clock] error in
                continuation.resume(with: error.map(Result.failure) ?? .success(body(clock.now)))
            }
            _ = queue.add(read, .read) { await self.run() }
        }
    }

    private func run() async {
        while let batch = queue.nextBatch() {
            let start = ContinuousClock.now
            guard needsRepair() || batch.contains(where: { !($0 is PendingRead) }) else {
                for read in batch { read.finish(commitError: nil) }
                continue
            }
            do {
                try await pool.writeWithoutTransaction { database in
                    try database.inTransaction(.immediate) {
                        for write in batch {
                            // A full disk ends the transaction; after that no statement may run outside of a
                            // transaction.
                            guard database.isInsideTransaction else { throw DatabaseError(resultCode: .SQLITE_ABORT) }
                            try prepare(database, clock.now)
                            write.run(in: database, now: clock.now)
                        }
                        try prepare(database, clock.now)
                        return .commit
                    }
                }
                onCommit()
                commits.add(.now - start)
                note(batch, commitError: nil)
                for write in batch { write.finish(commitError: nil) }
            } catch {
                onFailedCommit()
                await recover()
                note(batch, commitError: error)
                for write in batch { write.finish(commitError: error) }
            }
        }
    }

    /// Remembers whether the database refused one of the writes. A write that changes no row proves nothing.
    private func note(_ batch: [any Write], commitError: (any Error)?) {
        let writes = batch.filter { !$0.isProbe }
        guard !writes.isEmpty else { return }
        if let error = writes.lazy.compactMap(\.refusal).first ?? commitError {
            state.withLock { $0.refusal = Refusal(reason: reason(of: error)) }
        } else if writes.contains(where: \.hasWritten) {
            state.withLock { $0.refusal = nil }
        }
    }

    /// Immediately repairs the effects of a failed commit. If the database cannot even be read, the next write tries
    /// again.
    private func recover() async {
        do {
            try await pool.writeWithoutTransaction { database in
                try database.inTransaction(.deferred) {
                    try prepare(database, clock.now)
                    return .commit
                }
            }
            onCommit()
        } catch {
            // The next write fails with the reason.
        }
    }
}

private protocol Write: Sendable {
    var isProbe: Bool { get }
    /// The database's error, if it refused the write.
    var refusal: DatabaseError? { get }
    /// Whether it changed a row.
    var hasWritten: Bool { get }
    func run(in database: Database, now: Moment)
    func finish(commitError: (any Error)?)
}

/// Waits for all earlier writes.
private struct PendingRead: Write {
    let isProbe = true
    let refusal: DatabaseError? = nil
    let hasWritten = false
    let end: @Sendable ((any Error)?) -> Void

    func run(in database: Database, now: Moment) {}
    func finish(commitError: (any Error)?) { end(commitError) }
}

private final class PendingWrite<Value: Sendable>: Write {
    let isProbe: Bool
    private let body: @Sendable (Database, Moment) throws -> Value
    private let continuation: CheckedContinuation<Value, any Error>
    private let result = Mutex<Result<Value, any Error>?>(nil)
    private let written = Atomic(false)

    init(
        isProbe: Bool, body: @escaping @Sendable (Database, Moment) throws -> Value,
        continuation: CheckedContinuation<Value, any Error>
    ) {
        self.isProbe = isProbe
        self.body = body
        self.continuation = continuation
    }

    func run(in database: Database, now: Moment) {
        let before = database.totalChangesCount
        let outcome = Result<Value, any Error> {
            var value: Value?
            try database.inSavepoint {
                value = try body(database, now)
                return .commit
            }
            guard let value else { throw DatabaseError(resultCode: .SQLITE_ABORT) }
            return value
        }
        result.withLock { $0 = outcome }
        if case .success = outcome { written.store(database.totalChangesCount != before, ordering: .releasing) }
    }

    var hasWritten: Bool { written.load(ordering: .acquiring) }

    var refusal: DatabaseError? {
        result.withLock { result in
            guard case .failure(let error as DatabaseError) = result else { return nil }
            // A constraint violation comes from the written data, not from the disk.
            return error.resultCode == .SQLITE_CONSTRAINT ? nil : error
        }
    }

    func finish(commitError: (any Error)?) {
        switch (result.withLock { $0 }, commitError) {
        // The write failed independently of the others.
        case (.failure(let error), _): continuation.resume(throwing: error)
        case (_, .some(let error)): continuation.resume(throwing: error)
        case (.success(let value), nil): continuation.resume(returning: value)
        case (nil, nil): continuation.resume(throwing: DatabaseError(resultCode: .SQLITE_ABORT))
        }
    }
}
