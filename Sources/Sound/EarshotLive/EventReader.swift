import Synchronization

/// One stream of a listener's events. It keeps the oldest unread ones and counts those that do not fit.
///
/// One thread at a time puts events in.
final class EventReader: Sendable {
    private let continuation: AsyncStream<ListenerEvent>.Continuation
    private let missedCount = Atomic(0)

    init(_ continuation: AsyncStream<ListenerEvent>.Continuation) {
        self.continuation = continuation
    }

    /// Puts an event into the stream, after the count of those missed before it.
    func offer(_ event: ListenerEvent) {
        tellMissed()
        if case .dropped = continuation.yield(event) { missedCount.add(1, ordering: .relaxed) }
    }

    /// Puts the last events into the stream, the count of those missed and `ended`, and finishes it.
    /// - Returns: false while there is no room.
    func conclude(with summary: ListenerSummary) -> Bool {
        guard tellMissed() else { return false }
        if case .dropped = continuation.yield(.ended(summary)) { return false }
        continuation.finish()
        return true
    }

    /// - Returns: false if there are missed events, and no room for their count.
    @discardableResult
    private func tellMissed() -> Bool {
        let missed = missedCount.load(ordering: .relaxed)
        guard missed > 0 else { return true }
        if case .dropped = continuation.yield(.missed(eventCount: missed)) { return false }
        missedCount.store(0, ordering: .relaxed)
        return true
    }
}
