import Synchronization

/// Which apps have a process that is connected or was started, so that none is started twice.
final class AppPresence: Sendable {
    private let counts = Mutex<[String: Int]>([:])

    func add(_ app: String) { counts.withLock { $0[app, default: 0] += 1 } }

    func remove(_ app: String) {
        counts.withLock { counts in
            guard let count = counts[app] else { return }
            counts[app] = count > 1 ? count - 1 : nil
        }
    }

    func isThere(_ app: String) -> Bool { counts.withLock { $0[app] != nil } }
}
