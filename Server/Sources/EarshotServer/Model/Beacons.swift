package import FoundationEssentials
package import NearbyWire

/// A name for attachments. Exactly one project owns it.
package struct Namespace: Sendable, Equatable {
    package let name: String
    package let project: String
    /// Whether devices of other projects may request its attachments.
    package let isPublic: Bool
    package let created: Moment
}

/// A Bluetooth beacon. It belongs to exactly one project.
package struct Beacon: Sendable, Equatable {
    package let identifier: BeaconIdentifier
    package let project: String
    /// A note for people, such as where it hangs.
    package let note: String
    package let created: Moment
    /// Oldest first.
    package let attachments: [Attachment]
}

/// A message that a project attached to one of its beacons.
package struct Attachment: Sendable, Equatable {
    package let identifier: String
    /// Empty for the default namespace, which only the project itself can read.
    package let namespace: String
    package let type: String
    package let data: Data
}

/// A page of beacons, in the order of their identities.
package struct BeaconPage: Sendable {
    package let beacons: [Beacon]
    /// Whether more follow.
    package let hasMore: Bool
}

/// The result of an order that may be repeated and creates only once.
package struct Registered<Value: Sendable>: Sendable {
    package let value: Value
    /// False if it existed already.
    package let isNew: Bool
}

/// The projects whose entries a request may see and change.
package enum RegistryScope: Sendable, Equatable {
    /// All projects: the operator's commands.
    case all
    /// One project: the holder of its owner's key.
    case project(Int64)

    /// For SQL: nil selects all.
    var project: Int64? {
        if case .project(let id) = self { return id }
        return nil
    }
}

/// A device's query: which messages are attached to these beacons?
struct LookUp: Sendable {
    let beacons: [BeaconIdentifier]
    /// An empty namespace selects all attachments of the project's own beacons.
    let filter: MessageFilter
    /// The project of the device.
    let project: Int64
}

/// The attachments of one beacon that a device may see.
struct LookUpResult: Sendable {
    let beacon: BeaconIdentifier
    let attachments: [Attachment]
}
