public import EarshotCoding

/// The events of a discovery, in order.
public enum DiscoveryEvent: Sendable, Equatable {
    /// A new device is near.
    case found(Neighbour)
    /// A neighbour was heard again.
    case updated(Neighbour)
    /// A neighbour is gone. If it is found again, that is a new `found`.
    case lost(Neighbour)
    /// A problem of a medium begins. The detail is text for the user, or empty.
    case problem(DiscoveryProblem, DiscoveryMediumKind, detail: String = "")
    /// The problem is over.
    case solved(DiscoveryProblem, DiscoveryMediumKind)
    /// The devices of these directions work on a medium, after they were opened for the first time or again.
    case opened(DiscoveryMode, DiscoveryMediumKind)
}

/// A device nearby, as it was last heard.
public struct Neighbour: Sendable, Equatable {
    /// The token of the device.
    public var token: Payload
    /// The medium on which it was last heard.
    public var medium: DiscoveryMediumKind
    /// All media on which it is heard.
    public var media: Set<DiscoveryMediumKind>
    /// Signal power over noise power, in decibels, if the medium knows it.
    public var snrDecibels: Double?
    /// The level at which it was last heard, in decibels; 0 is full scale; nil if the medium does not know it.
    public var levelDecibels: Double?
    /// The received signal strength in dBm when it was last heard; nil if the medium does not know it.
    public var rssiDecibelMilliwatts: Int?
    /// The time from the start of the discovery until it was last heard.
    public var lastHeard: Duration
}
