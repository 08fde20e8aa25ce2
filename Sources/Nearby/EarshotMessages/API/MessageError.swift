/// Why a request can never work. A failure that may pass is a `ManagerProblem` instead.
public enum MessageError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The content has this many bytes, more than `Message.maximumContentCount`.
    case contentTooLarge(Int)
    /// The type has this many Unicode scalars, more than `Message.maximumTypeCount`.
    case typeTooLong(Int)
    /// The namespace has this many Unicode scalars, more than `Message.maximumNamespaceCount`.
    case namespaceTooLong(Int)
    /// The type has this many Unicode scalars, more than the 100 that a message of a beacon may have.
    case beaconTypeTooLong(Int)
    /// The content of a message in the sound itself has this many bytes, outside 1 to 32.
    case directCount(Int)
    /// The content is eight bytes followed by 24 zeros: the only 32 bytes that the sound itself cannot carry.
    case directUnsendable
    /// The manager was stopped.
    case stopped

    /// One sentence: the problem and its remedy.
    public var description: String {
        switch self {
        case .contentTooLarge(let count):
            "the content has \(count) bytes; the maximum is \(Message.maximumContentCount) (publish a link to larger content)"
        case .typeTooLong(let count):
            "the type has \(count) characters; the maximum is \(Message.maximumTypeCount) (shorten it)"
        case .namespaceTooLong(let count):
            "the namespace has \(count) characters; the maximum is \(Message.maximumNamespaceCount) (shorten it)"
        case .beaconTypeTooLong(let count):
            "the type has \(count) characters; the maximum at a beacon is \(BeaconAttachment.maximumTypeCount) (shorten it)"
        case .directCount(let count):
            "the message has \(count) bytes; the sound itself carries 1 to 32 (a longer one needs the service)"
        case .directUnsendable:
            "the sound itself cannot carry eight bytes and 24 zeros: only a further zero would distinguish them from a token, "
                + "and there is no room for it (remove a zero)"
        case .stopped:
            "the manager was stopped; create a new one"
        }
    }
}
