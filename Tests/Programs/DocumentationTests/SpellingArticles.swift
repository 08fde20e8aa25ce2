import CallKit
import Foundation
import NetworkExtension

/// Compiled, not run: this code changes the user's configuration and rings on the user's desktop.
enum SpellingCode {
    static func name() async throws {
        let manager = NEAppPushManager()
        manager.matchSSIDs = ["Cruise Ship Wi-Fi"]
        manager.providerBundleIdentifier = "com.example.SimplePush.Provider"
        manager.isEnabled = true
        try await manager.saveToPreferences()
    }

    static func ring(_ phone: any CXProviderDelegate) async throws {
        let provider = CXProvider(configuration: CXProviderConfiguration())
        provider.setDelegate(phone, queue: nil)
        let update = CXCallUpdate()
        update.remoteHandle = CXHandle(type: .generic, value: "Ann")
        try await provider.reportNewIncomingCall(with: UUID(), update: update)
    }
}
