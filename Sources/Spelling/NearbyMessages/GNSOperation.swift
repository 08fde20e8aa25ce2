import Dispatch
import EarshotMessages
public import Foundation

/// A published message. Releasing it withdraws the message.
public protocol GNSPublication: NSObjectProtocol {}

/// A search for messages. Releasing it ends the search.
public protocol GNSSubscription: NSObjectProtocol {}

/// The object that the app keeps. It owns the app's handlers, and only the app owns it: no handler is called after its release.
final class GNSOperation: NSObject, GNSPublication, GNSSubscription {
    private let handlers: GNSOperationHandlers
    /// Ends the operation immediately, because a task that waits for the main queue may keep the operation's handle
    /// longer.
    private let stop: (@Sendable () -> Void)?
    private let tasks: [Task<Void, Never>]

    init(publication: Publication, handlers: GNSOperationHandlers) {
        self.handlers = handlers
        stop = { publication.stop() }
        tasks = [handlers.follow(publication.statuses)]
    }

    init(subscription: Subscription, handlers: GNSOperationHandlers) {
        self.handlers = handlers
        stop = { subscription.stop() }
        tasks = [handlers.follow(subscription.statuses), handlers.follow(subscription)]
    }

    /// An operation that cannot work.
    init(inactive handlers: GNSOperationHandlers) {
        self.handlers = handlers
        stop = nil
        tasks = []
        DispatchQueue.main.async { [weak handlers] in handlers?.statusHandler?(.inactive) }
    }

    deinit {
        stop?()
        tasks.forEach { $0.cancel() }
    }
}

/// The handlers of one operation.
///
/// Unchecked, because an app's closures are not Sendable: they are set before the object is shared, and called on the main
/// queue only.
final class GNSOperationHandlers: @unchecked Sendable {
    fileprivate let statusHandler: GNSOperationStatusHandler?
    private let permissionRequestHandler: GNSPermissionRequestHandler?
    private let foundHandler: GNSMessageHandler?
    private let lostHandler: GNSMessageHandler?

    init(_ params: GNSPublicationParams) {
        statusHandler = params.statusHandler
        permissionRequestHandler = params.permissionRequestHandler
        (foundHandler, lostHandler) = (nil, nil)
    }

    init(_ params: GNSSubscriptionParams, found: GNSMessageHandler?, lost: GNSMessageHandler?) {
        statusHandler = params.statusHandler
        permissionRequestHandler = params.permissionRequestHandler
        (foundHandler, lostHandler) = (found, lost)
    }

    /// The consent handler that calls the app's handler; nil if the app has none.
    func consentHandler(log: @escaping @Sendable (String) -> Void) -> ConsentHandler? {
        guard permissionRequestHandler != nil else { return nil }
        return { [weak self] _ in
            await withCheckedContinuation { continuation in
                let answer = GNSOnceAnswer(continuation, log: log)
                DispatchQueue.main.async { self?.permissionRequestHandler?({ answer.give($0) }) }
            }
        }
    }

    fileprivate func follow(_ statuses: AsyncStream<OperationStatus>) -> Task<Void, Never> {
        Task { [weak self] in
            for await status in statuses {
                await onMainQueue { [weak self] in self?.statusHandler?(GNSOperationStatus(status)) }
            }
        }
    }

    fileprivate func follow(_ subscription: Subscription) -> Task<Void, Never> {
        Task { [weak self] in
            var known = GNSKnownMessages()
            for await event in subscription {
                guard let change = known.take(event) else { continue }
                await onMainQueue { [weak self] in
                    switch change {
                    case .found(let message): self?.foundHandler?(message)
                    case .lost(let message): self?.lostHandler?(message)
                    }
                }
            }
        }
    }
}
