import EarshotMessages
public import Foundation

/// The user's permission for this program to find devices nearby. It is stored in a file, see `PermissionStore`, so
/// that other processes of the same program see its changes.
open class GNSPermission: NSObject {
    private let handler: Handler
    private let task: Task<Void, Never>

    /// An app's closure, called on the main queue only.
    private final class Handler: @unchecked Sendable {
        let call: GNSPermissionHandler?

        init(_ call: GNSPermissionHandler?) { self.call = call }
    }

    /// Follows the permission for as long as this object is kept.
    /// - Parameter changedHandler: receives the user's decision, immediately if there is one, and then each change. It
    ///   is not called before the user has decided.
    ///
    /// It never fails.
    public init!(changedHandler: GNSPermissionHandler!) {
        let handler = Handler(changedHandler)
        let changes = GNSEnvironment.current.consent.changes
        self.handler = handler
        task = Task { [weak handler] in
            var told: Bool?
            for await state in changes {
                let isGranted = state == .granted
                // The handler is not called for an undecided permission, but for the loss of a granted one.
                guard state != .undecided || told == true, isGranted != told else { continue }
                told = isGranted
                await onMainQueue { [weak handler] in handler?.call?(isGranted) }
            }
        }
        super.init()
    }

    /// An object that follows the permission without a handler, which has no effect.
    public convenience override init() {
        self.init(changedHandler: nil)
    }

    deinit {
        task.cancel()
    }

    /// Whether the user has granted the permission. False if it is denied or undecided.
    open class func isGranted() -> Bool {
        GNSEnvironment.current.consent.store.state == .granted
    }

    /// Stores a decision of the user. Call it only in response to the user, for example to a switch in the settings.
    /// All operations start or stop with it.
    open class func setGranted(_ granted: Bool) {
        let environment = GNSEnvironment.current
        do throws(PermissionStoreError) {
            try environment.consent.store.set(granted ? .granted : .denied)
        } catch {
            environment.warn("\(error) It holds until the program ends.")
        }
    }
}
