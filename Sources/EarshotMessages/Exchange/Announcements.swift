import Synchronization

/// Tells each listener what is, and then what becomes.
final class Announcements<Element: Sendable>: Sendable {
    private struct State {
        var current: [Element]
        var listeners: [Int: AsyncStream<Element>.Continuation] = [:]
        var nextID = 0
        var isOver = false
    }

    /// For a listener that does not listen the oldest are given up.
    private static var largestBacklog: Int { 256 }

    /// Held while listeners are told, so that all are told in the same order. Who stops listening takes only `state`: a stream must
    /// not be yielded to within a lock that its end needs.
    private let order = Mutex(())
    private let state: Mutex<State>

    /// - Parameter current: what is.
    init(_ current: [Element]) {
        state = Mutex(State(current: current))
    }

    /// What is now.
    var current: [Element] { state.withLock { $0.current } }

    /// What is now, and then what becomes, until it is over.
    var stream: AsyncStream<Element> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: Element.self, bufferingPolicy: .bufferingNewest(Self.largestBacklog))
        let id = order.withLock { _ in
            state.withLock { state -> Int? in
                for element in state.current { continuation.yield(element) }
                guard !state.isOver else { return nil }
                state.nextID += 1
                state.listeners[state.nextID] = continuation
                return state.nextID
            }
        }
        guard let id else {
            continuation.finish()
            return stream
        }
        continuation.onTermination = { [weak self] _ in
            _ = self?.state.withLock { $0.listeners.removeValue(forKey: id) }
        }
        return stream
    }

    /// Changes what is.
    /// - Parameter change: returns what to tell of it.
    func announce(_ change: (inout [Element]) -> [Element]) {
        order.withLock { _ in
            let (news, listeners) = state.withLock { state in
                state.isOver ? ([], []) : (change(&state.current), state.listeners.values.map(\.self))
            }
            for listener in listeners {
                for element in news { listener.yield(element) }
            }
        }
    }

    /// Tells nothing any more.
    func finish() {
        order.withLock { _ in
            let listeners = state.withLock { state in
                state.isOver = true
                defer { state.listeners = [:] }
                return state.listeners.values.map(\.self)
            }
            for listener in listeners { listener.finish() }
        }
    }
}
