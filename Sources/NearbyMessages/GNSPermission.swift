import EarshotMessages

/// Whether the user lets this program find devices nearby. Kept in a file, see `PermissionStore`, so that other processes of the same
/// program hear of changes, too.
public final class GNSPermission {
    private let handler: Handler
    private let task: Task<Void, Never>

    /// An app's closure, called on the main queue only.
    private final class Handler: @unchecked Sendable {
        let call: GNSPermissionHandler?

        init(_ call: GNSPermissionHandler?) { self.call = call }
    }

    /// Follows the permission for as long as this is kept.
    /// - Parameter changedHandler: gets what the user has decided, at once where that was earlier, and then each change. Not called
    ///   before the user has decided.
    public init(changedHandler: GNSPermissionHandler?) {
        let handler = Handler(changedHandler)
        let changes = GNSEnvironment.current.consent.changes
        self.handler = handler
        task = Task { [weak handler] in
            var told: Bool?
            for await state in changes {
                let isGranted = state == .granted
                // Nobody hears of what was not decided; but that a permission is no longer there is a change.
                guard state != .undecided || told == true, isGranted != told else { continue }
                told = isGranted
                await onMainQueue { [weak handler] in handler?.call?(isGranted) }
            }
        }
    }

    deinit {
        task.cancel()
    }

    /// Whether the user has said yes.
    public static func isGranted() -> Bool {
        GNSEnvironment.current.consent.store.state == .granted
    }

    /// To be called in response to what the user does, and then only: a switch in the settings. All operations begin or end with it.
    public static func setGranted(_ granted: Bool) {
        let environment = GNSEnvironment.current
        do throws(PermissionStoreError) {
            try environment.consent.store.set(granted ? .granted : .denied)
        } catch {
            environment.log("\(error) It holds until the program ends.")
        }
    }
}
