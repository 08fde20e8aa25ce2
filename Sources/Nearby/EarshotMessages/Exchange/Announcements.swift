import Synchronization

/// A set of current elements and its changes, broadcast to any number of streams.
final class Announcements<Element: Sendable>: Sendable {
    private struct State {
        var current: [Element]
        var listeners: [Int: AsyncStream<Element>.Continuation] = [:]
        var nextID = 0
        var isOver = false
    }

    /// The maximum number of elements that wait in a stream. For a slower reader, the stream drops the oldest.
    private static var maximumBacklog: Int { 256 }

    /// Locked while streams receive elements, so that all receive them in the same order. The end of a stream locks
    /// only `state`: code must not yield to a stream while it holds a lock that the stream's end needs.
    private let order = Mutex(())
    private let state: Mutex<State>

    /// - Parameter current: the elements at the beginning.
    init(_ current: [Element]) {
        state = Mutex(State(current: current))
    }

    /// The elements now.
    var current: [Element] { state.withLock { $0.current } }

    /// A new stream: the elements now, and then each change, until `finish`.
    var stream: AsyncStream<Element> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: Element.self, bufferingPolicy: .bufferingNewest(Self.maximumBacklog))
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

    /// Changes the current elements.
    /// - Parameter change: returns the elements to send to the streams.
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

    /// Ends all streams. Later changes have no effect.
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
