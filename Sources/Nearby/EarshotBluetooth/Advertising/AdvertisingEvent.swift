public import EarshotDiscovery

/// The events of advertising.
public enum AdvertisingEvent: Sendable, Equatable {
    /// These of the requested advertisements are on the air from now on. If the controller cannot send all of them at
    /// once, they take turns.
    case advertising([Advertisement])
    /// A problem begins. The detail is text for the user: what failed, on which adapter, and what to do.
    case problem(DiscoveryProblem, detail: String)
    /// The problem is over.
    case solved(DiscoveryProblem)
}
