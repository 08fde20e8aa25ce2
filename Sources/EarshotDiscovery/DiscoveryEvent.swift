public import EarshotCoding

/// What discovery reports, in order.
public enum DiscoveryEvent: Sendable, Equatable {
    /// Somebody is near who was not.
    case found(Neighbour)
    /// It was heard again.
    case updated(Neighbour)
    /// It is gone. Found again afterwards is a new `found`.
    case lost(Neighbour)
    /// Something is wrong with a medium from now on.
    /// The detail is for people.
    case problem(DiscoveryProblem, DiscoveryMediumKind, detail: String = "")
    /// It is not any more.
    case solved(DiscoveryProblem, DiscoveryMediumKind)
}

/// A device nearby, as it was heard last.
public struct Neighbour: Sendable, Equatable {
    /// Its token.
    public var token: Payload
    /// Where it was heard last.
    public var medium: DiscoveryMediumKind
    /// All media that it is heard on.
    public var media: Set<DiscoveryMediumKind>
    /// Signal power over noise power.
    public var snrDecibels: Double?
    /// How loud it was.
    public var levelDecibels: Double?
    /// Since discovery began.
    public var lastHeard: Duration
}
