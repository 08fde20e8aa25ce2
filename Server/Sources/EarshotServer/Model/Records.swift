import FoundationEssentials

/// A separate world: who holds a key of one project never learns of another's messages.
package struct Project: Sendable, Equatable {
    package let id: Int64
    package let name: String
    package let created: Moment
}

/// What an app shows to belong to a project. The key itself is known to its holder only.
package struct APIKey: Sendable, Equatable {
    package let id: Int64
    package let project: String
    package let name: String
    package let created: Moment
    package let revoked: Moment?
}

/// Who may come in with an API key.
struct KeyHolder: Sendable, Equatable {
    let key: Int64
    let project: Int64
}

/// A device that showed a key and now speaks for itself.
struct Session: Sendable, Equatable {
    let device: Int64
    /// What the device is called outside.
    let identifier: String
    let key: Int64
    let project: Int64
    let expires: Moment
}

/// What is published: at most 102,400 bytes, a type and a namespace to choose by.
struct Message: Sendable, Equatable {
    let namespace: String
    let type: String
    let content: Data
}

/// Which messages a subscription wants: those of one namespace, and of one type where it is not empty.
struct MessageFilter: Sendable, Equatable {
    let namespace: String
    let type: String
}

/// What a device says in sound for one publication or subscription, until it expires.
struct IssuedToken: Sendable, Equatable {
    let bytes: Data
    let issued: Moment
    let expires: Moment
}

/// A message on offer for as long as its lease is renewed.
struct Publication: Sendable, Equatable {
    let row: Int64
    let identifier: String
    let namespace: String
    let type: String
    let contentCount: Int
    let expires: Moment
}

/// A wish for messages, for as long as its lease is renewed.
struct Subscription: Sendable, Equatable {
    let row: Int64
    let identifier: String
    let filter: MessageFilter
    let expires: Moment
}

/// What a reported token is to the device that reported it.
enum TokenStatus: String, Sendable, Codable, CaseIterable {
    /// Issued in this project, alive.
    case valid = "VALID"
    /// Never issued in this project, or so long ago that nobody remembers.
    case invalid = "INVALID"
    /// Issued in this project; its time, or what it stood for, is over.
    case expired = "EXPIRED"
}

/// A message that came near a subscription, or went.
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
    /// Where the next page begins.
    let cursor: Int64
    /// Whether there may be more at once.
    let isFull: Bool
}
