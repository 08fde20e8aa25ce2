import EarshotMessages
public import Foundation

/// Publishes messages to devices nearby, and finds theirs. This is the interface of the service that was switched off in 2023,
/// on top of `MessageManager`.
///
///     let messageManager = GNSMessageManager(apiKey: key)
///     let publication = messageManager.publication(with: GNSMessage(content: data))
///     let subscription = messageManager.subscription(messageFoundHandler: { … }, messageLostHandler: { … })
///
/// Keep all three: releasing a handle stops its operation, and releasing the manager stops all. The process's environment names
/// the service, the sound devices and the application, see `MessageManager.Configuration.system`. Handlers run on the main
/// queue, which the program must run. New programs should use `MessageManager`: its errors have reasons.
///
/// Unchecked, because a class that can be subclassed cannot be checked for Sendable. This class is immutable.
open class GNSMessageManager: NSObject, @unchecked Sendable {
    private let core: GNSManagerCore

    /// A manager without operations. It opens no device and sends nothing before the first one. It never fails.
    /// - Parameters:
    ///   - apiKey: a key of `earshotd key create`.
    ///   - paramsBlock: sets the error handlers.
    public init!(apiKey: String!, paramsBlock: GNSMessageManagerParamsBlock!) {
        core = GNSManagerCore(key: apiKey, paramsBlock)
        super.init()
    }

    /// A manager with default parameters. It opens no device and sends nothing before the first operation. It never
    /// fails.
    public init!(apiKey: String!) {
        core = GNSManagerCore(key: apiKey, nil)
        super.init()
    }

    /// A manager without a key. The service refuses its requests: apps replace it before they use it.
    public override init() {
        core = GNSManagerCore(key: nil, nil)
        super.init()
    }

    /// `init(apiKey:paramsBlock:)` in the spelling of Swift 2.
    public convenience init!(APIKey: String!, paramsBlock: GNSMessageManagerParamsBlock!) {
        self.init(apiKey: APIKey, paramsBlock: paramsBlock)
    }

    /// `init(apiKey:)` in the spelling of Swift 2.
    public convenience init!(APIKey: String!) {
        self.init(apiKey: APIKey)
    }

    /// Switches the debug log on or off; it is off by default. Switch it on before you create a manager. The log goes
    /// to standard error, and contains no key, token, type or content.
    open class func setDebugLoggingEnabled(_ enabled: Bool) {
        GNSDebugLog.isEnabled = enabled
    }

    /// Whether the debug log is on; false by default.
    open class func isDebugLoggingEnabled() -> Bool {
        GNSDebugLog.isEnabled
    }

    /// Publishes a message with default parameters, for as long as the publication is kept.
    @discardableResult
    open func publication(with message: GNSMessage!) -> (any GNSPublication)! {
        publication(with: message, paramsBlock: nil)
    }

    /// Publishes a message for as long as the publication is kept.
    ///
    /// If the message exceeds a limit, a debug build stops, and a release build writes the reason to standard error and returns
    /// an inactive publication.
    /// - Parameters:
    ///   - message: the message; nil writes to the log, and returns an inactive publication.
    ///   - paramsBlock: sets the strategy and the handlers.
    /// - Returns: the publication, never nil. Releasing it withdraws the message.
    @discardableResult
    open func publication(
        with message: GNSMessage!, paramsBlock: GNSPublicationParamsBlock!
    ) -> (any GNSPublication)! {
        let params = GNSPublicationParams()
        paramsBlock?(params)
        return core.publish(message, params)
    }

    /// Finds messages with default parameters, for as long as the subscription is kept.
    @discardableResult
    open func subscription(
        messageFoundHandler: GNSMessageHandler!, messageLostHandler: GNSMessageHandler!
    ) -> (any GNSSubscription)! {
        subscription(
            messageFoundHandler: messageFoundHandler, messageLostHandler: messageLostHandler, paramsBlock: nil)
    }

    /// Finds messages for as long as the subscription is kept.
    ///
    /// If the namespace or type exceeds its limit, a debug build stops, and a release build writes the reason to standard error
    /// and returns an inactive subscription.
    /// - Parameters:
    ///   - messageFoundHandler: receives each message when it comes near.
    ///   - messageLostHandler: receives the same object again when the message is no longer near, or no longer published.
    ///   - paramsBlock: sets the filters, the strategy and the handlers.
    /// - Returns: the subscription, never nil. Releasing it ends the search.
    @discardableResult
    open func subscription(
        messageFoundHandler: GNSMessageHandler!, messageLostHandler: GNSMessageHandler!,
        paramsBlock: GNSSubscriptionParamsBlock!
    ) -> (any GNSSubscription)! {
        let params = GNSSubscriptionParams()
        paramsBlock?(params)
        return core.subscribe(found: messageFoundHandler, lost: messageLostHandler, params)
    }
}

extension GNSMessageManager {
    /// `publication(with:paramsBlock:)` in the spelling of Swift 2.
    @discardableResult
    public func publicationWithMessage(
        _ message: GNSMessage!, paramsBlock: GNSPublicationParamsBlock! = nil
    ) -> (any GNSPublication)! {
        publication(with: message, paramsBlock: paramsBlock)
    }

    /// `subscription(messageFoundHandler:messageLostHandler:paramsBlock:)` in the spelling of Swift 2.
    @discardableResult
    public func subscriptionWithMessageFoundHandler(
        _ messageFoundHandler: GNSMessageHandler!, messageLostHandler: GNSMessageHandler!,
        paramsBlock: GNSSubscriptionParamsBlock! = nil
    ) -> (any GNSSubscription)! {
        subscription(
            messageFoundHandler: messageFoundHandler, messageLostHandler: messageLostHandler, paramsBlock: paramsBlock)
    }
}
