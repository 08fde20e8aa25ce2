import EarshotMessages
public import Foundation

/// Bytes that a message may have.
public let kGNSMessageMaximumContentSize = Message.largestContentCount

/// Characters that its type may have.
public let kGNSMessageMaximumTypeLength = Message.longestTypeCount

/// A message, published or found. Two of the same namespace, type and content are equal.
public final class GNSMessage: Sendable {
    /// Empty for the messages of one's own project.
    public let messageNamespace: String
    /// What subscriptions choose by; empty by default.
    public let type: String
    /// Up to `kGNSMessageMaximumContentSize` bytes.
    public let content: Data
    /// Whether the service vouches that somebody with a key of this project published it. False for what came in the sound itself:
    /// anybody in earshot may have said that. The original had no such messages, and no such property.
    public let isAuthenticated: Bool

    /// A message to publish; nil is no content. Sizes are checked where it is published.
    public convenience init(content: Data?) {
        self.init(content: content, type: nil)
    }

    /// A message to publish, with a type; nil is none of either.
    public init(content: Data?, type: String?) {
        messageNamespace = ""
        self.type = type ?? ""
        self.content = content ?? Data()
        isAuthenticated = true
    }

    init(_ received: ReceivedMessage) {
        messageNamespace = received.message.namespace
        type = received.message.type
        content = received.message.content
        isAuthenticated = received.isAuthenticated
    }

    var message: Message { Message(content: content, type: type, namespace: messageNamespace) }
}

extension GNSMessage: Hashable {
    /// Compares namespace, type and content.
    public static func == (left: GNSMessage, right: GNSMessage) -> Bool { left.message == right.message }

    /// Hashes what is compared.
    public func hash(into hasher: inout Hasher) { hasher.combine(message) }
}
