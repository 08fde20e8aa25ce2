// swift-format-ignore-file
// The lines within the functions and the classes are those of Printed, as a test checks.

import Foundation
import NetworkExtension
import UIKitNames

/// The document's snippets, as they were printed. Main actor, like the apps they were written for.
@MainActor enum Snippets {
    static func createConfiguration() -> NEAppPushManager {
        let manager = NEAppPushManager()
        manager.matchSSIDs = [ "Cruise Ship Wi-Fi", "Cruise Ship Staff Wi-Fi" ]
        manager.providerBundleIdentifier = "com.myexample.SimplePush.Provider"
        manager.providerConfiguration = [ "host": "cruiseship.example.com" ]
        manager.isEnabled = true
        manager.saveToPreferences { (error) in
            if let error = error {
                // Handle error
                return
            }
            // Report success
        }
        return manager
    }
}

// Manage App Extension life cycle and report VoIP call
class SimplePushProvider: NEAppPushProvider {
    override func start(completionHandler: @escaping (Error?) -> Void) {
        // Connect to your provider server
        completionHandler(nil)
    }
    override func stop(with reason: NEProviderStopReason, completionHandler: @escaping () -> Void) {
        // Disconnect your provider server
        completionHandler()
    }
    func handleIncomingVoIPCall(callInfo: [AnyHashable : Any]) {
        reportIncomingCall(userInfo: callInfo)
    }
}

class AppDelegate: UIResponder, UIApplicationDelegate, NEAppPushDelegate {
    func application(_ application: UIApplication, didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?) -> Bool {
        NEAppPushManager.loadAllFromPreferences { (managers, error) in
            // Handle non-nil error
            for manager in managers {
                manager.delegate = self
            }
        }
        return true
    }
    func appPushManager(_ manager: NEAppPushManager, didReceiveIncomingCallWithUserInfo userInfo: [AnyHashable: Any] = [:]) {
        // Report incoming call to CallKit and let it display call UI
    }
}
