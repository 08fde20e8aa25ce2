/// One change of the stored state.
enum StoreChange: Sendable {
    case user(StoredUser)
    case message(WaitingMessage)
    /// A new call, and its invitation.
    case call(StoredCall, WaitingMessage)
    case accepted(call: String)
    case ended(call: String)
    /// All messages up to a sequence number were announced to the recipient.
    case acknowledged(recipient: String, through: Int64)
    /// All messages before a time, in seconds since 1970, are forgotten.
    case expired(before: Double)
}

/// The outcome of a change.
enum StoreOutcome: Sendable, Equatable {
    case done
    /// The message is stored with this sequence number.
    case kept(sequence: Int64)
    /// The same message is already stored.
    case known
    /// The removed messages, for each recipient.
    case removed([String: WaitingSum])
}

/// The disk refused the change.
struct StoreFailure: Error, CustomStringConvertible {
    let description: String
}
