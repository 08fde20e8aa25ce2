public import EarshotDiscovery

/// A problem that begins or is solved. No problem ends an operation: the manager retries until it succeeds.
public struct ManagerProblem: Sendable, Hashable {
    /// The kinds of problems.
    public enum Kind: Sendable, Hashable {
        /// The medium reports a problem with a microphone, a loudspeaker, the band, or Bluetooth.
        case medium(DiscoveryProblem, DiscoveryMediumKind)
        /// A strategy names a medium that does not exist here. The operation runs on the other media of the strategy.
        case unsupportedMedium(DiscoveryMediumKind)
        /// A strategy allows the background, where this medium may not run.
        case noBackground(DiscoveryMediumKind)
        /// The service does not answer, or not in time.
        case serviceUnreachable
        /// The service refuses requests. docs/SERVICE.md explains the code.
        case serviceRefusing(code: String)
        /// The address is invalid, or another server or a broken service answers there.
        case serviceInvalid
    }

    /// The kind of problem.
    public var kind: Kind
    /// False when the problem begins, true when it is solved.
    public var isSolved: Bool
    /// A sentence for people: what failed, on what, and what to do. It contains no key, token or content. Empty if
    /// solved.
    public var detail: String

    /// A problem of these values; see the properties of the same names.
    public init(_ kind: Kind, isSolved: Bool = false, detail: String = "") {
        self.kind = kind
        self.isSolved = isSolved
        self.detail = detail
    }

    /// Whether the microphone is missing, forbidden, busy or unusable.
    public var isAboutMicrophone: Bool {
        switch kind {
        case .medium(.noMicrophone, _), .medium(.noPermission(.scan), _), .medium(.deviceBusy(.scan), _),
            .medium(.deviceUnusable(.scan), _):
            true
        default: false
        }
    }
}
