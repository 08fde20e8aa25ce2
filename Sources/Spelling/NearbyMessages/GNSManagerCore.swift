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
        // The documents' apps store their settings in UserDefaults, which the phone's system saved for them.
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
        let types = params.deviceTypesToDiscover
        let wantsDevices = types.contains(.usingNearby)
        guard wantsDevices || types.contains(.bleBeacon) else {
            log("The subscription names no kind of devices to find.")
            return GNSOperation(inactive: handlers)
        }
        let beacons = types.contains(.bleBeacon) ? params.beaconStrategy ?? GNSBeaconStrategy() : nil
        let (namespace, type) = (params.messageNamespace ?? "", params.type ?? "")
        let consent = handlers.consentHandler(log: log)
        do throws(MessageError) {
            let subscription: Subscription
            if let beacons {
                subscription = try manager.subscribe(
                    namespace: namespace, type: type, beacons: beacons.strategy,
                    strategy: wantsDevices ? strategy.strategy : nil, consent: consent)
            } else {
                subscription = try manager.subscribe(
                    namespace: namespace, type: type, strategy: strategy.strategy, consent: consent)
            }
            return GNSOperation(subscription: subscription, handlers: handlers)
        } catch {
            return refuse(error, handlers)
        }
    }

    private func refuse(_ error: MessageError, _ handlers: GNSOperationHandlers) -> GNSOperation {
        warn("Cannot publish or subscribe: \(error).")
        assertionFailure(error.description)
        return GNSOperation(inactive: handlers)
    }
}
