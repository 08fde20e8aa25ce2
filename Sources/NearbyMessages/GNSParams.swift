/// The parameters of a manager.
public final class GNSMessageManagerParams {
    /// No effect: there is no Bluetooth here to switch on.
    public var showBluetoothPowerAlert = true
    /// No effect: the system mixes the sound with that of other programs.
    public var useBestAudioSessionCategory = true
    /// Receives true when the microphone is needed but missing, forbidden, busy or unusable, and false when it works again.
    public var microphonePermissionErrorHandler: GNSErrorStateHandler?
    /// Receives true, once, when an operation asks for Bluetooth, which is not supported here.
    public var bluetoothPermissionErrorHandler: GNSErrorStateHandler?
    /// The same as `bluetoothPermissionErrorHandler`: apps may set either.
    public var bluetoothPowerErrorHandler: GNSErrorStateHandler?

    /// Parameters with the default values.
    public init() {}
}

/// The parameters of a publication.
public final class GNSPublicationParams {
    /// The directions and media to be found by; nil for the default.
    public var strategy: GNSStrategy! = GNSStrategy()
    /// Receives the status of the publication.
    public var statusHandler: GNSOperationStatusHandler?
    /// Asks the user for permission, in place of the question on the terminal.
    public var permissionRequestHandler: GNSPermissionRequestHandler?

    /// Parameters with the default values.
    public init() {}
}

/// The parameters of a subscription.
public final class GNSSubscriptionParams {
    /// The kinds of devices to find.
    public var deviceTypesToDiscover = GNSDeviceTypes.usingNearby
    /// Only messages of this namespace are found; empty or nil for the project's own.
    public var messageNamespace: String! = ""
    /// Only messages of this type are found; empty or nil for all types.
    public var type: String! = ""
    /// The directions and media to find devices by; nil for the default.
    public var strategy: GNSStrategy! = GNSStrategy()
    /// The strategy to find beacons. No effect.
    public var beaconStrategy: GNSBeaconStrategy! = GNSBeaconStrategy()
    /// Receives the status of the subscription.
    public var statusHandler: GNSOperationStatusHandler?
    /// Asks the user for permission, in place of the question on the terminal.
    public var permissionRequestHandler: GNSPermissionRequestHandler?

    /// Parameters with the default values.
    public init() {}
}
