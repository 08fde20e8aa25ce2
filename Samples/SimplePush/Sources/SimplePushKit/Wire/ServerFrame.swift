/// A frame from the server to a client.
public enum ServerFrame: Sendable, Equatable {
    /// The link is registered.
    case registered(Registered)
    /// A request was refused.
    case refusal(Refusal)
    /// Sent every `Registered.heartbeatSeconds`. The client answers with its own.
    case heartbeat
    /// A page of the directory.
    case directory(DirectoryPage)
    /// A text or a call is on the server's disk.
    case accepted(Accepted)
    /// A text for the user. Notification channel.
    case text(DeliveredText)
    /// A call from another user. Notification channel.
    case invitation(Invitation)
    /// The state of a call has changed. Both channels.
    case call(CallState)
}

/// The answer to a registration.
public struct Registered: Codable, Sendable, Equatable {
    /// The server's version of the format.
    public var version = WireFormat.version
    /// The time between two heartbeats, in seconds.
    public var heartbeatSeconds: Double
    /// Either end closes a silent link after this many seconds.
    public var timeoutSeconds: Double

    /// The times of a link.
    public init(heartbeatSeconds: Double, timeoutSeconds: Double) {
        self.heartbeatSeconds = heartbeatSeconds
        self.timeoutSeconds = timeoutSeconds
    }
}

/// The reason of a refusal.
public struct Refusal: Codable, Sendable, Equatable, Error, CustomStringConvertible {
    /// A reason for programs.
    public enum Code: String, Codable, Sendable {
        /// The client speaks another version.
        case version
        /// The bytes are no frame, or a frame is not allowed there.
        case malformed
        /// The user's name is taken: the server knows another key for it.
        case wrongKey
        /// There is no such user.
        case unknownUser
        /// Too many messages already wait for the recipient.
        case full
        /// The client sends too fast.
        case tooFast
        /// The client reads too slowly, or is silent.
        case tooSlow
        /// A newer link of the same user replaces this one, or there are too many.
        case replaced
        /// The server has too many clients.
        case crowded
        /// The call is over, or not in a state for this action.
        case callOver
        /// The caller is already in a call.
        case inCall
        /// The server cannot write to its disk.
        case storage
        /// The server ends.
        case ending
    }

    /// The reason.
    public var code: Code
    /// The reason in words, for a person.
    public var sentence: String
    /// The identifier of the text or call that was refused; absent if the whole link is refused. The link ends then.
    public var id: String?

    /// A refusal of a text or call, or without an identifier of the link.
    public init(_ code: Code, _ sentence: String, id: String? = nil) {
        self.code = code
        self.sentence = sentence
        self.id = id
    }

    /// The sentence.
    public var description: String { sentence }
}

/// Users, in the order of their identifiers.
public struct DirectoryPage: Codable, Sendable, Equatable {
    /// The maximum number of users on a page.
    public static let maximumUserCount = 128

    /// A user of the server.
    public struct User: Codable, Sendable, Equatable {
        /// The identifier.
        public var id: String
        /// The name that others see.
        public var name: String
        /// Whether the server can reach the user now.
        public var isHere: Bool

        /// A user.
        public init(id: String, name: String, isHere: Bool) {
            self.id = id
            self.name = name
            self.isHere = isHere
        }
    }

    /// At most `maximumUserCount`.
    public var users: [User]
    /// Whether there is a page after this one.
    public var hasMore: Bool

    /// A page.
    public init(users: [User], hasMore: Bool) {
        self.users = users
        self.hasMore = hasMore
    }
}

/// A text or a call is on the server's disk.
public struct Accepted: Codable, Sendable, Equatable {
    /// The identifier of the text or call.
    public var id: String
    /// Whether the server can reach the recipient now.
    public var isHere: Bool

    /// An acceptance.
    public init(id: String, isHere: Bool) {
        self.id = id
        self.isHere = isHere
    }
}

/// A text for the user.
public struct DeliveredText: Codable, Sendable, Equatable {
    /// Increases for each user. The client acknowledges it.
    public var sequence: Int64
    /// The sender's identifier for the text.
    public var id: String
    /// The sender. The server guarantees it, as far as it can identify users.
    public var from: String
    /// The sender's name.
    public var fromName: String
    /// Up to 4,000 bytes of UTF-8.
    public var text: String
    /// When the server accepted it, in seconds since 1970.
    public var sentAt: Double

    /// A text.
    public init(sequence: Int64, id: String, from: String, fromName: String, text: String, sentAt: Double) {
        self.sequence = sequence
        self.id = id
        self.from = from
        self.fromName = fromName
        self.text = text
        self.sentAt = sentAt
    }
}

/// A call from another user, which rings now or was missed.
public struct Invitation: Codable, Sendable, Equatable {
    /// Increases for each user, together with the texts. The client acknowledges it.
    public var sequence: Int64
    /// The call's identifier.
    public var id: String
    /// The caller.
    public var from: String
    /// The caller's name.
    public var fromName: String
    /// When the server accepted it, in seconds since 1970.
    public var sentAt: Double
    /// The call is over: it rang while the user was away.
    public var isMissed: Bool

    /// An invitation.
    public init(sequence: Int64, id: String, from: String, fromName: String, sentAt: Double, isMissed: Bool) {
        self.sequence = sequence
        self.id = id
        self.from = from
        self.fromName = fromName
        self.sentAt = sentAt
        self.isMissed = isMissed
    }
}

/// The state of a call, for one of its two users.
public struct CallState: Codable, Sendable, Equatable {
    /// The state of a call.
    public enum Phase: String, Codable, Sendable {
        /// The other end rings.
        case ringing
        /// The two are connected.
        case accepted
        /// The call is over.
        case ended
    }

    /// The reason why a call is over.
    public enum End: String, Codable, Sendable {
        /// One of the two hung up.
        case hungUp
        /// The callee declined.
        case declined
        /// The callee is in another call.
        case busy
        /// The callee did not answer in time.
        case unanswered
        /// The app of one of the two disconnected.
        case lost
    }

    /// The call's identifier.
    public var id: String
    /// The other user.
    public var peer: String
    /// The other user's name.
    public var peerName: String
    /// Whether the receiver of this frame called.
    public var isOutgoing: Bool
    /// The state of the call.
    public var phase: Phase
    /// The reason why the call is over; absent before.
    public var end: End?

    /// A state.
    public init(id: String, peer: String, peerName: String, isOutgoing: Bool, phase: Phase, end: End? = nil) {
        self.id = id
        self.peer = peer
        self.peerName = peerName
        self.isOutgoing = isOutgoing
        self.phase = phase
        self.end = end
    }
}

extension ServerFrame: Codable {
    /// Reads the one frame of an object.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: FrameName.self)
        let name = try FrameName.only(in: container)
        switch name.stringValue {
        case "registered": self = .registered(try container.decode(Registered.self, forKey: name))
        case "refusal": self = .refusal(try container.decode(Refusal.self, forKey: name))
        case "heartbeat":
            _ = try container.decode(NoContent.self, forKey: name)
            self = .heartbeat
        case "directory": self = .directory(try container.decode(DirectoryPage.self, forKey: name))
        case "accepted": self = .accepted(try container.decode(Accepted.self, forKey: name))
        case "text": self = .text(try container.decode(DeliveredText.self, forKey: name))
        case "invitation": self = .invitation(try container.decode(Invitation.self, forKey: name))
        case "call": self = .call(try container.decode(CallState.self, forKey: name))
        default:
            throw DecodingError.dataCorrupted(.init(codingPath: [name], debugDescription: "There is no such frame."))
        }
    }

    /// Writes an object with one key.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: FrameName.self)
        switch self {
        case .registered(let content): try container.encode(content, forKey: FrameName("registered"))
        case .refusal(let content): try container.encode(content, forKey: FrameName("refusal"))
        case .heartbeat: try container.encode(NoContent(), forKey: FrameName("heartbeat"))
        case .directory(let content): try container.encode(content, forKey: FrameName("directory"))
        case .accepted(let content): try container.encode(content, forKey: FrameName("accepted"))
        case .text(let content): try container.encode(content, forKey: FrameName("text"))
        case .invitation(let content): try container.encode(content, forKey: FrameName("invitation"))
        case .call(let content): try container.encode(content, forKey: FrameName("call"))
        }
    }
}
