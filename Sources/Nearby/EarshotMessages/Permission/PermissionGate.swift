public import EarshotDiscovery

/// The user's decision whether this program may find devices nearby and be found.
public enum PermissionState: String, Sendable, Hashable, CaseIterable {
    /// The user has not decided. The program plays, records and sends nothing.
    case undecided
    /// The user allows it.
    case granted
    /// The user denies it. The program plays, records and sends nothing.
    case denied
}

/// A request for consent.
public struct ConsentPurpose: Sendable, Hashable {
    /// The application that asks.
    public var applicationIdentifier: String
    /// The directions: broadcasting needs a loudspeaker, scanning a microphone.
    public var mode: DiscoveryMode
    /// The media of the operation; nil for all available media.
    public var media: Set<DiscoveryMediumKind>?
    /// Whether the operation finds Bluetooth beacons instead of devices.
    public var findsBeacons: Bool
    /// Whether the operation can reveal where the device is, so that the user is asked a second question. `BeaconScan`
    /// decides.
    public var needsLocation: Bool
    /// Whether it can do so also while the app is not running, which is a separate question.
    public var goesOnInBackground: Bool

    /// A purpose of these values; see the properties of the same names.
    public init(
        applicationIdentifier: String, mode: DiscoveryMode, media: Set<DiscoveryMediumKind>? = nil,
        findsBeacons: Bool = false, needsLocation: Bool = false, goesOnInBackground: Bool = false
    ) {
        self.applicationIdentifier = applicationIdentifier
        self.mode = mode
        self.media = media
        self.findsBeacons = findsBeacons
        self.needsLocation = needsLocation
        self.goesOnInBackground = goesOnInBackground
    }
}

/// Asks the user in the app's own way. It returns `undecided` if the user did not decide. Its task is cancelled if the
/// operation ends meanwhile.
public typealias ConsentHandler = @Sendable (ConsentPurpose) async -> PermissionState

/// Stores the user's decision, and asks if there is none.
public protocol PermissionGate: Sendable {
    /// The reason why an operation may not run at all, as a sentence; nil if the user decides. The manager asks it once
    /// for each operation, before `request`; an operation that is refused stays inactive.
    func refusal(of purpose: ConsentPurpose) -> String?

    /// Returns the decision for a new operation, and asks the user if necessary. The manager calls it once for each operation,
    /// before it opens anything.
    /// - Parameters:
    ///   - purpose: what the operation needs.
    ///   - override: the operation's own handler. If the user must be asked, the gate calls it instead of its own prompt.
    /// - Returns: the user's decision; `undecided` if there is none.
    func request(_ purpose: ConsentPurpose, override: ConsentHandler?) async -> PermissionState

    /// The permission now, and then each change, from any source. Each call returns a new stream. A change applies to
    /// all operations, also to those that had another answer before.
    var changes: AsyncStream<PermissionState> { get }

    /// The same as `changes`, for operations with or without the location. With it, the state is granted only if both are.
    func changes(needsLocation: Bool) -> AsyncStream<PermissionState>

    /// The same for operations that need the location also while the app is not running.
    var backgroundLocationChanges: AsyncStream<PermissionState> { get }
}

extension PermissionGate {
    /// Refuses nothing.
    public func refusal(of purpose: ConsentPurpose) -> String? { nil }

    /// The stream of a gate that does not ask for the location: the same as `changes`.
    public func changes(needsLocation: Bool) -> AsyncStream<PermissionState> { changes }

    /// The stream of a gate that does not ask about the background: the same as with the location.
    public var backgroundLocationChanges: AsyncStream<PermissionState> { changes(needsLocation: true) }
}

/// A gate that grants everything without a question, for tests and for programs whose user has consented already.
public struct AlwaysGranted: PermissionGate {
    /// A gate without state.
    public init() {}

    /// Returns `granted` immediately.
    public func request(_ purpose: ConsentPurpose, override: ConsentHandler?) async -> PermissionState { .granted }

    /// A stream of `granted`, without any change.
    public var changes: AsyncStream<PermissionState> {
        AsyncStream { continuation in continuation.yield(.granted) }
    }
}
