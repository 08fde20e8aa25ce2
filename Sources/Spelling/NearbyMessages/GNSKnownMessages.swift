import EarshotMessages

/// Pairs found and lost by message. If several devices publish the same message, the app finds it once, and loses it with the
/// last of them.
struct GNSKnownMessages {
    /// An event for the app. Found and lost have the same object.
    enum Change: Equatable {
        case found(GNSMessage)
        case lost(GNSMessage)
    }

    private struct Key: Hashable {
        let message: Message
        /// A message in the sound itself must not hide an authenticated one, and losing it must not lose the
        /// authenticated one.
        let isAuthenticated: Bool

        init(_ received: ReceivedMessage) {
            (message, isAuthenticated) = (received.message, received.isAuthenticated)
        }
    }

    private var known: [Key: (message: GNSMessage, publishers: Set<String>)] = [:]

    /// - Returns: nil if nothing changes for the app.
    mutating func take(_ event: MessageEvent) -> Change? {
        switch event {
        case .found(let received):
            let key = Key(received)
            guard known[key] == nil else {
                known[key]?.publishers.insert(received.id)
                return nil
            }
            let message = GNSMessage(received)
            known[key] = (message, [received.id])
            return .found(message)
        case .lost(let received):
            let key = Key(received)
            guard known[key]?.publishers.remove(received.id) != nil, known[key]?.publishers.isEmpty == true else {
                return nil
            }
            return known.removeValue(forKey: key).map { .lost($0.message) }
        }
    }
}
