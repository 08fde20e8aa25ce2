#if Postgres
    import Foundation
    import Glibc
    import Synchronization

    /// Listens on a channel of PostgreSQL's notifications, with a connection and a thread of its own.
    package final class PostgresListener: Sendable {
        private let isClosed = Atomic(false)
        private static let pause = 0.2

        /// Starts to listen.
        /// - Parameters:
        ///   - address: the database.
        ///   - channel: the channel, an identifier of SQL.
        ///   - onNotification: called with each payload.
        ///   - onGap: called after each connection: notifications may have been missed before.
        package init(
            _ address: PostgresAddress, channel: String, onNotification: @escaping @Sendable (String) -> Void,
            onGap: @escaping @Sendable () -> Void
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
                            connection = ready
                            onGap()
                        }
                        for payload in try ready.notifications() { onNotification(payload) }
                        var descriptor = pollfd(fd: ready.descriptor, events: Int16(POLLIN), revents: 0)
                        // Not longer, so that the thread sees that it is closed.
                        poll(&descriptor, 1, 500)
                    } catch {
                        connection = nil
                        Thread.sleep(forTimeInterval: Self.pause)
                    }
                }
            }
            thread.name = "postgres-listen"
            thread.start()
        }

        /// Ends the thread and its connection, within half a second.
        package func close() { isClosed.store(true, ordering: .releasing) }
    }
#endif
