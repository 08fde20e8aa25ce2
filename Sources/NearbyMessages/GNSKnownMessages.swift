import EarshotMessages

/// Pairs found and lost by message: two publishers of the same one are found once, and lost when the last of them is.
struct GNSKnownMessages {
    /// What an app is told. Lost is the same object as found.
    enum Change: Equatable {
        case found(GNSMessage)
        case lost(GNSMessage)
    }

    private struct Key: Hashable {
        let message: Message
        /// What the service vouches for must not be lost with what anybody said, nor be hidden by it.
        let isAuthenticated: Bool

        init(_ received: ReceivedMessage) {
            (message, isAuthenticated) = (received.message, received.isAuthenticated)
        }
    }

    private var known: [Key: (message: GNSMessage, publishers: Set<String>)] = [:]

    /// - Returns: nil where the app knows that already.
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
