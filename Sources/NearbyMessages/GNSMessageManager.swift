import EarshotMessages

/// Publishes messages to devices nearby, and finds theirs: the interface of the service that was switched off in 2023, on top of
/// `MessageManager`.
///
///     let messageManager = GNSMessageManager(apiKey: key)
///     let publication = messageManager.publication(with: GNSMessage(content: data))
///     let subscription = messageManager.subscription(messageFoundHandler: { … }, messageLostHandler: { … })
///
/// Keep all three: what is let go stops, and with the manager all that it made. Where the service is, and who asks, says the
/// environment, see `MessageManager.Configuration.system`. Handlers are called on the main queue, which the program has to run.
/// New programs are better off with `MessageManager`: its errors have reasons.
public final class GNSMessageManager: Sendable {
    private let manager: MessageManager
    private let log: @Sendable (String) -> Void
    private let errors: GNSErrorHandlers
    private let task: Task<Void, Never>

    /// Does nothing yet.
    /// - Parameters:
    ///   - apiKey: of `earshotd key create`.
    ///   - paramsBlock: sets the handlers of what is wrong.
    public init(apiKey: String?, paramsBlock: GNSMessageManagerParamsBlock? = nil) {
        let params = GNSMessageManagerParams()
        paramsBlock?(params)
        let environment = GNSEnvironment.current
        log = environment.log
        if apiKey?.isEmpty != false { log("The manager has no API key: the service will refuse it.") }
        manager = MessageManager(key: apiKey ?? "", configuration: environment.configuration)
        errors = GNSErrorHandlers(params)
        task = errors.follow(manager.problems)
    }

    /// The spelling of Swift 2.
    public convenience init(APIKey: String?, paramsBlock: GNSMessageManagerParamsBlock? = nil) {
        self.init(apiKey: APIKey, paramsBlock: paramsBlock)
    }

    deinit {
        task.cancel()
    }

    /// Switches the debug log on or off; it is off by default. To be switched on before a manager is made.
    /// It goes to standard error, and has no keys, tokens, types or contents in it.
    public static func setDebugLoggingEnabled(_ enabled: Bool) {
        GNSDebugLog.isEnabled = enabled
    }

    /// Whether the debug log is on.
    public static func isDebugLoggingEnabled() -> Bool {
        GNSDebugLog.isEnabled
    }
}

extension GNSMessageManager {
    /// Publishes a message for as long as the publication is kept.
    ///
    /// A message that is larger than one may be stops a debug build; others log it, and do not publish it.
    public func publication(
        with message: GNSMessage?, paramsBlock: GNSPublicationParamsBlock? = nil
    ) -> (any GNSPublication)! {
        let params = GNSPublicationParams()
        paramsBlock?(params)
        let strategy = params.strategy ?? GNSStrategy()
        let handlers = GNSOperationHandlers(params)
        guard let message else {
            log("There is no message to publish.")
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

    /// The spelling of Swift 2.
    public func publicationWithMessage(
        _ message: GNSMessage?, paramsBlock: GNSPublicationParamsBlock? = nil
    ) -> (any GNSPublication)! {
        publication(with: message, paramsBlock: paramsBlock)
    }

    /// Finds messages for as long as the subscription is kept.
    /// - Parameters:
    ///   - messageFoundHandler: gets each message when it comes near.
    ///   - messageLostHandler: gets it again, the same object, when it has gone, or is no longer published.
    public func subscription(
        messageFoundHandler: GNSMessageHandler?, messageLostHandler: GNSMessageHandler?,
        paramsBlock: GNSSubscriptionParamsBlock? = nil
    ) -> (any GNSSubscription)! {
        let params = GNSSubscriptionParams()
        paramsBlock?(params)
        let strategy = params.strategy ?? GNSStrategy()
        let handlers = GNSOperationHandlers(params, found: messageFoundHandler, lost: messageLostHandler)
        let wantsBeacons = params.deviceTypesToDiscover.contains(.bleBeacon)
        if wantsBeacons { log("Beacons are not supported here: none will be found.") }
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

    /// The spelling of Swift 2.
    public func subscriptionWithMessageFoundHandler(
        _ messageFoundHandler: GNSMessageHandler?, messageLostHandler: GNSMessageHandler?,
        paramsBlock: GNSSubscriptionParamsBlock? = nil
    ) -> (any GNSSubscription)! {
        subscription(
            messageFoundHandler: messageFoundHandler, messageLostHandler: messageLostHandler, paramsBlock: paramsBlock)
    }

    private func note(_ strategy: GNSStrategy, asksForBluetooth: Bool) {
        if asksForBluetooth {
            log("Bluetooth is not supported here: devices are found by sound only.")
            errors.reportBluetooth()
        }
        if strategy.allowInBackground {
            log("There is no background here: it works as long as the program runs, and not after that.")
        }
    }

    private func refuse(_ error: MessageError, _ handlers: GNSOperationHandlers) -> GNSOperation {
        log("Not published or subscribed: \(error).")
        assertionFailure(error.description)
        return GNSOperation(inactive: handlers)
    }
}
