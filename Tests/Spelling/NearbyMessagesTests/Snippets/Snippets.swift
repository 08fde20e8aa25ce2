// swift-format-ignore-file
// The lines within the functions are those of Printed, as a test checks.

import Foundation
import NearbyMessages

/// The documents' snippets, as they were printed. Main actor, like the apps they were written for.
@MainActor enum Snippets {
    static func createManager() -> GNSMessageManager! {
        let messageManager = GNSMessageManager(APIKey: "API_KEY")
        return messageManager
    }

    static func publish(_ messageManager: GNSMessageManager, name: String) -> (any GNSPublication)? {
        let publication =
        messageManager.publication(with: GNSMessage(content: name.data(using: .utf8)))
        return publication
    }

    static func subscribe(_ messageManager: GNSMessageManager) -> (any GNSSubscription)? {
        let subscription =
        messageManager.subscription(messageFoundHandler: { (message: GNSMessage?) in
        // Add the name to a list for display
        },
        messageLostHandler: { (message: GNSMessage?) in
        // Remove the name from the list
        })
        return subscription
    }

    static func publishByScanning(_ messageManager: GNSMessageManager, message: GNSMessage) -> (any GNSPublication)? {
        let publication = messageManager.publication(with: message,
        paramsBlock: { (params: GNSPublicationParams?) in
        guard let params = params else { return }
        params.strategy = GNSStrategy(paramsBlock: { (params: GNSStrategyParams?) in
        guard let params = params else { return }
        params.discoveryMediums = .audio
        params.discoveryMode = .scan
        })
        })
        return publication
    }

    static func enableDebugLogging() {
        GNSMessageManager.setDebugLoggingEnabled(true)
    }

    static func trackPermission() -> GNSPermission! {
        let nearbyPermission = GNSPermission(changedHandler: { (granted: Bool) in
        // Update the UI here
        })
        return nearbyPermission
    }

    static func togglePermission() {
        let permissionState = GNSPermission.isGranted()
        GNSPermission.setGranted(!permissionState) // toggle the state
    }

    static func trackSettings(API_KEY: String) -> GNSMessageManager! {
        let messageManager = GNSMessageManager(
        APIKey: API_KEY,
        paramsBlock: { (params: GNSMessageManagerParams?) in
        guard let params = params else { return }
        params.microphonePermissionErrorHandler = { (hasError: Bool) in
        // Update the UI for microphone permission
        }
        params.bluetoothPowerErrorHandler = { (hasError: Bool) in
        // Update the UI for Bluetooth power
        }
        params.bluetoothPermissionErrorHandler = { (hasError: Bool) in
        // Update the UI for Bluetooth permission
        }
        })
        return messageManager
    }

    static func askByOwnDialog(_ messageManager: GNSMessageManager, name: String) -> (any GNSPublication)? {
        let publication =
        messageManager.publication(with: GNSMessage(content: name.data(using: .utf8)),
        paramsBlock: { (params: GNSPublicationParams?) in
        guard let params = params else { return }
        params.permissionRequestHandler = { (permissionHandler: GNSPermissionHandler?) in
        // Show your custom dialog here.
        // Don't forget to call permissionHandler() with true or false when the user dismisses it.
        }
        })
        return publication
    }

    static func subscribeToBeacons(
        _ messageManager: GNSMessageManager, found myMessageFoundHandler: @escaping GNSMessageHandler,
        lost myMessageLostHandler: @escaping GNSMessageHandler
    ) -> (any GNSSubscription)? {
        let beaconSubscription = messageManager.subscriptionWithMessageFoundHandler(
        myMessageFoundHandler, messageLostHandler: myMessageLostHandler,
        paramsBlock: { (params: GNSSubscriptionParams!) in
        params.deviceTypesToDiscover = .BLEBeacon
        })
        return beaconSubscription
    }

    static func subscribeToBeaconType(
        _ messageManager: GNSMessageManager, found myMessageFoundHandler: @escaping GNSMessageHandler,
        lost myMessageLostHandler: @escaping GNSMessageHandler
    ) -> (any GNSSubscription)? {
        let beaconSubscription = messageManager.subscriptionWithMessageFoundHandler(
        myMessageFoundHandler, messageLostHandler: myMessageLostHandler,
        paramsBlock: { (params: GNSSubscriptionParams!) in
        params.deviceTypesToDiscover = .BLEBeacon
        params.messageNamespace = "com.mycompany.mybeaconservice"
        params.type = "mybeacontype"
        })
        return beaconSubscription
    }

    static func subscribeToEddystone(
        _ messageManager: GNSMessageManager, found myMessageFoundHandler: @escaping GNSMessageHandler,
        lost myMessageLostHandler: @escaping GNSMessageHandler
    ) -> (any GNSSubscription)? {
        let beaconSubscription = messageManager.subscriptionWithMessageFoundHandler(
        myMessageFoundHandler, messageLostHandler: myMessageLostHandler,
        paramsBlock: { (params: GNSSubscriptionParams!) in
        params.deviceTypesToDiscover = .BLEBeacon
        params.beaconStrategy =
        GNSBeaconStrategy(paramsBlock: { (params: GNSBeaconStrategyParams!) in
        params.includeIBeacons = false
        })
        })
        return beaconSubscription
    }

    static func subscribeInHighPower(
        _ messageManager: GNSMessageManager, found myMessageFoundHandler: @escaping GNSMessageHandler,
        lost myMessageLostHandler: @escaping GNSMessageHandler
    ) -> (any GNSSubscription)? {
        let beaconSubscription = messageManager.subscriptionWithMessageFoundHandler(
        myMessageFoundHandler, messageLostHandler: myMessageLostHandler,
        paramsBlock: { (params: GNSSubscriptionParams!) in
        params.deviceTypesToDiscover = .BLEBeacon
        params.beaconStrategy =
        GNSBeaconStrategy(paramsBlock: { (params: GNSBeaconStrategyParams!) in
        params.includeIBeacons = false
        params.lowPowerPreferred = false
        })
        })
        return beaconSubscription
    }

    static func subscribeToBeaconsByOwnDialog(
        _ messageManager: GNSMessageManager, found myMessageFoundHandler: @escaping GNSMessageHandler,
        lost myMessageLostHandler: @escaping GNSMessageHandler, userGavePermission: Bool
    ) -> (any GNSSubscription)? {
        let beaconSubscription = messageManager.subscriptionWithMessageFoundHandler(
        myMessageFoundHandler, messageLostHandler: myMessageLostHandler,
        paramsBlock: { (params: GNSSubscriptionParams!) in
        params.deviceTypesToDiscover = .BLEBeacon
        params.permissionRequestHandler = { (permissionHandler: GNSPermissionHandler!) in
        // Show your custom dialog here, and don't forget to call permissionHandler after it is dismissed
        permissionHandler(userGavePermission);
        }
        })
        return beaconSubscription
    }

    static func registerForNotifications() {
        UIApplication.shared.registerUserNotificationSettings( UIUserNotificationSettings(types: [.alert, .badge, .sound], categories: nil))
    }

    static func notifyWhenFound() -> GNSMessageHandler {
        let myMessageFoundHandler: GNSMessageHandler = { (message: GNSMessage?) in
            // Send a local notification if not in the foreground.
            if UIApplication.shared.applicationState != .active {
                let localNotification = UILocalNotification()
                localNotification.alertBody = "Message received"
                UIApplication.shared.presentLocalNotificationNow(localNotification)
            }
            // Process the new message...
        }
        return myMessageFoundHandler
    }
}
