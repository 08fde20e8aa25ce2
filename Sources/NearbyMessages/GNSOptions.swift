import EarshotMessages

/// The directions of discovery.
public struct GNSDiscoveryMode: OptionSet, Sendable, Hashable {
    /// The bits.
    public let rawValue: UInt

    /// A mode of those bits.
    public init(rawValue: UInt) { self.rawValue = rawValue }

    /// Be found: say tokens.
    public static let broadcast = GNSDiscoveryMode(rawValue: 1)
    /// Find: listen for tokens.
    public static let scan = GNSDiscoveryMode(rawValue: 2)
    /// Both.
    public static let `default`: GNSDiscoveryMode = [.broadcast, .scan]
    /// The spelling of Swift 2.
    public static let Broadcast = GNSDiscoveryMode.broadcast
    /// The spelling of Swift 2.
    public static let Scan = GNSDiscoveryMode.scan
    /// The spelling of Swift 2.
    public static let Default = GNSDiscoveryMode.default
}

/// The media of discovery.
public struct GNSDiscoveryMediums: OptionSet, Sendable, Hashable {
    /// The bits.
    public let rawValue: UInt

    /// Media of those bits.
    public init(rawValue: UInt) { self.rawValue = rawValue }

    /// Near-ultrasound.
    public static let audio = GNSDiscoveryMediums(rawValue: 1)
    /// Bluetooth Low Energy, which is not supported here: what asks for nothing else stays inactive, and the manager's
    /// Bluetooth handlers are told.
    public static let BLE = GNSDiscoveryMediums(rawValue: 2)
    /// All there are: audio, here.
    public static let `default`: GNSDiscoveryMediums = [.audio, .BLE]
    /// Another spelling.
    public static let ble = GNSDiscoveryMediums.BLE
    /// The spelling of Swift 2.
    public static let Audio = GNSDiscoveryMediums.audio
    /// The spelling of Swift 2.
    public static let Default = GNSDiscoveryMediums.default
}

/// What a subscription finds.
public struct GNSDeviceTypes: OptionSet, Sendable, Hashable {
    /// The bits.
    public let rawValue: UInt

    /// Types of those bits.
    public init(rawValue: UInt) { self.rawValue = rawValue }

    /// Devices that publish.
    public static let usingNearby = GNSDeviceTypes(rawValue: 1)
    /// Bluetooth beacons, which are not supported here: a subscription to nothing else stays inactive, and the manager's Bluetooth
    /// handlers are told.
    public static let bleBeacon = GNSDeviceTypes(rawValue: 2)
    /// The spelling of Swift 2.
    public static let UsingNearby = GNSDeviceTypes.usingNearby
    /// The spelling of Swift 2.
    public static let BLEBeacon = GNSDeviceTypes.bleBeacon
}

/// What a publication or subscription is doing.
public enum GNSOperationStatus: UInt, Sendable {
    /// Nothing: not permitted (yet), over, or there is nothing it could work with.
    case inactive = 0
    /// On its way.
    case starting
    /// Working.
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
