import Synchronization

/// A request to end that may come before there is anything to end.
package final class Ending: Sendable {
    private struct State {
        var isRequested = false
        var action: (@Sendable () -> Void)?
    }

    private let state = Mutex(State())

    /// Nobody has asked yet.
    package init() {}

    /// Runs the action, now or as soon as there is one.
    package func request() {
        let action = state.withLock { state in
            state.isRequested = true
            return state.action
        }
        action?()
    }

    /// What ends the work.
    package func onRequest(_ action: @escaping @Sendable () -> Void) {
        let isLate = state.withLock { state in
            state.action = action
            return state.isRequested
        }
        if isLate { action() }
    }
}
