import EarshotCoding

/// The beacon messages that a subscription has found. A message on several beacons counts once: it is found with the
/// first beacon and lost with the last.
struct BeaconMessages: Sendable {
    /// The limit of memory: beyond this count no further messages are found.
    static let maximumCount = 1_024

    private var found: [Message: ReceivedMessage] = [:]

    /// No messages.
    init() {}

    /// Updates the messages to those at the beacons that are near now.
    /// - Returns: the events of the change, `lost` first.
    mutating func update(_ attachments: some Sequence<BeaconAttachment>) -> [MessageEvent] {
        var present: [Message: String] = [:]
        for attachment in attachments {
            // The minimum identifier, so that the choice does not depend on the order.
            present[attachment.message] = min(present[attachment.message] ?? attachment.id, attachment.id)
        }
        var events: [MessageEvent] = []
        for (message, received) in found where present[message] == nil {
            found[message] = nil
            events.append(.lost(received))
        }
        for (message, id) in present.sorted(by: { $0.value < $1.value })
        where found[message] == nil && found.count < Self.maximumCount {
            let received = ReceivedMessage(message: message, isAuthenticated: true, id: id)
            found[message] = received
            events.append(.found(received))
        }
        return events
    }
}
