import EarshotPush
public import Foundation
import NearbyWire

/// The reason why a provider stops.
public enum NEProviderStopReason: Int, Sendable {
    /// The agent ended, or was ended.
    case none = 0
    case userInitiated
    /// The provider's start failed.
    case providerFailed
    /// The device left the network that the configuration names.
    case noNetworkAvailable
    case unrecoverableNetworkChange
    case providerDisabled
    case authenticationCanceled
    case configurationFailed
    case idleTimeout
    /// The app or the user switched the configuration off.
    case configurationDisabled
    /// The app or the user removed the configuration.
    case configurationRemoved
    /// Another configuration that names the same network was switched on, or the configuration itself was saved with other values.
    case superceded
    case userLogout
    case userSwitch
    case connectionFailed
    /// The machine goes to sleep.
    case sleep
    /// The provider's program was replaced.
    case appUpdate

    init(_ reason: PushStopReason) { self = NEProviderStopReason(rawValue: reason.rawValue) ?? .none }
}

/// The superclass of providers.
open class NEProvider: NSObject {
    /// A provider.
    public override init() { super.init() }
}
