import EarshotMessages
import Synchronization

/// A gate whose user decides when the test chooses.
final class ScriptedGate: PermissionGate {
    private struct State {
        var state = PermissionState.undecided
        var purposes: [ConsentPurpose] = []
        var listeners: [AsyncStream<PermissionState>.Continuation] = []
        var waiting: [CheckedContinuation<PermissionState, Never>] = []
    }

    private let state = Mutex(State())

    /// The purposes of all requests.
    var purposes: [ConsentPurpose] { state.withLock { $0.purposes } }

    /// Decides, for the first time or again.
    func decide(_ decision: PermissionState) {
        let (waiting, listeners) = state.withLock { state in
            state.state = decision
            defer { state.waiting = [] }
            return (state.waiting, state.listeners)
        }
        for listener in listeners { listener.yield(decision) }
        for continuation in waiting { continuation.resume(returning: decision) }
    }

    func request(_ purpose: ConsentPurpose, override: ConsentHandler?) async -> PermissionState {
        state.withLock { $0.purposes.append(purpose) }
        if let override { return await override(purpose) }
        return await withCheckedContinuation { continuation in
            let decided = state.withLock { state in
                if state.state == .undecided { state.waiting.append(continuation) }
                return state.state
            }
            if decided != .undecided { continuation.resume(returning: decided) }
        }
    }

    var changes: AsyncStream<PermissionState> {
        let (stream, continuation) = AsyncStream.makeStream(of: PermissionState.self)
        state.withLock { state in
            continuation.yield(state.state)
            state.listeners.append(continuation)
        }
        return stream
    }
}
