// The names of C, for apps that were translated word by word.

/// See `GNSDiscoveryMode.broadcast`.
public let kGNSDiscoveryModeBroadcast = GNSDiscoveryMode.broadcast
/// See `GNSDiscoveryMode.scan`.
public let kGNSDiscoveryModeScan = GNSDiscoveryMode.scan
/// See `GNSDiscoveryMode.default`.
public let kGNSDiscoveryModeDefault = GNSDiscoveryMode.default

/// See `GNSDiscoveryMediums.audio`.
public let kGNSDiscoveryMediumsAudio = GNSDiscoveryMediums.audio
/// See `GNSDiscoveryMediums.BLE`.
public let kGNSDiscoveryMediumsBLE = GNSDiscoveryMediums.BLE
/// See `GNSDiscoveryMediums.default`.
public let kGNSDiscoveryMediumsDefault = GNSDiscoveryMediums.default

/// See `GNSDeviceTypes.usingNearby`.
public let kGNSDeviceUsingNearby = GNSDeviceTypes.usingNearby
/// See `GNSDeviceTypes.bleBeacon`.
public let kGNSDeviceBLEBeacon = GNSDeviceTypes.bleBeacon

/// See `GNSOperationStatus.inactive`.
public let kGNSOperationStatusInactive = GNSOperationStatus.inactive
/// See `GNSOperationStatus.starting`.
public let kGNSOperationStatusStarting = GNSOperationStatus.starting
/// See `GNSOperationStatus.active`.
public let kGNSOperationStatusActive = GNSOperationStatus.active
