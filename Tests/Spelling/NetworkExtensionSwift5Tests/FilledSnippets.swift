// swift-format-ignore-file
// The lines within the functions and of the classes are those of Printed, as a test checks, with one line of an app after each
// of their comments.

import Foundation
import NetworkExtension
import UIKitNames

/// A record of the filled snippets' actions.
@MainActor enum Seen {
    static var error: (any Error)?
    static var saveCount = 0
    static var calls: [[AnyHashable: Any]] = []
    static var loaded: (any Error)?
}

@MainActor enum FilledSnippets {
    static func createConfiguration() -> NEAppPushManager {
        let manager = NEAppPushManager()
        manager.matchSSIDs = [ "Cruise Ship Wi-Fi", "Cruise Ship Staff Wi-Fi" ]
        manager.providerBundleIdentifier = "com.myexample.SimplePush.Provider"
        manager.providerConfiguration = [ "host": "cruiseship.example.com" ]
        manager.isEnabled = true
        manager.saveToPreferences { (error) in
            if let error = error {
                // Handle error
                Seen.error = error
                return
            }
            // Report success
            Seen.saveCount += 1
        }
        return manager
    }
}

class FilledAppDelegate: UIResponder, UIApplicationDelegate, NEAppPushDelegate {
    func application(_ application: UIApplication, didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?) -> Bool {
        NEAppPushManager.loadAllFromPreferences { (managers, error) in
            // Handle non-nil error
            Seen.loaded = error
            for manager in managers {
                manager.delegate = self
            }
        }
        return true
    }
    func appPushManager(_ manager: NEAppPushManager, didReceiveIncomingCallWithUserInfo userInfo: [AnyHashable: Any] = [:]) {
        // Report incoming call to CallKit and let it display call UI
        Seen.calls.append(userInfo)
    }
}
