/// The identifier of a notification, which the app receives when the user taps it.
public enum NotificationName: Sendable, Equatable {
    /// A text of another user.
    case text(id: String, peer: String)
    /// A call that rang while the user was away.
    case missedCall(id: String, peer: String)

    /// The identifier has up to 128 bytes. A user's name and an identifier have up to 64 characters without a slash.
    public var identifier: String {
        switch self {
        case .text(let id, let peer): "t/\(peer)/\(id)".bounded
        case .missedCall(let id, let peer): "c/\(peer)/\(id)".bounded
        }
    }

    /// - Returns: nil for an identifier of another form.
    public init?(identifier: String) {
        let parts = identifier.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 3, !parts[1].isEmpty else { return nil }
        switch parts[0] {
        case "t": self = .text(id: parts[2], peer: parts[1])
        case "c": self = .missedCall(id: parts[2], peer: parts[1])
        default: return nil
        }
    }

    /// The other user.
    public var peer: String {
        switch self {
        case .text(_, let peer), .missedCall(_, let peer): peer
        }
    }
}

extension String {
    fileprivate var bounded: String { String(prefix(128)) }
}
