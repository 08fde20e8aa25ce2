#if Postgres
    import Dispatch
    import Foundation
    import Synchronization

    /// Connections, each with its own thread, which run the waiting calls in order.
    ///
    /// libpq's calls block, so they do not run on Swift's own threads. When the connection to the database fails, the
    /// threads retry after a pause that doubles from 50 ms to 5 s; in the meantime calls fail immediately.
    package final class PostgresPool: Sendable {
        /// A call fails because the database cannot be reached.
        package struct Away: Error, Sendable {
            /// The reason.
            package let reason: String
        }

        /// Too many calls wait.
        package struct Full: Error, Sendable {}

        private struct State {
            var waiting: [Job] = []
            var first = 0
            var isClosed = false
            /// Connections that are running a call.
            var busy = 0
            /// After a connection failed: the reason, the time of the next attempt, and the pause after it.
            var outage: (reason: String, next: ContinuousClock.Instant, pause: Duration)?

            var count: Int { waiting.count - first }

            mutating func next() -> Job? {
                guard first < waiting.count else { return nil }
                let job = waiting[first]
                first += 1
                // Moves the rest up rarely, so that the cost of a call does not depend on the number of waiting calls.
                if first > 1_000, 2 * first > waiting.count {
                    waiting.removeFirst(first)
                    first = 0
                }
                return job
            }
        }

        private struct Job: Sendable {
            /// The call, given a connection.
            let run: @Sendable (PostgresConnection) throws -> Void
            let fail: @Sendable (any Error) -> Void
        }

        private let address: PostgresAddress
        private let settings: [String]
        private let capacity: Int
        private let state = Mutex(State())
        private let work = DispatchSemaphore(value: 0)
        /// The number of connections.
        package let size: Int
        private let onOutage: @Sendable (String?) -> Void
        private static let firstPause = Duration.milliseconds(50)
        private static let maximumPause = Duration.seconds(5)
        /// The maximum number of attempts of a call that conflicts with others.
        private static let attempts = 10

        /// Starts the threads. Each connects when it has a call to run.
        /// - Parameters:
        ///   - address: the database.
        ///   - size: the number of connections, ≥ 1.
        ///   - capacity: the maximum number of calls that wait.
        ///   - settings: statements that each connection runs first.
        ///   - onOutage: called with the reason when the database becomes unreachable, and with nil when it is
        ///     reachable again.
        package init(
            _ address: PostgresAddress, size: Int, capacity: Int, settings: [String],
            onOutage: @escaping @Sendable (String?) -> Void = { _ in }
        ) {
            precondition(size >= 1, "a pool of \(size) connections")
            self.address = address
            self.settings = settings
            self.capacity = capacity
            self.size = size
            self.onOutage = onOutage
            for index in 0..<size {
                let thread = Thread { [weak self] in
                    var connection: PostgresConnection?
                    // The pool lives until `close`, which wakes every thread.
                    while let pool = self, pool.serve(&connection) {}
                }
                thread.name = "postgres-\(index)"
                thread.start()
            }
        }

        /// The number of waiting calls.
        package var waitingCount: Int { state.withLock { $0.count } }

        /// The number of connections that are running a call.
        package var busyCount: Int { state.withLock { $0.busy } }

        /// Whether the last attempt to connect succeeded.
        package var isUp: Bool { state.withLock { $0.outage == nil } }

        /// Ends the threads and their connections. Waiting calls fail.
        package func close() {
            let waiting = state.withLock { state in
                state.isClosed = true
                var waiting: [Job] = []
                while let job = state.next() { waiting.append(job) }
                return waiting
            }
            for job in waiting { job.fail(Away(reason: "the service stops")) }
            for _ in 0..<size { work.signal() }
        }

        /// The result of `body`, which runs on a thread of the pool. It is repeated if it conflicts with another call,
        /// so it must only affect the database.
        /// - Throws: `Away`, `Full`, or the error of `body`. If the connection is lost while `body` runs, the error is
        ///   a `PostgresError`, and its changes may or may not have taken effect.
        package func perform<Value: Sendable>(
            _ body: @escaping @Sendable (PostgresConnection) throws -> Value
        ) async throws -> Value {
            try await withCheckedThrowingContinuation { continuation in
                let job = Job(
                    run: { connection in
                        let value = try Self.repeating(connection, body)
                        continuation.resume(returning: value)
                    }, fail: { continuation.resume(throwing: $0) })
                let refusal: (any Error)? = state.withLock { state in
                    if state.isClosed { return Away(reason: "the service stops") }
                    if let outage = state.outage, outage.next > .now { return Away(reason: outage.reason) }
                    guard state.count < capacity else { return Full() }
                    state.waiting.append(job)
                    return nil
                }
                if let refusal { return job.fail(refusal) }
                work.signal()
            }
        }

        private static func repeating<Value>(
            _ connection: PostgresConnection, _ body: (PostgresConnection) throws -> Value
        ) throws -> Value {
            for attempt in 1..<attempts {
                do {
                    return try body(connection)
                } catch let error as PostgresError where error.isConflict {
                    // Wait for the others, each call for a different time.
                    usleep(UInt32.random(in: 0...UInt32(500 * attempt)))
                }
            }
            return try body(connection)
        }

        /// Takes a call and runs it.
        /// - Returns: false if the pool is closed.
        private func serve(_ connection: inout PostgresConnection?) -> Bool {
            work.wait()
            let next = state.withLock { state in
                let job = state.next()
                if job != nil { state.busy += 1 }
                return job
            }
            guard let job = next else {
                return state.withLock { !$0.isClosed }
            }
            defer { state.withLock { $0.busy -= 1 } }
            do {
                if connection?.isAlive == false { connection = nil }
                let ready = try connection ?? connect()
                connection = ready
                try job.run(ready)
            } catch {
                if (error as? PostgresError)?.isDisconnection == true { connection = nil }
                job.fail(error)
            }
            return true
        }

        private func connect() throws -> PostgresConnection {
            if let outage = state.withLock({ $0.outage }), outage.next > .now { throw Away(reason: outage.reason) }
            do {
                let connection = try PostgresConnection(address, settings: settings)
                let isBack = state.withLock { state in
                    defer { state.outage = nil }
                    return state.outage != nil
                }
                if isBack { onOutage(nil) }
                return connection
            } catch let error as PostgresError {
                let isNew = state.withLock { state in
                    let isNew = state.outage == nil
                    let pause = state.outage?.pause ?? Self.firstPause
                    // Nodes must not all reconnect at the same moment.
                    let wait = pause * Double.random(in: 0.5...1)
                    state.outage = (error.description, .now + wait, min(pause * 2, Self.maximumPause))
                    return isNew
                }
                if isNew { onOutage(error.description) }
                throw Away(reason: error.description)
            }
        }
    }
#endif
