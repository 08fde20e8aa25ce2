public import EarshotDiscovery

/// The events of advertising.
public enum AdvertisingEvent: Sendable, Equatable {
    /// These advertisements are on the air from now on, of those that were asked for. There are fewer than asked for if the
    /// controller cannot send them all at once; they take turns then.
    case advertising([Advertisement])
    /// Something is wrong from now on. The detail is text for the user: what failed, on which adapter, and what to do.
    case problem(DiscoveryProblem, detail: String)
    /// The problem is over.
    case solved(DiscoveryProblem)
}
