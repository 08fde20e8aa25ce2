/// The progress of a publication or subscription.
public enum OperationStatus: Sendable, Hashable, CaseIterable {
    /// Not permitted (yet), ended, permanently refused by the service, or without a medium to run on.
    case inactive
    /// Permitted, but the service has not accepted it yet, or forgot it during an outage; or, for beacons only, the
    /// radio does not work yet. A subscription already receives messages in the sound itself.
    case starting
    /// Other devices can find it, or it can find messages, over the media that work: `MessageManager.problems` has the others.
    case active
}
