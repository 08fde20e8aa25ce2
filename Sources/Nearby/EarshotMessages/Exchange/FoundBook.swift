/// The messages that a subscription has found. It reports each message found once and lost once, through failures of the
/// service and the network.
///
/// Messages are in doubt if the service has forgotten them, or was unreachable for so long that it considered all
/// devices gone. A message in doubt is lost only if it does not reappear in time. A service that lost its memory gives
/// a message a new id: a new message with the content, type and namespace of one in doubt counts as the same message.
struct FoundBook: Sendable {
    /// The limits of memory: beyond this count, or these bytes of content, no further messages are found.
    static let maximumCount = 1_024
    static let maximumByteCount = 64 << 20

    private struct Record: Sendable {
        var received: ReceivedMessage
        /// The time at which the message is lost unless it reappears; nil if it is not in doubt.
        var doubtUntil: Duration?
    }

    /// By the service's current id.
    private var records: [String: Record] = [:]
    private var byteCount = 0
    /// Until this time, a lost event of the service only puts its message in doubt.
    private var settlesAt: Duration = .zero

    /// An empty book.
    init() {}

    /// Adds a message that is near.
    /// - Returns: nil if it was found before.
    mutating func find(_ received: ReceivedMessage) -> MessageEvent? {
        if records[received.id] != nil {
            records[received.id]?.doubtUntil = nil
            return nil
        }
        if received.isAuthenticated, let old = doubtful(received.message), var record = records.removeValue(forKey: old)
        {
            record.doubtUntil = nil
            records[received.id] = record
            return nil
        }
        let count = received.message.content.count
        guard records.count < Self.maximumCount, byteCount + count <= Self.maximumByteCount else { return nil }
        byteCount += count
        records[received.id] = Record(received: received)
        return .found(received)
    }

    /// The messages that are found, by id.
    var identifiers: [String] { records.keys.sorted() }

    private func doubtful(_ message: Message) -> String? {
        records.first { $0.value.doubtUntil != nil && $0.value.received.message == message }?.key
    }

    /// Removes a message that is no longer near.
    /// - Returns: nil if it is unknown, or only in doubt from now on.
    mutating func lose(_ id: String, now: Duration) -> MessageEvent? {
        guard let record = records[id] else { return nil }
        if now < settlesAt, record.received.isAuthenticated {
            records[id]?.doubtUntil = record.doubtUntil ?? settlesAt
            return nil
        }
        return remove(id)
    }

    /// The service was unreachable for long. Until the given time, a lost event may only mean that reports were
    /// missing, so it puts the message in doubt.
    mutating func settle(until: Duration) {
        settlesAt = max(settlesAt, until)
    }

    /// The service has restarted without its memory: all its messages are in doubt until the given time.
    mutating func doubt(until: Duration) {
        for (id, record) in records where record.received.isAuthenticated && record.doubtUntil == nil {
            records[id]?.doubtUntil = until
        }
    }

    /// When the next doubt ends; nil if there is none.
    var doubtEndsAt: Duration? { records.values.compactMap(\.doubtUntil).min() }

    /// Loses the messages whose doubt has ended.
    mutating func expire(now: Duration) -> [MessageEvent] {
        let gone = records.filter { $0.value.doubtUntil.map { $0 <= now } ?? false }.keys.sorted()
        return gone.compactMap { remove($0) }
    }

    /// Loses all messages, because the subscription has stopped.
    mutating func loseAll() -> [MessageEvent] {
        records.keys.sorted().compactMap { remove($0) }
    }

    private mutating func remove(_ id: String) -> MessageEvent? {
        guard let record = records.removeValue(forKey: id) else { return nil }
        byteCount -= record.received.message.content.count
        return .lost(record.received)
    }
}
