/// A frame from a client to the server.
public enum ClientFrame: Sendable, Equatable {
    /// The first frame of every link.
    case register(Registration)
    /// The answer to the server's heartbeat.
    case heartbeat
    /// Asks for a page of the directory. Control channel.
    case directory(DirectoryRequest)
    /// Asks the server to deliver a text. Control channel.
    case text(OutgoingText)
    /// Calls a user. Control channel.
    case invite(OutgoingInvitation)
    /// Answers or ends a call. Control channel.
    case call(CallRequest)
    /// All messages up to a sequence number were announced to the user. Notification channel.
    case acknowledge(Acknowledgement)
}

/// The two links of a client.
public enum PushChannel: String, Codable, Sendable {
    /// Kept open by the provider: texts and invitations arrive on it, even if no app runs.
    case notification
    /// Kept open by the app: the directory, the user's texts and calls, and the state of calls.
    case control
}

/// Names the user of a link.
public struct Registration: Codable, Sendable, Equatable {
    /// `WireFormat.version`.
    public var version = WireFormat.version
    /// The purpose of the link.
    public var channel: PushChannel
    /// 1 to 64 of `A-Z a-z 0-9 . _ -`.
    public var user: String
    /// The name that others see, 1 to 128 bytes without control characters.
    public var name: String
    /// 16 to 64 of the same characters as in `user`, chosen at random by the user's program. The server remembers the
    /// first key of a user and refuses others, because the shared secret, which everyone has, does not identify a user.
    public var key: String

    /// Names a user's link.
    public init(channel: PushChannel, user: String, name: String, key: String) {
        self.channel = channel
        self.user = user
        self.name = name
        self.key = key
    }
}

/// Asks for users.
public struct DirectoryRequest: Codable, Sendable, Equatable {
    /// The last identifier of the previous page; absent for the first page.
    public var after: String?

    /// Asks for the page after an identifier.
    public init(after: String? = nil) { self.after = after }
}

/// A text on its way to the server.
public struct OutgoingText: Codable, Sendable, Equatable {
    /// Chosen by the sender, and the same when the sender repeats the text. 1 to 64 of `A-Z a-z 0-9 . _ -`.
    public var id: String
    /// The recipient's identifier.
    public var to: String
    /// 1 to 4,000 bytes of UTF-8.
    public var text: String

    /// A text for a user.
    public init(id: String, to: String, text: String) {
        self.id = id
        self.to = to
        self.text = text
    }
}

/// A call on its way to the server.
public struct OutgoingInvitation: Codable, Sendable, Equatable {
    /// The call's identifier, chosen by the caller, and the same when the caller repeats the invitation.
    public var id: String
    /// The identifier of the user who is called.
    public var to: String

    /// A call to a user.
    public init(id: String, to: String) {
        self.id = id
        self.to = to
    }
}

/// A user's action on a call.
public enum CallAction: String, Codable, Sendable, CaseIterable {
    /// Takes a call that rings.
    case accept
    /// Refuses a call that rings.
    case decline
    /// Refuses a call that rings because of another.
    case busy
    /// Ends a call, or withdraws it while it rings.
    case hangUp
}

/// Answers or ends a call.
public struct CallRequest: Codable, Sendable, Equatable {
    /// The call's identifier.
    public var id: String
    /// The action.
    public var action: CallAction

    /// An action on a call.
    public init(id: String, action: CallAction) {
        self.id = id
        self.action = action
    }
}

/// Messages were announced to the user.
public struct Acknowledgement: Codable, Sendable, Equatable {
    /// The highest sequence number that was announced to the user; all lower ones were announced too.
    public var through: Int64

    /// Acknowledges all up to a sequence number.
    public init(through: Int64) { self.through = through }
}

extension ClientFrame: Codable {
    /// Reads the one frame of an object.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: FrameName.self)
        let name = try FrameName.only(in: container)
        switch name.stringValue {
        case "register": self = .register(try container.decode(Registration.self, forKey: name))
        case "heartbeat":
            _ = try container.decode(NoContent.self, forKey: name)
            self = .heartbeat
        case "directory": self = .directory(try container.decode(DirectoryRequest.self, forKey: name))
        case "text": self = .text(try container.decode(OutgoingText.self, forKey: name))
        case "invite": self = .invite(try container.decode(OutgoingInvitation.self, forKey: name))
        case "call": self = .call(try container.decode(CallRequest.self, forKey: name))
        case "acknowledge": self = .acknowledge(try container.decode(Acknowledgement.self, forKey: name))
        default:
            throw DecodingError.dataCorrupted(.init(codingPath: [name], debugDescription: "There is no such frame."))
        }
    }

    /// Writes an object with one key.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: FrameName.self)
        switch self {
        case .register(let content): try container.encode(content, forKey: FrameName("register"))
        case .heartbeat: try container.encode(NoContent(), forKey: FrameName("heartbeat"))
        case .directory(let content): try container.encode(content, forKey: FrameName("directory"))
        case .text(let content): try container.encode(content, forKey: FrameName("text"))
        case .invite(let content): try container.encode(content, forKey: FrameName("invite"))
        case .call(let content): try container.encode(content, forKey: FrameName("call"))
        case .acknowledge(let content): try container.encode(content, forKey: FrameName("acknowledge"))
        }
    }
}
