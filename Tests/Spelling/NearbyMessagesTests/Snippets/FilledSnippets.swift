// swift-format-ignore-file
// The lines within the functions are those of Printed, as a test checks, with one line of an app after each of their comments.

import Foundation
import NearbyMessages

/// The snippets that leave a part to the app, with an app's code in that place.
@MainActor enum FilledSnippets {
    static func subscribe(
        _ messageManager: GNSMessageManager, found: @escaping GNSMessageHandler, lost: @escaping GNSMessageHandler
    ) -> (any GNSSubscription)? {
        let subscription =
        messageManager.subscription(messageFoundHandler: { (message: GNSMessage?) in
        // Add the name to a list for display
        found(message)
        },
        messageLostHandler: { (message: GNSMessage?) in
        // Remove the name from the list
        lost(message)
        })
        return subscription
    }

    static func trackPermission(changed: @escaping GNSPermissionHandler) -> GNSPermission! {
        let nearbyPermission = GNSPermission(changedHandler: { (granted: Bool) in
        // Update the UI here
        changed(granted)
        })
        return nearbyPermission
    }

    static func trackSettings(
        API_KEY: String, microphone: @escaping GNSErrorStateHandler, power: @escaping GNSErrorStateHandler,
        permission: @escaping GNSErrorStateHandler
    ) -> GNSMessageManager! {
        let messageManager = GNSMessageManager(
        APIKey: API_KEY,
        paramsBlock: { (params: GNSMessageManagerParams?) in
        guard let params = params else { return }
        params.microphonePermissionErrorHandler = { (hasError: Bool) in
        // Update the UI for microphone permission
        microphone(hasError)
        }
        params.bluetoothPowerErrorHandler = { (hasError: Bool) in
        // Update the UI for Bluetooth power
        power(hasError)
        }
        params.bluetoothPermissionErrorHandler = { (hasError: Bool) in
        // Update the UI for Bluetooth permission
        permission(hasError)
        }
        })
        return messageManager
    }

    static func askByOwnDialog(
        _ messageManager: GNSMessageManager, name: String, dialog: @escaping GNSPermissionRequestHandler
    ) -> (any GNSPublication)? {
        let publication =
        messageManager.publication(with: GNSMessage(content: name.data(using: .utf8)),
        paramsBlock: { (params: GNSPublicationParams?) in
        guard let params = params else { return }
        params.permissionRequestHandler = { (permissionHandler: GNSPermissionHandler?) in
        // Show your custom dialog here.
        // Don't forget to call permissionHandler() with true or false when the user dismisses it.
        dialog(permissionHandler)
        }
        })
        return publication
    }
}
