import EarshotMessages

/// The user's permission for this program to find devices nearby. It is kept in a file, see `PermissionStore`, so that other
/// processes of the same program see its changes.
public final class GNSPermission {
    private let handler: Handler
    private let task: Task<Void, Never>

    /// An app's closure, called on the main queue only.
    private final class Handler: @unchecked Sendable {
        let call: GNSPermissionHandler?

        init(_ call: GNSPermissionHandler?) { self.call = call }
    }

    /// Follows the permission for as long as this object is kept.
    /// - Parameter changedHandler: receives the user's decision, at once if there is one, and then each change. It is not
    ///   called before the user has decided.
    public init(changedHandler: GNSPermissionHandler?) {
        let handler = Handler(changedHandler)
        let changes = GNSEnvironment.current.consent.changes
        self.handler = handler
        task = Task { [weak handler] in
            var told: Bool?
            for await state in changes {
                let isGranted = state == .granted
                // An undecided permission is no news to the app, but the loss of a granted one is.
                guard state != .undecided || told == true, isGranted != told else { continue }
                told = isGranted
                await onMainQueue { [weak handler] in handler?.call?(isGranted) }
            }
        }
    }

    deinit {
        task.cancel()
    }

    /// Whether the user has granted the permission. False if it is denied or undecided.
    public static func isGranted() -> Bool {
        GNSEnvironment.current.consent.store.state == .granted
    }

    /// Keeps a decision of the user. Call it only in response to the user, for example to a switch in the settings. All
    /// operations start or stop with it.
    public static func setGranted(_ granted: Bool) {
        let environment = GNSEnvironment.current
        do throws(PermissionStoreError) {
            try environment.consent.store.set(granted ? .granted : .denied)
        } catch {
            environment.log("\(error) It holds until the program ends.")
        }
    }
}
