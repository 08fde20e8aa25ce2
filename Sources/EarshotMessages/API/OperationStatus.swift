/// How far a publication or subscription is.
public enum OperationStatus: Sendable, Hashable, CaseIterable {
    /// Not allowed (yet), over, or there is no medium it could run on.
    case inactive
    /// Allowed, and on its way: the service has not accepted it yet, or forgot it while it was out of reach.
    /// A subscription gets messages in the sound itself already.
    case starting
    /// Others can find it, or be found by it.
    case active
}
