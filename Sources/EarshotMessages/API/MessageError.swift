/// Why something cannot be published or subscribed to at all. What may pass by itself is a `ManagerProblem` instead.
public enum MessageError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The content would have so many bytes.
    case contentTooLarge(Int)
    /// The type would have so many characters.
    case typeTooLong(Int)
    /// The namespace would have so many characters.
    case namespaceTooLong(Int)
    /// A message in the sound itself would have so many bytes.
    case directCount(Int)
    /// Eight bytes with 24 zeros behind them: the one message of 32 bytes that the sound itself cannot carry.
    case directUnsendable
    /// The manager was stopped.
    case stopped

    /// What is wrong and what would work.
    public var description: String {
        switch self {
        case .contentTooLarge(let count):
            "the content has \(count) bytes; a message takes \(Message.largestContentCount) (publish where to fetch it)"
        case .typeTooLong(let count):
            "the type has \(count) characters; it may have \(Message.longestTypeCount)"
        case .namespaceTooLong(let count):
            "the namespace has \(count) characters; it may have \(Message.longestNamespaceCount)"
        case .directCount(let count):
            "\(count) bytes do not fit into the sound itself; it carries 1 to 32 (longer ones need the service)"
        case .directUnsendable:
            "eight bytes and 24 zeros cannot be said in the sound itself: an added zero tells eight bytes from a token, "
                + "and there is no room for one (leave a zero away)"
        case .stopped:
            "the manager was stopped; make another one"
        }
    }
}
