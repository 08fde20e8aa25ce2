// The names of the C interface, for apps that were translated to Swift literally.

/// The C name of `GNSDiscoveryMode.broadcast`.
public let kGNSDiscoveryModeBroadcast = GNSDiscoveryMode.broadcast
/// The C name of `GNSDiscoveryMode.scan`.
public let kGNSDiscoveryModeScan = GNSDiscoveryMode.scan
/// The C name of `GNSDiscoveryMode.default`.
public let kGNSDiscoveryModeDefault = GNSDiscoveryMode.default

/// The C name of `GNSDiscoveryMediums.audio`.
public let kGNSDiscoveryMediumsAudio = GNSDiscoveryMediums.audio
/// The C name of `GNSDiscoveryMediums.BLE`.
public let kGNSDiscoveryMediumsBLE = GNSDiscoveryMediums.BLE
/// The C name of `GNSDiscoveryMediums.default`.
public let kGNSDiscoveryMediumsDefault = GNSDiscoveryMediums.default

/// The C name of `GNSDeviceTypes.usingNearby`.
public let kGNSDeviceUsingNearby = GNSDeviceTypes.usingNearby
/// The C name of `GNSDeviceTypes.bleBeacon`.
public let kGNSDeviceBLEBeacon = GNSDeviceTypes.bleBeacon

/// The C name of `GNSOperationStatus.inactive`.
public let kGNSOperationStatusInactive = GNSOperationStatus.inactive
/// The C name of `GNSOperationStatus.starting`.
public let kGNSOperationStatusStarting = GNSOperationStatus.starting
/// The C name of `GNSOperationStatus.active`.
public let kGNSOperationStatusActive = GNSOperationStatus.active
