import EarshotMessages

/// The directions of discovery, as an option set.
public struct GNSDiscoveryMode: OptionSet, Sendable, Hashable {
    /// The bits: 1 for broadcast, 2 for scan.
    public let rawValue: Int

    /// A mode of these bits; other bits have no effect.
    public init(rawValue: Int) { self.rawValue = rawValue }

    /// To be found: plays tokens.
    public static let broadcast = GNSDiscoveryMode(rawValue: 1)
    /// To find: listens for tokens.
    public static let scan = GNSDiscoveryMode(rawValue: 2)
    /// Both directions, which is the default.
    public static let `default`: GNSDiscoveryMode = [.broadcast, .scan]
    /// `broadcast` in the spelling of Swift 2.
    public static let Broadcast = GNSDiscoveryMode.broadcast
    /// `scan` in the spelling of Swift 2.
    public static let Scan = GNSDiscoveryMode.scan
    /// `default` in the spelling of Swift 2.
    public static let Default = GNSDiscoveryMode.default
}

/// The media of discovery, as an option set.
public struct GNSDiscoveryMediums: OptionSet, Sendable, Hashable {
    /// The bits: 1 for audio, 2 for Bluetooth.
    public let rawValue: Int

    /// Media of these bits; other bits have no effect.
    public init(rawValue: Int) { self.rawValue = rawValue }

    /// Near-ultrasound.
    public static let audio = GNSDiscoveryMediums(rawValue: 1)
    /// Bluetooth Low Energy, with an adapter of BlueZ. If it is missing, off or forbidden, the manager calls its
    /// Bluetooth handlers, and the operation continues when it works.
    public static let BLE = GNSDiscoveryMediums(rawValue: 2)
    /// All media that the machine has.
    public static let `default`: GNSDiscoveryMediums = [.audio, .BLE]
    /// `BLE` in lower case.
    public static let ble = GNSDiscoveryMediums.BLE
    /// `audio` in the spelling of Swift 2.
    public static let Audio = GNSDiscoveryMediums.audio
    /// `default` in the spelling of Swift 2.
    public static let Default = GNSDiscoveryMediums.default
}

/// The kinds of devices that a subscription finds, as an option set.
public struct GNSDeviceTypes: OptionSet, Sendable, Hashable {
    /// The bits: 1 for devices that publish, 2 for beacons.
    public let rawValue: Int

    /// Kinds of these bits; other bits have no effect.
    public init(rawValue: Int) { self.rawValue = rawValue }

    /// Devices that publish messages.
    public static let usingNearby = GNSDeviceTypes(rawValue: 1)
    /// Bluetooth beacons: the messages that are attached to them.
    public static let bleBeacon = GNSDeviceTypes(rawValue: 2)
    /// `usingNearby` in the spelling of Swift 2.
    public static let UsingNearby = GNSDeviceTypes.usingNearby
    /// `bleBeacon` in the spelling of Swift 2.
    public static let BLEBeacon = GNSDeviceTypes.bleBeacon
}

/// The progress of a publication or subscription.
public enum GNSOperationStatus: UInt, Sendable {
    /// Not permitted (yet), ended, or without a medium to run on.
    case inactive = 0
    /// Permitted, but the service has not accepted it yet.
    case starting
    /// Other devices can find it, or it can find messages.
    case active

    init(_ status: OperationStatus) {
        self =
            switch status {
            case .inactive: .inactive
            case .starting: .starting
            case .active: .active
            }
    }
}
