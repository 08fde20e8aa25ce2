/// One stream of a listener's events. It keeps the oldest unread ones and counts those that find no room.
struct EventReader: Sendable {
    private let continuation: AsyncStream<ListenerEvent>.Continuation
    private var missedCount = 0

    init(_ continuation: AsyncStream<ListenerEvent>.Continuation) {
        self.continuation = continuation
    }

    /// Puts an event into the stream, after the count of those missed before it.
    mutating func offer(_ event: ListenerEvent) {
        if missedCount > 0, case .enqueued = continuation.yield(.missed(eventCount: missedCount)) { missedCount = 0 }
        if case .dropped = continuation.yield(event) { missedCount += 1 }
    }

    /// Puts the last events into the stream, the count of those missed and `ended`, and finishes it.
    /// - Returns: false while they find no room.
    mutating func conclude(with summary: ListenerSummary) -> Bool {
        if missedCount > 0 {
            if case .dropped = continuation.yield(.missed(eventCount: missedCount)) { return false }
            missedCount = 0
        }
        if case .dropped = continuation.yield(.ended(summary)) { return false }
        continuation.finish()
        return true
    }
}
