public import Foundation

/// A content key, wrapped for the devices that hear a token.
public struct KeyBody: Codable, Sendable, Hashable {
    /// The identifier of the token, 16 hexadecimal digits.
    public let token: String
    /// 60 bytes.
    public let key: Data

    /// Sets the properties of the same names.
    public init(token: String, key: Data) { (self.token, self.key) = (token, key) }
}

/// The data of the events `found` and `lost`.
public struct ChangeBody: Codable, Sendable, Hashable {
    /// A message of another device.
    public struct Content: Codable, Sendable, Hashable {
        /// The message's name, the same in `found` and `lost`.
        public let id: String
        /// The namespace of the message.
        public let namespace: String
        /// The type of the message.
        public let type: String
        /// The message.
        public let content: Data
        /// The wrapped keys of a sealed message, for tokens that the device sends or hears; nil in an open project.
        public let keys: [KeyBody]?

        /// Sets the properties of the same names.
        public init(id: String, namespace: String, type: String, content: Data, keys: [KeyBody]? = nil) {
            self.id = id
            self.namespace = namespace
            self.type = type
            self.content = content
            self.keys = keys
        }
    }

    /// The subscription that the message belongs to.
    public let subscription: String
    /// The message.
    public let message: Content

    /// Sets the properties of the same names.
    public init(subscription: String, message: Content) {
        self.subscription = subscription
        self.message = message
    }
}

/// The data of the event `ready`.
public struct ReadyBody: Codable, Sendable, Hashable {
    /// Whether the events continue where the last stream ended.
    public let resumed: Bool

    /// Sets the property of the same name.
    public init(resumed: Bool) { self.resumed = resumed }
}
