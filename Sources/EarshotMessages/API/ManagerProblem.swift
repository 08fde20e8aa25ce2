public import EarshotDiscovery

/// Something that is wrong from now on, or is not any more. Nothing of it ends an operation: what failed is tried again until it
/// works.
public struct ManagerProblem: Sendable, Hashable {
    /// What may be wrong.
    public enum Kind: Sendable, Hashable {
        /// A microphone, a loudspeaker, or the band.
        case medium(DiscoveryProblem, DiscoveryMediumKind)
        /// A strategy asks for a medium that does not exist here. The operation runs on those that do.
        case unsupportedMedium(DiscoveryMediumKind)
        /// A strategy wants to go on in the background, where this medium may not.
        case noBackground(DiscoveryMediumKind)
        /// The service does not answer, or not in time.
        case serviceUnreachable
        /// The service refuses, and says why by this code of docs/SERVICE.md.
        case serviceRefusing(code: String)
        /// What answers is not a service of ours, or a broken one.
        case serviceNonsense
    }

    /// What.
    public var kind: Kind
    /// Whether it is over.
    public var isSolved: Bool
    /// For people: what failed, on what, and what to do. No key, token or content. Empty where it is solved.
    public var detail: String

    /// See the properties of the same names.
    public init(_ kind: Kind, isSolved: Bool = false, detail: String = "") {
        self.kind = kind
        self.isSolved = isSolved
        self.detail = detail
    }

    /// Whether it is about hearing: the microphone is missing, forbidden, taken or unusable.
    public var isAboutMicrophone: Bool {
        switch kind {
        case .medium(.noMicrophone, _), .medium(.noPermission(.scan), _), .medium(.deviceBusy(.scan), _),
            .medium(.deviceUnusable(.scan), _):
            true
        default: false
        }
    }
}
