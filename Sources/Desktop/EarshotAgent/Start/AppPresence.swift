import Synchronization

/// The apps with a connected or started process, so that no app is started twice: messages and local push may both
/// start apps at the same time.
final class AppPresence: Sendable {
    private struct State {
        var counts: [String: Int] = [:]
        var onLeft: (@Sendable (String) -> Void)?
    }

    private let state = Mutex(State())

    /// Calls a closure whenever no process of an app is left.
    func whenLeft(_ onLeft: @escaping @Sendable (String) -> Void) { state.withLock { $0.onLeft = onLeft } }

    /// A process of the app has connected.
    func add(_ app: String) { state.withLock { $0.counts[app, default: 0] += 1 } }

    /// A process of the app is about to be started.
    /// - Returns: false if there is one, or one is about to start: then it must not be started, and is not counted.
    func begin(_ app: String) -> Bool {
        state.withLock { state in
            guard state.counts[app] == nil else { return false }
            state.counts[app] = 1
            return true
        }
    }

    /// A connection or a started process has ended.
    func remove(_ app: String) {
        let onLeft = state.withLock { state -> (@Sendable (String) -> Void)? in
            guard let count = state.counts[app] else { return nil }
            state.counts[app] = count > 1 ? count - 1 : nil
            return count > 1 ? nil : state.onLeft
        }
        onLeft?(app)
    }

    func isThere(_ app: String) -> Bool { state.withLock { $0.counts[app] != nil } }
}
