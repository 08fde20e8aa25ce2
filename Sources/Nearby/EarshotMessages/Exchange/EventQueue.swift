import Synchronization

/// Events that wait for readers. A message that is found and lost again before its `found` was read leaves no event, so the
/// queue holds at most a `lost` and a `found` event of each message.
final class EventQueue: Sendable {
    private struct State {
        var pending: [MessageEvent] = []
        /// Readers that wait, the longest waiting first; empty while events are pending.
        var readers: [Reader] = []
        var readerCount = 0
        var isOver = false
    }

    private struct Reader {
        let number: Int
        let continuation: CheckedContinuation<MessageEvent?, Never>
    }

    private let state = Mutex(State())

    /// An empty queue.
    init() {}

    /// Appends an event, or gives it to the reader that has waited longest.
    /// - Parameter isKept: whether a `lost` leaves the unread `found` of its message in place.
    func add(_ event: MessageEvent, isKept: Bool = false) {
        let reader = state.withLock { state -> Reader? in
            guard !state.isOver else { return nil }
            if !state.readers.isEmpty { return state.readers.removeFirst() }
            if !isKept, case .lost(let message) = event,
                let found = state.pending.firstIndex(where: { $0 == .found(message) })
            {
                state.pending.remove(at: found)
            } else {
                state.pending.append(event)
            }
            return nil
        }
        reader?.continuation.resume(returning: event)
    }

    /// Whether an event waits for a reader.
    var hasPending: Bool { state.withLock { !$0.pending.isEmpty } }

    /// Ends the queue. It discards unread events, and returns nil to all readers.
    func finish() {
        let readers = state.withLock { state in
            state.isOver = true
            state.pending = []
            defer { state.readers = [] }
            return state.readers
        }
        for reader in readers { reader.continuation.resume(returning: nil) }
    }

    /// Waits for the next event. If several readers wait, each event goes to one of them, in the order in which they came.
    /// - Returns: the next event; nil after the end, or if the task is cancelled.
    func next() async -> MessageEvent? {
        let number = state.withLock { state in
            state.readerCount += 1
            return state.readerCount
        }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let (isDone, event) = state.withLock { state -> (Bool, MessageEvent?) in
                    if state.isOver || Task.isCancelled { return (true, nil) }
                    if !state.pending.isEmpty { return (true, state.pending.removeFirst()) }
                    state.readers.append(Reader(number: number, continuation: continuation))
                    return (false, nil)
                }
                if isDone { continuation.resume(returning: event) }
            }
        } onCancel: {
            let reader = state.withLock { state in
                state.readers.firstIndex { $0.number == number }.map { state.readers.remove(at: $0) }
            }
            reader?.continuation.resume(returning: nil)
        }
    }
}
