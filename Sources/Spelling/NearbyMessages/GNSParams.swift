public import Foundation

/// The parameters of a manager.
open class GNSMessageManagerParams: NSObject {
    /// No effect: no alert is shown. `bluetoothPowerErrorHandler` informs the app.
    open var showBluetoothPowerAlert = true
    /// No effect: the system mixes the sound with that of other programs.
    open var useBestAudioSessionCategory = true
    /// `showBluetoothPowerAlert` in the spelling of Swift 3 and later.
    open var shouldShowBluetoothPowerAlert: Bool {
        get { showBluetoothPowerAlert }
        set { showBluetoothPowerAlert = newValue }
    }
    /// `useBestAudioSessionCategory` in the spelling of Swift 3 and later.
    open var shouldUseBestAudioSessionCategory: Bool {
        get { useBestAudioSessionCategory }
        set { useBestAudioSessionCategory = newValue }
    }
    /// Receives true when the microphone is needed but missing, forbidden, busy or unusable, and false when it works again.
    open var microphonePermissionErrorHandler: GNSErrorStateHandler!
    /// Receives true when Bluetooth is needed but the system denies the program access to it, and false when it works again.
    open var bluetoothPermissionErrorHandler: GNSErrorStateHandler!
    /// Receives true when Bluetooth is needed but switched off, missing or unusable, and false when it works again.
    open var bluetoothPowerErrorHandler: GNSErrorStateHandler!

    /// Parameters with the default values.
    public override init() {}
}

/// The parameters of a publication.
open class GNSPublicationParams: NSObject {
    /// The directions and media to be found by; nil for the default.
    open var strategy: GNSStrategy! = GNSStrategy()
    /// Receives the status of the publication.
    open var statusHandler: GNSOperationStatusHandler!
    /// Asks the user for permission, in place of the question on the terminal.
    open var permissionRequestHandler: GNSPermissionRequestHandler!

    /// Parameters with the default values.
    public override init() {}
}

/// The parameters of a subscription.
open class GNSSubscriptionParams: NSObject {
    /// The kinds of devices to find.
    open var deviceTypesToDiscover = GNSDeviceTypes.usingNearby
    /// Only messages of this namespace are found; empty or nil for the project's own, and for all namespaces of its own beacons.
    open var messageNamespace: String! = ""
    /// Only messages of this type are found; empty or nil for all types.
    open var type: String! = ""
    /// The directions and media to find devices by; nil for the default.
    open var strategy: GNSStrategy! = GNSStrategy()
    /// The strategy to find beacons; nil for the default.
    open var beaconStrategy: GNSBeaconStrategy! = GNSBeaconStrategy()
    /// Receives the status of the subscription.
    open var statusHandler: GNSOperationStatusHandler!
    /// Asks the user for permission, in place of the question on the terminal.
    open var permissionRequestHandler: GNSPermissionRequestHandler!

    /// Parameters with the default values.
    public override init() {}
}
