import EarshotMessages

/// Publishes messages to devices nearby, and finds theirs. This is the interface of the service that was switched off in 2023,
/// on top of `MessageManager`.
///
///     let messageManager = GNSMessageManager(apiKey: key)
///     let publication = messageManager.publication(with: GNSMessage(content: data))
///     let subscription = messageManager.subscription(messageFoundHandler: { … }, messageLostHandler: { … })
///
/// Keep all three: releasing a handle stops its operation, and releasing the manager stops all. The process's environment names
/// the service and the application, see `MessageManager.Configuration.system`. Handlers run on the main queue, which the
/// program must run. New programs should use `MessageManager`: its errors have reasons.
public final class GNSMessageManager: Sendable {
    private let manager: MessageManager
    private let log: @Sendable (String) -> Void
    private let errors: GNSErrorHandlers
    private let task: Task<Void, Never>

    /// A manager without operations. It opens and sends nothing yet.
    /// - Parameters:
    ///   - apiKey: a key of `earshotd key create`.
    ///   - paramsBlock: sets the error handlers.
    public init(apiKey: String?, paramsBlock: GNSMessageManagerParamsBlock? = nil) {
        let params = GNSMessageManagerParams()
        paramsBlock?(params)
        let environment = GNSEnvironment.current
        log = environment.log
        if apiKey?.isEmpty != false { log("The manager has no API key: the service will refuse its requests.") }
        manager = MessageManager(key: apiKey ?? "", configuration: environment.configuration)
        errors = GNSErrorHandlers(params)
        task = errors.follow(manager.problems)
    }

    /// The same in the spelling of Swift 2.
    public convenience init(APIKey: String?, paramsBlock: GNSMessageManagerParamsBlock? = nil) {
        self.init(apiKey: APIKey, paramsBlock: paramsBlock)
    }

    deinit {
        task.cancel()
    }

    /// Switches the debug log on or off; it is off by default. Switch it on before you make a manager. The log goes to standard
    /// error, and holds no key, token, type or content.
    public static func setDebugLoggingEnabled(_ enabled: Bool) {
        GNSDebugLog.isEnabled = enabled
    }

    /// Whether the debug log is on; false by default.
    public static func isDebugLoggingEnabled() -> Bool {
        GNSDebugLog.isEnabled
    }
}

extension GNSMessageManager {
    /// Publishes a message for as long as the publication is kept.
    ///
    /// If the message exceeds a limit, a debug build stops, and a release build logs the reason and returns an inactive
    /// publication.
    /// - Parameters:
    ///   - message: the message; nil is logged, and gives an inactive publication.
    ///   - paramsBlock: sets the strategy and the handlers.
    /// - Returns: the publication, never nil. Releasing it withdraws the message.
    public func publication(
        with message: GNSMessage?, paramsBlock: GNSPublicationParamsBlock? = nil
    ) -> (any GNSPublication)! {
        let params = GNSPublicationParams()
        paramsBlock?(params)
        let strategy = params.strategy ?? GNSStrategy()
        let handlers = GNSOperationHandlers(params)
        guard let message else {
            log("The message to publish is nil.")
            return GNSOperation(inactive: handlers)
        }
        note(strategy, asksForBluetooth: strategy.asksForBluetooth)
        do throws(MessageError) {
            let publication = try manager.publish(
                message.message, strategy: strategy.strategy, consent: handlers.consentHandler(log: log))
            return GNSOperation(publication: publication, handlers: handlers)
        } catch {
            return refuse(error, handlers)
        }
    }

    /// The same in the spelling of Swift 2.
    public func publicationWithMessage(
        _ message: GNSMessage?, paramsBlock: GNSPublicationParamsBlock? = nil
    ) -> (any GNSPublication)! {
        publication(with: message, paramsBlock: paramsBlock)
    }

    /// Finds messages for as long as the subscription is kept.
    ///
    /// If the namespace or type exceeds its limit, a debug build stops, and a release build logs the reason and returns an
    /// inactive subscription.
    /// - Parameters:
    ///   - messageFoundHandler: receives each message when it comes near.
    ///   - messageLostHandler: receives the same object again when the message is no longer near, or no longer published.
    ///   - paramsBlock: sets the filters, the strategy and the handlers.
    /// - Returns: the subscription, never nil. Releasing it ends the search.
    public func subscription(
        messageFoundHandler: GNSMessageHandler?, messageLostHandler: GNSMessageHandler?,
        paramsBlock: GNSSubscriptionParamsBlock? = nil
    ) -> (any GNSSubscription)! {
        let params = GNSSubscriptionParams()
        paramsBlock?(params)
        let strategy = params.strategy ?? GNSStrategy()
        let handlers = GNSOperationHandlers(params, found: messageFoundHandler, lost: messageLostHandler)
        let wantsBeacons = params.deviceTypesToDiscover.contains(.bleBeacon)
        if wantsBeacons { log("Beacons are not supported here: the subscription finds none.") }
        note(strategy, asksForBluetooth: strategy.asksForBluetooth || wantsBeacons)
        guard params.deviceTypesToDiscover.contains(.usingNearby) else { return GNSOperation(inactive: handlers) }
        do throws(MessageError) {
            let subscription = try manager.subscribe(
                namespace: params.messageNamespace ?? "", type: params.type ?? "", strategy: strategy.strategy,
                consent: handlers.consentHandler(log: log))
            return GNSOperation(subscription: subscription, handlers: handlers)
        } catch {
            return refuse(error, handlers)
        }
    }

    /// The same in the spelling of Swift 2.
    public func subscriptionWithMessageFoundHandler(
        _ messageFoundHandler: GNSMessageHandler?, messageLostHandler: GNSMessageHandler?,
        paramsBlock: GNSSubscriptionParamsBlock? = nil
    ) -> (any GNSSubscription)! {
        subscription(
            messageFoundHandler: messageFoundHandler, messageLostHandler: messageLostHandler, paramsBlock: paramsBlock)
    }

    private func note(_ strategy: GNSStrategy, asksForBluetooth: Bool) {
        if asksForBluetooth {
            log("Bluetooth is not supported here: sound is the only medium.")
            errors.reportBluetooth()
        }
        if strategy.allowInBackground {
            log("There is no background here: the operation runs as long as the program runs.")
        }
    }

    private func refuse(_ error: MessageError, _ handlers: GNSOperationHandlers) -> GNSOperation {
        log("Cannot publish or subscribe: \(error).")
        assertionFailure(error.description)
        return GNSOperation(inactive: handlers)
    }
}
