import Synchronization

/// A request to end that may come before there is anything to end.
final class Ending: Sendable {
    private struct State {
        var isRequested = false
        var action: (@Sendable () -> Void)?
    }

    private let state = Mutex(State())

    /// Runs the action, now or as soon as there is one.
    func request() {
        let action = state.withLock { state in
            state.isRequested = true
            return state.action
        }
        action?()
    }

    /// What ends the work.
    func onRequest(_ action: @escaping @Sendable () -> Void) {
        let isLate = state.withLock { state in
            state.action = action
            return state.isRequested
        }
        if isLate { action() }
    }
}
