package import FoundationEssentials

/// An isolated set of keys and messages: the holder of one project's key cannot see another project's messages.
package struct Project: Sendable, Equatable {
    package let id: Int64
    package let name: String
    package let created: Moment
    /// The salt of a sealed project, `Sealing.saltCount` bytes; nil for an open one.
    package let salt: Data?
}

/// An API key, with which an app proves that it belongs to a project. Only its holder knows the key itself.
package struct APIKey: Sendable, Equatable {
    package let id: Int64
    package let project: String
    package let name: String
    package let role: KeyRole
    /// The pages that may use it; nil if it is no browser key.
    package let origins: AllowedOrigins?
    package let created: Moment
    package let revoked: Moment?
}

/// The purpose of a key. Requests of another role are refused: an app's key, which its users can find, must not change
/// the project's beacons.
package enum KeyRole: String, Sendable {
    /// Opens sessions of devices.
    case device
    /// Manages the beacons and namespaces of the project.
    case owner

    /// The role in the database, which checks it.
    init(_ text: String) { self = KeyRole(rawValue: text) ?? .device }
}

/// The owner of an API key.
struct KeyHolder: Sendable, Equatable {
    let key: Int64
    let project: Int64
    let role: KeyRole
    /// The pages that may use the key; nil if it is no browser key.
    let origins: AllowedOrigins?
    /// The salt of a sealed project; nil for an open one.
    var salt: Data?
}

/// The session of a device that presented a key.
struct Session: Sendable, Equatable {
    let device: Int64
    /// The public name of the device.
    let identifier: String
    let key: Int64
    let project: Int64
    /// The pages that may use it; nil if its key is no browser key.
    let origins: AllowedOrigins?
    let expires: Moment
    /// The salt of a sealed project; nil for an open one.
    var salt: Data?

    var isSealed: Bool { salt != nil }
}

/// A published message: at most 102,400 bytes, with a type and a namespace for filters. Of a sealed message the service
/// has only tags and a ciphertext.
struct Message: Sendable, Equatable {
    let namespace: String
    let type: String
    let content: Data
    /// The keys of a sealed message that the reader can use.
    var keys: [WrappedKey] = []
}

/// The key of a sealed message, wrapped for the devices that hear a token.
struct WrappedKey: Sendable, Equatable {
    /// The identifier of the token.
    let token: Data
    /// `Sealing.wrappedKeyCount` bytes.
    let key: Data
}

/// The key of a publication, wrapped for a token that its device hears.
struct PublicationKey: Sendable, Equatable {
    let token: Data
    let publication: String
    let key: Data
}

/// The messages that a subscription selects: those of one namespace, and of one type if it is not empty.
struct MessageFilter: Sendable, Equatable {
    let namespace: String
    let type: String
}

/// The token that a device sends as sound for one publication or subscription, until it expires.
struct IssuedToken: Sendable, Equatable {
    let bytes: Data
    let issued: Moment
    let expires: Moment
}

/// A message offered as long as its device renews the lease.
struct Publication: Sendable, Equatable {
    let row: Int64
    let identifier: String
    let namespace: String
    let type: String
    let contentCount: Int
    let expires: Moment
}

/// A request for messages that lasts as long as its device renews the lease.
struct Subscription: Sendable, Equatable {
    let row: Int64
    let identifier: String
    let filter: MessageFilter
    let expires: Moment
}

/// A token that a device hears.
struct HeardToken: Sendable, Equatable {
    let bytes: Data
    /// The time since it was last heard.
    var age = Duration.zero
}

/// A message that became near to a subscription, or stopped being near.
struct Change: Sendable, Equatable {
    /// The number of the change, counted from 1 for each device.
    let sequence: Int64
    let isFound: Bool
    let subscription: String
    let publication: String
    let message: Message
}

/// Changes of one device, oldest first.
struct ChangePage: Sendable {
    let changes: [Change]
    /// The position where the next page begins.
    let cursor: Int64
    /// Whether more changes may be available at once.
    let isFull: Bool
}
