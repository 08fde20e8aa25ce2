/// The progress of a publication or subscription.
public enum OperationStatus: Sendable, Hashable, CaseIterable {
    /// Not permitted (yet), ended, refused for good by the service, or without a medium to run on.
    case inactive
    /// Permitted, but the service has not accepted it yet, or forgot it while it was out of reach; or, for beacons only, the radio
    /// has not worked yet. A subscription already receives messages in the sound itself.
    case starting
    /// Others can find it, or it can find others.
    case active
}
