public import EarshotDiscovery

/// Whether the user lets this program find devices nearby and be found.
public enum PermissionState: String, Sendable, Hashable, CaseIterable {
    /// Nobody has said. Nothing is played, recorded or sent.
    case undecided
    /// Yes.
    case granted
    /// No.
    case denied
}

/// What consent is asked for.
public struct ConsentPurpose: Sendable, Hashable {
    /// Who asks.
    public var applicationIdentifier: String
    /// What for: to broadcast needs a loudspeaker, to scan a microphone.
    public var mode: DiscoveryMode
    /// On which media; nil for all there are.
    public var media: Set<DiscoveryMediumKind>?

    /// See the properties of the same names.
    public init(applicationIdentifier: String, mode: DiscoveryMode, media: Set<DiscoveryMediumKind>? = nil) {
        self.applicationIdentifier = applicationIdentifier
        self.mode = mode
        self.media = media
    }
}

/// Asks the user in the app's own way. Answers `undecided` where the user did not decide. Cancelled where the operation ends
/// meanwhile.
public typealias ConsentHandler = @Sendable (ConsentPurpose) async -> PermissionState

/// Keeps what the user has decided, and asks where nothing was.
public protocol PermissionGate: Sendable {
    /// Asked once for each new operation, before anything is opened.
    /// - Parameters:
    ///   - purpose: what for.
    ///   - override: asks in place of the gate's own way, where the user has to be asked.
    /// - Returns: what the user has decided, now or earlier.
    func request(_ purpose: ConsentPurpose, override: ConsentHandler?) async -> PermissionState

    /// What it is now, at once, and then whenever it changes, by whomever. Each caller has a stream of its own. What
    /// changed decides for all operations, also for those that were answered something else before.
    var changes: AsyncStream<PermissionState> { get }
}

/// For tests, and for programs that have asked already. It asks nobody.
public struct AlwaysGranted: PermissionGate {
    /// Without any memory.
    public init() {}

    /// Granted.
    public func request(_ purpose: ConsentPurpose, override: ConsentHandler?) async -> PermissionState { .granted }

    /// Granted, and nothing else ever.
    public var changes: AsyncStream<PermissionState> {
        AsyncStream { continuation in continuation.yield(.granted) }
    }
}
