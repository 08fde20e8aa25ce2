import EarshotMessages
public import Foundation

/// The maximum size of a message's content, in bytes: 100 KiB.
public let kGNSMessageMaximumContentSize = Message.maximumContentCount

/// The maximum length of a message's type: 32 Unicode scalars.
public let kGNSMessageMaximumTypeLength = Message.maximumTypeCount

/// A message that is published or found. Messages with the same namespace, type and content are equal.
public final class GNSMessage: Sendable {
    /// The namespace; empty for messages of the app's own project.
    public let messageNamespace: String
    /// The type that subscriptions filter by, up to `kGNSMessageMaximumTypeLength` Unicode scalars; empty by default.
    public let type: String
    /// Any data of the app, 0 to `kGNSMessageMaximumContentSize` bytes.
    public let content: Data
    /// Whether the service vouches that a device with a key of this project published it. False for a message in the sound
    /// itself: any device within earshot may have sent it. The original module had neither such messages nor this property.
    public let isAuthenticated: Bool

    /// A message to publish; nil for an empty content. `GNSMessageManager` checks the size, not this.
    public convenience init(content: Data?) {
        self.init(content: content, type: nil)
    }

    /// A message to publish; nil for an empty content or type. `GNSMessageManager` checks the sizes, not this.
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
    /// Whether namespace, type and content are equal.
    public static func == (left: GNSMessage, right: GNSMessage) -> Bool { left.message == right.message }

    /// Hashes namespace, type and content.
    public func hash(into hasher: inout Hasher) { hasher.combine(message) }
}
