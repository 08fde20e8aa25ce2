import Synchronization

/// A request to end that may arrive before the work begins.
package final class Ending: Sendable {
    private struct State {
        var isRequested = false
        var action: (@Sendable () -> Void)?
    }

    private let state = Mutex(State())

    /// An ending without a request and without an action.
    package init() {}

    /// Runs the action, now or as soon as `onRequest` sets one.
    package func request() {
        let action = state.withLock { state in
            state.isRequested = true
            return state.action
        }
        action?()
    }

    /// Sets the action that ends the work. Runs it at once if the request came before.
    package func onRequest(_ action: @escaping @Sendable () -> Void) {
        let isLate = state.withLock { state in
            state.action = action
            return state.isRequested
        }
        if isLate { action() }
    }
}
