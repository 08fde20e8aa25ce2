/// One change of what the server keeps.
enum StoreChange: Sendable {
    case user(StoredUser)
    case message(WaitingMessage)
    /// A new call, and its invitation.
    case call(StoredCall, WaitingMessage)
    case accepted(call: String)
    case ended(call: String)
    /// The recipient has been told of all up to a sequence number.
    case acknowledged(recipient: String, through: Int64)
    /// All before a time, in seconds since 1970, is forgotten.
    case expired(before: Double)
}

/// What a change did.
enum StoreOutcome: Sendable, Equatable {
    case done
    /// The message is kept under this sequence number.
    case kept(sequence: Int64)
    /// The same message is kept already.
    case known
    /// So much was removed, for each recipient.
    case removed([String: WaitingSum])
}

/// The disk refused.
struct StoreFailure: Error, CustomStringConvertible {
    let description: String
}
