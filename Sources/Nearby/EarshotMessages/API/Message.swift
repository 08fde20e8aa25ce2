public import Foundation

/// A message to publish: a small piece of data with a type, in a namespace. Messages with the same three values are equal.
public struct Message: Sendable, Hashable {
    /// The maximum size of a content, in bytes: 100 KiB.
    public static let maximumContentCount = 102_400
    /// The maximum length of a type, in Unicode scalars.
    public static let maximumTypeCount = 32
    /// The maximum length of a namespace, in Unicode scalars.
    public static let maximumNamespaceCount = 64

    /// Any data of the app, 0 to `maximumContentCount` bytes.
    public var content: Data
    /// The type that subscriptions filter by, 0 to `maximumTypeCount` Unicode scalars.
    public var type: String
    /// A name that separates messages within a project, 0 to `maximumNamespaceCount` Unicode scalars. Empty for the default
    /// namespace.
    public var namespace: String

    /// A message of these values. The limits are checked by `MessageManager.publish`, not here.
    public init(content: Data, type: String = "", namespace: String = "") {
        self.content = content
        self.type = type
        self.namespace = namespace
    }

    func check() throws(MessageError) {
        guard content.count <= Self.maximumContentCount else { throw .contentTooLarge(content.count) }
        try Self.check(namespace: namespace, type: type)
    }

    /// A message that the agent passes on may come from a beacon, with a longer type.
    func checkReceived() throws(MessageError) {
        guard content.count <= Self.maximumContentCount else { throw .contentTooLarge(content.count) }
        guard type.unicodeScalars.count <= BeaconAttachment.maximumTypeCount else { throw .typeTooLong(type.count) }
        try Self.check(namespace: namespace, type: "")
    }

    /// Counts Unicode scalars, as the service does: a letter with its accents may be several.
    static func check(namespace: String, type: String) throws(MessageError) {
        let (typeCount, namespaceCount) = (type.unicodeScalars.count, namespace.unicodeScalars.count)
        guard typeCount <= maximumTypeCount else { throw .typeTooLong(typeCount) }
        guard namespaceCount <= maximumNamespaceCount else { throw .namespaceTooLong(namespaceCount) }
    }
}

/// A message that a subscription received.
public struct ReceivedMessage: Sendable, Hashable {
    /// The message as it was published.
    public let message: Message
    /// Whether the service vouches for the publisher: a device with a key of this project, or, at a beacon, the project
    /// that owns the beacon. Any device may imitate a beacon, so this does not prove where the device is. False for a
    /// message in the sound itself, which any device may have sent.
    public let isAuthenticated: Bool
    /// It is the same in found and lost, and differs between two publishers of the same message. It is not secret.
    public let id: String

    /// A received message of these values; see the properties of the same names.
    public init(message: Message, isAuthenticated: Bool, id: String) {
        self.message = message
        self.isAuthenticated = isAuthenticated
        self.id = id
    }
}

/// An event of a subscription.
public enum MessageEvent: Sendable, Hashable {
    /// The message came near, or was published nearby.
    case found(ReceivedMessage)
    /// The message is no longer near, or no longer published. If it reappears, there is another `found`.
    case lost(ReceivedMessage)
}
