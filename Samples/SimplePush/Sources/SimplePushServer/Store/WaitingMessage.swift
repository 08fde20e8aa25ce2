/// A message that the server keeps until its recipient's provider has acknowledged it.
struct WaitingMessage: Sendable, Equatable {
    enum Kind: String, Sendable {
        case text
        case invitation
    }

    var sequence: Int64 = 0
    var recipient: String
    var sender: String
    /// The sender's identifier. A sender that repeats it gets the same message.
    var id: String
    var kind: Kind
    /// Empty for an invitation.
    var text: String
    /// In seconds since 1970.
    var sentAt: Double

    var byteCount: Int { text.utf8.count }
}

/// A ringing or connected call.
struct StoredCall: Sendable, Equatable {
    var id: String
    var caller: String
    var callee: String
    var isAccepted: Bool
    /// In seconds since 1970.
    var startedAt: Double
}

/// The waiting messages of one user.
struct WaitingSum: Sendable, Equatable {
    var count = 0
    var byteCount = 0
    var highestSequence: Int64 = 0
}

/// The server's record of a user.
struct StoredUser: Sendable, Equatable {
    var id: String
    var name: String
    var key: String
}
