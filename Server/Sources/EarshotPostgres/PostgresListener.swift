#if Postgres
    import Foundation
    import Glibc
    import Synchronization

    /// A permanent connection with its own thread. It holds session locks and listens on a channel of PostgreSQL's
    /// notifications.
    package final class PostgresListener: Sendable {
        private let isClosed = Atomic(false)
        private let connected = Atomic(false)
        private static let pause = 0.2

        /// Whether the connection is open, and `onConnect` has succeeded on it.
        package var isConnected: Bool { connected.load(ordering: .acquiring) }

        /// Starts to listen.
        /// - Parameters:
        ///   - address: the database.
        ///   - channel: the channel, an identifier of SQL.
        ///   - onConnect: called with each new connection, before it counts as open, to take locks and to read missed
        ///     changes.
        ///   - onNotification: called with each payload.
        package init(
            _ address: PostgresAddress, channel: String,
            onConnect: @escaping @Sendable (PostgresConnection) throws -> Void,
            onNotification: @escaping @Sendable (String) -> Void
        ) {
            let thread = Thread { [weak self] in
                var connection: PostgresConnection?
                while let listener = self, !listener.isClosed.load(ordering: .acquiring) {
                    do {
                        let ready: PostgresConnection
                        if let connection {
                            ready = connection
                        } else {
                            ready = try PostgresConnection(address, settings: ["LISTEN \(channel)"])
                            try onConnect(ready)
                            connection = ready
                            listener.connected.store(true, ordering: .releasing)
                        }
                        for payload in try ready.notifications() { onNotification(payload) }
                        var descriptor = pollfd(fd: ready.descriptor, events: Int16(POLLIN), revents: 0)
                        // Short, so that the thread notices `close`.
                        poll(&descriptor, 1, 500)
                    } catch {
                        self?.connected.store(false, ordering: .releasing)
                        connection = nil
                        Thread.sleep(forTimeInterval: Self.pause)
                    }
                }
                self?.connected.store(false, ordering: .releasing)
            }
            thread.name = "postgres-listen"
            thread.start()
        }

        /// Ends the thread and its connection, within half a second.
        package func close() { isClosed.store(true, ordering: .releasing) }
    }
#endif
