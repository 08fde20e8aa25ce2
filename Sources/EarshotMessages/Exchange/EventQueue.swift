import Synchronization

/// Events that wait for a reader. Bounded without losing anything that is still true: what was found and lost again before
/// it was read is left out, both.
final class EventQueue: Sendable {
    private struct State {
        var pending: [MessageEvent] = []
        var reader: CheckedContinuation<MessageEvent?, Never>?
        var isOver = false
    }

    private let state = Mutex(State())

    /// Nothing yet.
    init() {}

    /// It happened.
    func add(_ event: MessageEvent) {
        let reader = state.withLock { state -> CheckedContinuation<MessageEvent?, Never>? in
            guard !state.isOver else { return nil }
            if let reader = state.reader {
                state.reader = nil
                return reader
            }
            if case .lost(let message) = event,
                let found = state.pending.firstIndex(where: { $0 == .found(message) })
            {
                state.pending.remove(at: found)
            } else {
                state.pending.append(event)
            }
            return nil
        }
        reader?.resume(returning: event)
    }

    /// There will be no more, and what was not read is not wanted.
    func finish() {
        let reader = state.withLock { state in
            state.isOver = true
            state.pending = []
            defer { state.reader = nil }
            return state.reader
        }
        reader?.resume(returning: nil)
    }

    /// The next event; nil at the end, or where the task is cancelled. One reader at a time.
    func next() async -> MessageEvent? {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let (isOver, event) = state.withLock { state -> (Bool, MessageEvent?) in
                    precondition(state.reader == nil, "a subscription has one reader at a time")
                    if state.isOver || Task.isCancelled { return (true, nil) }
                    if !state.pending.isEmpty { return (true, state.pending.removeFirst()) }
                    state.reader = continuation
                    return (false, nil)
                }
                if isOver { continuation.resume(returning: event) }
            }
        } onCancel: {
            let reader = state.withLock { state in
                defer { state.reader = nil }
                return state.reader
            }
            reader?.resume(returning: nil)
        }
    }
}
