import EarshotMessages
import UIKitNames

/// The manager behind a `GNSMessageManager`, whose class apps may subclass.
final class GNSManagerCore: Sendable {
    private let manager: MessageManager
    private let log: @Sendable (String) -> Void
    private let warn: @Sendable (String) -> Void
    private let errors: GNSErrorHandlers
    private let task: Task<Void, Never>

    init(key: String?, _ paramsBlock: GNSMessageManagerParamsBlock?) {
        let params = GNSMessageManagerParams()
        paramsBlock?(params)
        let environment = GNSEnvironment.current
        (log, warn) = (environment.log, environment.warn)
        if key?.isEmpty != false { log("The manager has no API key: the service will refuse its requests.") }
        manager = MessageManager(key: key ?? "", configuration: environment.configuration)
        errors = GNSErrorHandlers(params)
        // The documents' apps keep their settings in UserDefaults, which the phone's system saved for them.
        SettingsSaver.start()
        task = errors.follow(manager.problems)
    }

    deinit {
        task.cancel()
    }

    func publish(_ message: GNSMessage?, _ params: GNSPublicationParams) -> GNSOperation {
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

    func subscribe(
        found: GNSMessageHandler?, lost: GNSMessageHandler?, _ params: GNSSubscriptionParams
    ) -> GNSOperation {
        let strategy = params.strategy ?? GNSStrategy()
        let handlers = GNSOperationHandlers(params, found: found, lost: lost)
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
        warn("Cannot publish or subscribe: \(error).")
        assertionFailure(error.description)
        return GNSOperation(inactive: handlers)
    }
}
