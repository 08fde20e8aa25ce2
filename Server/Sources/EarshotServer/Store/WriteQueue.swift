import GRDB
import Synchronization

/// Collects the writes that arrive while the disk is busy, and commits them together.
///
/// A commit waits for the disk, whatever its size. So under load one wait serves many writes, and without load no write
/// waits for others. Each write has a savepoint of its own: one that fails does not affect the others.
final class WriteQueue: Sendable {
    /// The reason why the database refused a write.
    struct Refusal: Sendable {
        let reason: String
        let at = ContinuousClock.now
    }

    private struct State {
        var waiting: [any Write] = []
        var isRunning = false
        var refusal: Refusal?
    }

    private let pool: DatabasePool
    private let capacity: Int
    private let clock: any ServiceClock
    private let prepare: @Sendable (Database, Moment) throws -> Void
    private let onCommit: @Sendable () -> Void
    private let onFailedCommit: @Sendable () -> Void
    private let state = Mutex(State())
    /// The maximum number of writes in one commit; with more, the first of them would wait for long.
    private static let maximumBatch = 256

    /// - Parameters:
    ///   - capacity: the maximum number of waiting writes.
    ///   - clock: the source of each write's time, read when its turn comes.
    ///   - prepare: called before each write, and after the last one, in their transaction. It repairs what a failed
    ///     write has left.
    ///   - onCommit: called when the writes are on the disk, before they learn of it.
    ///   - onFailedCommit: called when a commit failed, before its writes learn of it.
    init(
        _ pool: DatabasePool, capacity: Int, clock: any ServiceClock,
        prepare: @escaping @Sendable (Database, Moment) throws -> Void = { _, _ in },
        onCommit: @escaping @Sendable () -> Void = {}, onFailedCommit: @escaping @Sendable () -> Void = {}
    ) {
        self.onCommit = onCommit
        self.prepare = prepare
        self.onFailedCommit = onFailedCommit
        self.pool = pool
        self.capacity = capacity
        self.clock = clock
    }

    /// The number of waiting writes.
    var waitingCount: Int { state.withLock { $0.waiting.count } }

    /// The last refusal, if no write has succeeded since.
    var refusal: Refusal? { state.withLock { $0.refusal } }

    /// The result of `body`, once it is on the disk.
    /// - Parameter isProbe: whether the write only tries the disk. It is so small that it proves nothing about others.
    /// - Throws: the error of `body`, `Problem.overloaded` if too many writes wait, or the error of the commit.
    func perform<Value: Sendable>(
        isProbe: Bool = false, _ body: @escaping @Sendable (Database, _ now: Moment) throws -> Value
    ) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            let write = PendingWrite(isProbe: isProbe, body: body, continuation: continuation)
            let (isTaken, mustRun) = state.withLock { state in
                guard state.waiting.count < capacity else { return (false, false) }
                state.waiting.append(write)
                defer { state.isRunning = true }
                return (true, !state.isRunning)
            }
            if !isTaken { continuation.resume(throwing: Problem.overloaded) }
            if mustRun { Task { await run() } }
        }
    }

    private func run() async {
        while let batch = nextBatch() {
            do {
                try await pool.writeWithoutTransaction { database in
                    try database.inTransaction(.immediate) {
                        for write in batch {
                            // A full disk ends the transaction; no statement may then run outside of one.
                            guard database.isInsideTransaction else { throw DatabaseError(resultCode: .SQLITE_ABORT) }
                            try prepare(database, clock.now)
                            write.run(in: database, now: clock.now)
                        }
                        try prepare(database, clock.now)
                        return .commit
                    }
                }
                onCommit()
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

    /// Remembers whether the database refused one of the writes.
    private func note(_ batch: [any Write], commitError: (any Error)?) {
        let writes = batch.filter { !$0.isProbe }
        guard !writes.isEmpty else { return }
        let error = writes.lazy.compactMap(\.refusal).first ?? commitError
        state.withLock { $0.refusal = error.map { Refusal(reason: reason(of: $0)) } }
    }

    /// Repairs at once what a failed commit has left. If the database cannot even be read, the next write tries again.
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

    private func nextBatch() -> [any Write]? {
        state.withLock { state in
            guard !state.waiting.isEmpty else {
                state.isRunning = false
                return nil
            }
            let batch = Array(state.waiting.prefix(Self.maximumBatch))
            state.waiting.removeFirst(batch.count)
            return batch
        }
    }
}

private protocol Write: Sendable {
    var isProbe: Bool { get }
    /// The error with which the database refused it.
    var refusal: DatabaseError? { get }
    func run(in database: Database, now: Moment)
    func finish(commitError: (any Error)?)
}

private final class PendingWrite<Value: Sendable>: Write {
    let isProbe: Bool
    private let body: @Sendable (Database, Moment) throws -> Value
    private let continuation: CheckedContinuation<Value, any Error>
    private let result = Mutex<Result<Value, any Error>?>(nil)

    init(
        isProbe: Bool, body: @escaping @Sendable (Database, Moment) throws -> Value,
        continuation: CheckedContinuation<Value, any Error>
    ) {
        self.isProbe = isProbe
        self.body = body
        self.continuation = continuation
    }

    func run(in database: Database, now: Moment) {
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
    }

    var refusal: DatabaseError? {
        result.withLock { result in
            guard case .failure(let error as DatabaseError) = result else { return nil }
            // A constraint is broken by what is written, not by the disk.
            return error.resultCode == .SQLITE_CONSTRAINT ? nil : error
        }
    }

    func finish(commitError: (any Error)?) {
        switch (result.withLock { $0 }, commitError) {
        // The write failed by itself, whatever became of the others.
        case (.failure(let error), _): continuation.resume(throwing: error)
        case (_, .some(let error)): continuation.resume(throwing: error)
        case (.success(let value), nil): continuation.resume(returning: value)
        case (nil, nil): continuation.resume(throwing: DatabaseError(resultCode: .SQLITE_ABORT))
        }
    }
}
