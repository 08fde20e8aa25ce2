import FoundationEssentials

/// An isolated set of keys and messages: the holder of one project's key never learns of another project's messages.
package struct Project: Sendable, Equatable {
    package let id: Int64
    package let name: String
    package let created: Moment
}

/// An API key, by which an app proves that it belongs to a project. Only its holder knows the key itself.
package struct APIKey: Sendable, Equatable {
    package let id: Int64
    package let project: String
    package let name: String
    package let created: Moment
    package let revoked: Moment?
}

/// The owner of an API key.
struct KeyHolder: Sendable, Equatable {
    let key: Int64
    let project: Int64
}

/// The session of a device that presented a key.
struct Session: Sendable, Equatable {
    let device: Int64
    /// The public name of the device.
    let identifier: String
    let key: Int64
    let project: Int64
    let expires: Moment
}

/// A published message: at most 102,400 bytes, with a type and a namespace for filters.
struct Message: Sendable, Equatable {
    let namespace: String
    let type: String
    let content: Data
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

/// The status of a reported token for the reporting device.
enum TokenStatus: String, Sendable, Codable, CaseIterable {
    /// Issued in this project, and alive.
    case valid = "VALID"
    /// Never issued in this project, or so long ago that the service has forgotten it.
    case invalid = "INVALID"
    /// Issued in this project; the token, or its publication or subscription, has expired.
    case expired = "EXPIRED"
}

/// A message that became near to a subscription, or ceased to be.
struct Change: Sendable, Equatable {
    /// Counts the changes of one device from 1.
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
