import EarshotMessages
public import Foundation

/// The maximum size of a message's content, in bytes: 100 KiB.
public let kGNSMessageMaximumContentSize = Message.maximumContentCount

/// The maximum length of a message's type: 32 Unicode scalars.
public let kGNSMessageMaximumTypeLength = Message.maximumTypeCount

// The original module declared no nullability, so its initialisers and properties are implicitly unwrapped in Swift.
// The same holds here, although a value is never missing: apps use them with and without `!` and `?`, and both must
// compile.

/// A message that is published or found. Messages with the same namespace, type and content are equal.
///
/// Unchecked, because a class that can be subclassed cannot be checked for Sendable. This class is immutable.
open class GNSMessage: NSObject, @unchecked Sendable {
    /// The namespace; empty for messages of the app's own project.
    public let messageNamespace: String!
    /// The type that subscriptions filter by, up to `kGNSMessageMaximumTypeLength` Unicode scalars; empty by default.
    public let type: String!
    /// Any data of the app, 0 to `kGNSMessageMaximumContentSize` bytes.
    public let content: Data!
    /// Whether the service vouches that a device with a key of this project published it. False for a message in the sound
    /// itself: any device within earshot may have sent it. The original module had neither such messages nor this property.
    public let isAuthenticated: Bool

    /// The value behind the properties.
    let message: Message

    /// Not available, as in the original module: a message has a content.
    @available(*, unavailable, message: "use init(content:)")
    public override init() { preconditionFailure("unavailable") }

    /// A message to publish; nil for an empty content. It never fails. The size is checked by `GNSMessageManager`, not
    /// here.
    public init!(content: Data!) {
        message = Message(content: content ?? Data())
        (messageNamespace, type, self.content) = (message.namespace, message.type, message.content)
        isAuthenticated = true
        super.init()
    }

    /// A message to publish; nil for an empty content or type. It never fails. The sizes are checked by
    /// `GNSMessageManager`, not here.
    public init!(content: Data!, type: String!) {
        message = Message(content: content ?? Data(), type: type ?? "")
        (messageNamespace, self.type, self.content) = (message.namespace, message.type, message.content)
        isAuthenticated = true
        super.init()
    }

    init(_ received: ReceivedMessage) {
        message = received.message
        (messageNamespace, type, content) = (message.namespace, message.type, message.content)
        isAuthenticated = received.isAuthenticated
        super.init()
    }

    /// Whether namespace, type and content are equal.
    open override func isEqual(_ object: Any?) -> Bool { (object as? GNSMessage)?.message == message }

    /// A hash of namespace, type and content.
    open override var hash: Int { message.hashValue }
}
