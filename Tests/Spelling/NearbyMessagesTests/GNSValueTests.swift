import Foundation
import NearbyMessages
import Testing

/// Values of the original interface: defaults, spellings, copies.
@Suite struct GNSValueTests {
    @Test func `messages are equal by namespace, type and content`() {
        let message = GNSMessage(content: Data("a".utf8))
        #expect(message.type == "" && message.messageNamespace == "")
        #expect(message == GNSMessage(content: Data("a".utf8), type: nil))
        #expect(message != GNSMessage(content: Data("a".utf8), type: "t"))
        #expect(message != GNSMessage(content: Data("b".utf8)))
        #expect(Set([message, GNSMessage(content: Data("a".utf8), type: "")]).count == 1)
        #expect(GNSMessage(content: nil).content.isEmpty)
        #expect(kGNSMessageMaximumContentSize == 102_400 && kGNSMessageMaximumTypeLength == 32)
    }

    @Test func `options have the bits and both spellings of the original`() {
        #expect(GNSDiscoveryMode.broadcast.rawValue == 1 && GNSDiscoveryMode.scan.rawValue == 2)
        #expect(GNSDiscoveryMode.default.rawValue == 3 && GNSDiscoveryMode.default == [.Broadcast, .Scan])
        #expect(GNSDiscoveryMediums.audio.rawValue == 1 && GNSDiscoveryMediums.BLE.rawValue == 2)
        #expect(GNSDiscoveryMediums.default.rawValue == 3 && GNSDiscoveryMediums.default == [.Audio, .ble])
        #expect(GNSDeviceTypes.usingNearby.rawValue == 1 && GNSDeviceTypes.BLEBeacon.rawValue == 2)
        #expect(GNSDeviceTypes([.usingNearby, .bleBeacon]).rawValue == 3)
        #expect([.inactive, .starting, .active].map(\GNSOperationStatus.rawValue) == [0, 1, 2])
        #expect(kGNSDiscoveryModeBroadcast == .broadcast && kGNSDiscoveryModeScan == .scan)
        #expect(kGNSDiscoveryModeDefault == .default && kGNSDiscoveryMediumsDefault == .default)
        #expect(kGNSDiscoveryMediumsAudio == .audio && kGNSDiscoveryMediumsBLE == .BLE)
        #expect(kGNSDeviceUsingNearby == .usingNearby && kGNSDeviceBLEBeacon == .bleBeacon)
        #expect(kGNSOperationStatusInactive == .inactive && kGNSOperationStatusStarting == .starting)
        #expect(kGNSOperationStatusActive == .active)
    }

    @Test func `defaults are those of the original`() {
        let strategy = GNSStrategy()
        #expect(strategy.discoveryMode == .default && strategy.discoveryMediums == .default)
        #expect(!strategy.allowInBackground)
        let beacons = GNSBeaconStrategy()
        #expect(beacons.includeIBeacons && !beacons.allowInBackground && beacons.lowPowerPreferred)
        let manager = GNSMessageManagerParams()
        #expect(manager.showBluetoothPowerAlert && manager.useBestAudioSessionCategory)
        let subscription = GNSSubscriptionParams()
        #expect(subscription.deviceTypesToDiscover == .usingNearby)
        #expect(subscription.messageNamespace == "" && subscription.type == "")
        #expect(subscription.strategy != nil && subscription.beaconStrategy != nil)
        #expect(GNSPublicationParams().strategy != nil && GNSPublicationParams().statusHandler == nil)
    }

    @Test func `later changes of parameters have no effect`() throws {
        var kept: GNSStrategyParams?
        let strategy: GNSStrategy = GNSStrategy { params in
            params?.discoveryMode = .scan
            kept = params
        }
        kept?.discoveryMode = .broadcast
        #expect(strategy.discoveryMode == .scan)
        let params = GNSPublicationParams()
        params.strategy = strategy
        let copy = try #require(params.copy() as? GNSPublicationParams)
        params.strategy = nil
        #expect(copy.strategy.discoveryMode == .scan)
        let subscription = GNSSubscriptionParams()
        (subscription.type, subscription.messageNamespace) = ("t", "n")
        subscription.beaconStrategy = GNSBeaconStrategy { $0?.includeIBeacons = false }
        let other = try #require(subscription.copy() as? GNSSubscriptionParams)
        #expect(other.type == "t" && other.messageNamespace == "n" && !other.beaconStrategy.includeIBeacons)
        #expect(strategy.copy() as? GNSStrategy === strategy)
    }

    @Test func `apps of both eras compile`() {
        // The spelling of the beacon guide, and handlers with `!`.
        let strategy: GNSBeaconStrategy = GNSBeaconStrategy(paramsBlock: { (params: GNSBeaconStrategyParams!) in
            params.lowPowerPreferred = false
        })
        #expect(!strategy.lowPowerPreferred)
        let found: GNSMessageHandler = { (_: GNSMessage?) in }
        func subscribe(_ messageManager: GNSMessageManager) -> (any GNSSubscription)? {
            messageManager.subscriptionWithMessageFoundHandler(
                found, messageLostHandler: { (_: GNSMessage!) in },
                paramsBlock: { (params: GNSSubscriptionParams!) in
                    params.deviceTypesToDiscover = .BLEBeacon
                    params.permissionRequestHandler = { (permissionHandler: GNSPermissionHandler!) in
                        permissionHandler(true)
                    }
                })
        }
        func publish(_ messageManager: GNSMessageManager) -> (any GNSPublication)? {
            messageManager.publicationWithMessage(GNSMessage(content: nil))
        }
        withExtendedLifetime((subscribe, publish)) {}
    }
}
