public import Foundation

/// What is published: a small piece of data with a type, in a namespace. Two of the same three are the same message.
public struct Message: Sendable, Hashable {
    /// Bytes that content may have: 100 KiB.
    public static let largestContentCount = 102_400
    /// Characters that a type may have.
    public static let longestTypeCount = 32
    /// Characters that a namespace may have.
    public static let longestNamespaceCount = 64

    /// Whatever the app likes, up to `largestContentCount` bytes.
    public var content: Data
    /// What subscriptions choose by, up to `longestTypeCount` characters; may be empty.
    public var type: String
    /// A world of its own within the project, up to `longestNamespaceCount` characters. Empty is the one by default.
    public var namespace: String

    /// Limits are checked where it is published.
    public init(content: Data, type: String = "", namespace: String = "") {
        self.content = content
        self.type = type
        self.namespace = namespace
    }

    func check() throws(MessageError) {
        guard content.count <= Self.largestContentCount else { throw .contentTooLarge(content.count) }
        try Self.check(namespace: namespace, type: type)
    }

    /// Lengths are counted as the service counts them, in Unicode scalars: a letter with its accents may be several.
    static func check(namespace: String, type: String) throws(MessageError) {
        let (typeCount, namespaceCount) = (type.unicodeScalars.count, namespace.unicodeScalars.count)
        guard typeCount <= longestTypeCount else { throw .typeTooLong(typeCount) }
        guard namespaceCount <= longestNamespaceCount else { throw .namespaceTooLong(namespaceCount) }
    }
}

/// A message that was found.
public struct ReceivedMessage: Sendable, Hashable {
    /// What was published.
    public let message: Message
    /// Whether the service vouches that somebody with a key of this project published it. Not for what came in the sound itself:
    /// anybody may have said that.
    public let isAuthenticated: Bool
    /// The same in found and lost, and different for two publishers of the same message. No secret.
    public let id: String

    /// See the properties of the same names.
    public init(message: Message, isAuthenticated: Bool, id: String) {
        self.message = message
        self.isAuthenticated = isAuthenticated
        self.id = id
    }
}

/// What a subscription reports.
public enum MessageEvent: Sendable, Hashable {
    /// It is near, and was not.
    case found(ReceivedMessage)
    /// It is not near any more, or no longer published. Found again afterwards is a new `found`.
    case lost(ReceivedMessage)
}
