/// The notifications that the desktop shows for this program, by the desktop's numbers and the program's identifiers.
struct OpenNotifications: Sendable {
    private struct Entry {
        let identifier: String
        let continuation: AsyncStream<NotificationEvent>.Continuation
    }

    private var entries: [UInt32: Entry] = [:]
    private var numbers: [String: UInt32] = [:]
    /// The numbers in the order of their requests, the oldest first.
    private var order: [UInt32] = []
    /// Events of still unknown numbers: the signal of a click may overtake the answer with the number.
    private var early: [(number: UInt32, event: NotificationEvent)] = []
    private static let maximumEarlyCount = 64
    private static let maximumEventCount = 16

    var count: Int { entries.count }
    var identifiers: [String] { order.compactMap { entries[$0]?.identifier } }
    var oldest: UInt32? { order.first }

    func number(of identifier: String) -> UInt32? { numbers[identifier] }

    /// Adds a notification that the desktop shows.
    mutating func open(_ number: UInt32, identifier: String) -> AsyncStream<NotificationEvent> {
        // It replaces the one with the same identifier or number.
        if let old = numbers[identifier] { close(old, .replaced) }
        close(number, .replaced)
        let (stream, continuation) = AsyncStream.makeStream(
            of: NotificationEvent.self, bufferingPolicy: .bufferingNewest(Self.maximumEventCount))
        entries[number] = Entry(identifier: identifier, continuation: continuation)
        numbers[identifier] = number
        order.append(number)
        let missed = early.filter { $0.number == number }
        early.removeAll { $0.number == number }
        for item in missed { take(item.event, of: number) }
        return stream
    }

    /// Passes an event on to the reader of that notification.
    /// - Parameter isAwaitingNumbers: whether a request is pending, so that an unknown number may become known.
    mutating func take(_ event: NotificationEvent, of number: UInt32, isAwaitingNumbers: Bool = false) {
        guard let entry = entries[number] else {
            if isAwaitingNumbers, early.count < Self.maximumEarlyCount { early.append((number, event)) }
            return
        }
        if case .closed(let reason) = event { return close(number, reason) }
        entry.continuation.yield(event)
    }

    /// No request is pending any longer, so unknown numbers belong to other programs.
    mutating func forgetEarlyEvents() {
        early = []
    }

    /// Ends a notification's events.
    mutating func close(_ number: UInt32, _ reason: NotificationCloseReason) {
        guard let entry = entries.removeValue(forKey: number) else { return }
        if numbers[entry.identifier] == number { numbers[entry.identifier] = nil }
        order.removeAll { $0 == number }
        entry.continuation.yield(.closed(reason))
        entry.continuation.finish()
    }

    mutating func closeAll(_ reason: NotificationCloseReason) {
        for number in order { close(number, reason) }
        early = []
    }
}
