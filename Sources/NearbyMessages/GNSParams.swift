/// What a manager is made with.
public final class GNSMessageManagerParams {
    /// Without effect: there is no Bluetooth here to be switched on.
    public var showBluetoothPowerAlert = true
    /// Without effect: what is said mixes with what other programs play.
    public var useBestAudioSessionCategory = true
    /// Gets true when the microphone is needed and missing, forbidden, taken or unusable, and false when it works again.
    public var microphonePermissionErrorHandler: GNSErrorStateHandler?
    /// Gets true, once, when something asks for Bluetooth: it is not supported here.
    public var bluetoothPermissionErrorHandler: GNSErrorStateHandler?
    /// The same as `bluetoothPermissionErrorHandler`: apps may set either.
    public var bluetoothPowerErrorHandler: GNSErrorStateHandler?

    /// The defaults.
    public init() {}
}

/// What a publication is made with.
public final class GNSPublicationParams {
    /// How to be found; nil is the default.
    public var strategy: GNSStrategy! = GNSStrategy()
    /// Gets what the publication is doing.
    public var statusHandler: GNSOperationStatusHandler?
    /// Asks the user for permission, in place of the question of ours.
    public var permissionRequestHandler: GNSPermissionRequestHandler?

    /// The defaults.
    public init() {}
}

/// What a subscription is made with.
public final class GNSSubscriptionParams {
    /// What to find.
    public var deviceTypesToDiscover = GNSDeviceTypes.usingNearby
    /// Only messages of this namespace; empty, or nil, is the project's own.
    public var messageNamespace: String! = ""
    /// Only messages of this type; empty, or nil, is all.
    public var type: String! = ""
    /// How to find devices; nil is the default.
    public var strategy: GNSStrategy! = GNSStrategy()
    /// How to find beacons; kept, and without effect.
    public var beaconStrategy: GNSBeaconStrategy! = GNSBeaconStrategy()
    /// Gets what the subscription is doing.
    public var statusHandler: GNSOperationStatusHandler?
    /// Asks the user for permission, in place of the question of ours.
    public var permissionRequestHandler: GNSPermissionRequestHandler?

    /// The defaults.
    public init() {}
}
