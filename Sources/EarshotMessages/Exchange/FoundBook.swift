/// The messages that a subscription has found: each is found once and lost once, whatever the service and the network do.
///
/// Where the service has forgotten, or was away for so long that it took everybody for gone, messages are in doubt: they are lost
/// only when they have not come again for a while. A service that has lost its memory gives a message another id: it is
/// the same one that was in doubt, if content, type and namespace are the same.
struct FoundBook: Sendable {
    /// Beyond that many, and that many bytes, nothing more is found: nobody shall fill the memory.
    static let largestCount = 1_024
    static let largestByteCount = 64 << 20

    private struct Record: Sendable {
        var received: ReceivedMessage
        /// Lost then, unless it comes again; nil where it is certain.
        var doubtUntil: Duration?
    }

    /// By the id that the service knows it by now.
    private var records: [String: Record] = [:]
    private var byteCount = 0
    /// Until then nothing is lost at once.
    private var settlesAt: Duration = .zero

    /// Nothing found.
    init() {}

    /// It is near.
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
        guard records.count < Self.largestCount, byteCount + count <= Self.largestByteCount else { return nil }
        byteCount += count
        records[received.id] = Record(received: received)
        return .found(received)
    }

    private func doubtful(_ message: Message) -> String? {
        records.first { $0.value.doubtUntil != nil && $0.value.received.message == message }?.key
    }

    /// It is not near any more.
    mutating func lose(_ id: String, now: Duration) -> MessageEvent? {
        guard let record = records[id] else { return nil }
        if now < settlesAt, record.received.isAuthenticated {
            records[id]?.doubtUntil = record.doubtUntil ?? settlesAt
            return nil
        }
        return remove(id)
    }

    /// The service was away for long: what it takes for lost from here on may only not have been reported.
    mutating func settle(until: Duration) {
        settlesAt = max(settlesAt, until)
    }

    /// The service begins anew: what does not come again until then is lost.
    mutating func doubt(until: Duration) {
        for (id, record) in records where record.received.isAuthenticated && record.doubtUntil == nil {
            records[id]?.doubtUntil = until
        }
    }

    /// When the next doubt ends.
    var doubtEndsAt: Duration? { records.values.compactMap(\.doubtUntil).min() }

    /// Those that did not come again.
    mutating func expire(now: Duration) -> [MessageEvent] {
        let gone = records.filter { $0.value.doubtUntil.map { $0 <= now } ?? false }.keys.sorted()
        return gone.compactMap { remove($0) }
    }

    /// All of them: nobody looks any more.
    mutating func loseAll() -> [MessageEvent] {
        records.keys.sorted().compactMap { remove($0) }
    }

    private mutating func remove(_ id: String) -> MessageEvent? {
        guard let record = records.removeValue(forKey: id) else { return nil }
        byteCount -= record.received.message.content.count
        return .lost(record.received)
    }
}
