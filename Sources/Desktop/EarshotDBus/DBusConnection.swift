import EarshotSystem
import Synchronization

/// A connection to a bus: calls, signals, and objects that this program exports.
///
///     let bus = DBusConnection(.system)
///     let names = try await bus.call("org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus", "ListNames")
///
/// One thread serves the connection and ends with it. If the bus cannot be reached, every call fails with
/// `disconnected`. A failed connection does not recover; its owner makes a new one.
package final class DBusConnection: Sendable {
    private let inbox: DBusInbox
    private let numbers = Atomic<UInt64>(0)

    /// Begins to connect.
    package init(_ bus: DBusBus) {
        let inbox = DBusInbox()
        self.inbox = inbox
        Worker().start { DBusLoop.run(bus, inbox) }
    }

    deinit { inbox.stop() }

    /// Calls a method and waits for the answer.
    /// - Parameters:
    ///   - destination: the unique or well-known name of the program to call.
    ///   - timeLimit: the maximum time to wait; above 0.
    /// - Returns: the values of the answer.
    package func call(
        _ destination: String, _ path: String, _ interface: String, _ member: String, _ arguments: [DBusValue] = [],
        timeLimit: Duration = .seconds(10)
    ) async throws(DBusError) -> [DBusValue] {
        let ticket = DBusTicket()
        let microseconds =
            timeLimit.components.seconds * 1_000_000 + timeLimit.components.attoseconds / 1_000_000_000_000
        let answer = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                ticket.wait(continuation)
                inbox.post { [inbox] loop in
                    guard let loop else { return ticket.answer(.failure(.disconnected(inbox.closingReason))) }
                    loop.call(
                        ticket, to: destination, path: path, interface: interface, member: member,
                        arguments: arguments, timeLimitMicroseconds: UInt64(max(1, microseconds)))
                }
            }
        } onCancel: {
            ticket.answer(.failure(.cancelled))
            inbox.post { $0?.forget(ticket) }
        }
        return try answer.get()
    }

    /// The matching signals from now on, until the stream is no longer read or the connection ends.
    /// - Parameter backlog: the maximum number of signals that wait for a slow reader; the oldest are dropped.
    package func signals(_ match: DBusMatch, backlog: Int = 4_096) -> AsyncStream<DBusSignal> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: DBusSignal.self, bufferingPolicy: .bufferingNewest(backlog))
        let reception = receive(match) {
            continuation.yield($0)
        } end: {
            continuation.finish()
        }
        continuation.onTermination = { _ in reception.cancel() }
        return stream
    }

    /// Calls `receive` with each matching signal, in the order of the bus, on the connection's thread; it must not
    /// block.
    /// - Parameter end: called if the connection ends before the reception is cancelled.
    package func receive(
        _ match: DBusMatch, _ receive: @escaping @Sendable (DBusSignal) -> Void,
        end: @escaping @Sendable () -> Void = {}
    ) -> DBusReception {
        let number = numbers.add(1, ordering: .relaxed).newValue
        inbox.post { loop in
            guard let loop else { return end() }
            loop.match(number, match, receive: receive, end: end)
        }
        return DBusReception { [inbox] in inbox.post { $0?.unmatch(number) } }
    }

    /// Exports an object at a path, and replaces an existing one.
    package func export(_ path: String, _ object: DBusObject) async throws(DBusError) {
        try await perform { loop throws(DBusError) in try loop.export(path, object) }
    }

    /// Stops exporting the object at a path.
    package func withdraw(_ path: String) {
        inbox.post { $0?.withdraw(path) }
    }

    /// Sends a signal from the object at a path.
    package func emit(_ path: String, _ interface: String, _ member: String, _ arguments: [DBusValue] = [])
        async throws(DBusError)
    {
        try await perform { loop throws(DBusError) in
            try loop.emit(path: path, interface: interface, member: member, arguments: arguments)
        }
    }

    /// Closes the connection; returns immediately.
    package func close() {
        inbox.stop()
    }

    /// Waits until the connection is closed, by `close` or by the bus.
    package func waitUntilClosed() async {
        await inbox.waitUntilClosed()
    }

    private func perform(_ work: @escaping @Sendable (DBusLoop) throws(DBusError) -> Void) async throws(DBusError) {
        let result = await withCheckedContinuation {
            (continuation: CheckedContinuation<Result<Void, DBusError>, Never>) in
            inbox.post { [inbox] loop in
                guard let loop else {
                    return continuation.resume(returning: .failure(.disconnected(inbox.closingReason)))
                }
                do throws(DBusError) {
                    try work(loop)
                    continuation.resume(returning: .success(()))
                } catch {
                    continuation.resume(returning: .failure(error))
                }
            }
        }
        try result.get()
    }
}

/// A reception of signals. It lasts until it is cancelled.
package struct DBusReception: Sendable {
    private let end: @Sendable () -> Void

    init(_ end: @escaping @Sendable () -> Void) {
        self.end = end
    }

    package func cancel() {
        end()
    }
}
