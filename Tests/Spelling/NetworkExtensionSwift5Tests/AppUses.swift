// swift-format-ignore-file
// Lines as apps write them for the original module, in language modes 5 and 6.

import Foundation
import NetworkExtension

/// A provider with its own initializer, like the one in the document's sample.
class OwnProvider: NEAppPushProvider {
    private let name: String
    private var count = 0

    override init() {
        name = "own"
        super.init()
    }

    override func start() { count += 1 }

    override func handleTimerEvent() {
        guard let host = providerConfiguration?["host"] as? String else { return }
        print(host, name, count)
    }

    override func stop(with reason: NEProviderStopReason, completionHandler: @escaping () -> Void) {
        switch reason {
        case .none, .userInitiated, .providerFailed, .noNetworkAvailable, .unrecoverableNetworkChange, .providerDisabled: break
        case .authenticationCanceled, .configurationFailed, .idleTimeout, .configurationDisabled: break
        case .configurationRemoved, .superceded, .userLogout, .userSwitch, .connectionFailed, .sleep, .appUpdate: break
        @unknown default: break
        }
        completionHandler()
    }

    func report() {
        reportIncomingCall()
        reportPushToTalkMessage(userInfo: ["text": "hello"])
        unmatchEthernet()
    }
}

@MainActor final class ConfigurationUses {
    var manager: NEAppPushManager?
    var isActive = false
    var observation: NEAppPushObservation?

    func load() {
        NEAppPushManager.loadAllFromPreferences { managers, error in
            if let error = error { return print(error) }
            guard let manager = managers?.first else { return }
            self.manager = manager
            manager.loadFromPreferences { error in print(error ?? "loaded") }
        }
        NEAppPushManager.loadAllFromPreferences { _, _ in }
    }

    func asynchronously() async throws {
        let managers = try await NEAppPushManager.loadAllFromPreferences()
        let manager = managers.first ?? NEAppPushManager()
        try await manager.loadFromPreferences()
        let network = NEPrivateLTENetwork()
        network.mobileCountryCode = "310"
        network.mobileNetworkCode = "410"
        network.trackingAreaCode = nil
        manager.matchPrivateLTENetworks = [network]
        manager.matchEthernet = true
        manager.localizedDescription = "Ship"
        try await manager.saveToPreferences()
        observation = manager.observeActive { self.isActive = $0 }
        do {
            try await manager.removeFromPreferences()
        } catch NEAppPushManagerError.configurationNotLoaded {
            print("not there")
        } catch let error as NEAppPushManagerError where error.code == .internalError {
            print((error as NSError).domain == NEAppPushErrorDomain)
        }
    }
}
