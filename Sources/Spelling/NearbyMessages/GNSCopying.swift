public import Foundation

// Strategies are immutable, so a copy is the same object. The library reads parameters when their block returns.

extension GNSStrategy: NSCopying {
    /// Returns the same object, which is immutable.
    public func copy(with zone: NSZone? = nil) -> Any { self }
}

extension GNSBeaconStrategy: NSCopying {
    /// Returns the same object, which is immutable.
    public func copy(with zone: NSZone? = nil) -> Any { self }
}

extension GNSStrategyParams: NSCopying {
    /// Returns new parameters with the same values.
    public func copy(with zone: NSZone? = nil) -> Any {
        let copy = GNSStrategyParams()
        copy.discoveryMode = discoveryMode
        copy.discoveryMediums = discoveryMediums
        copy.allowInBackground = allowInBackground
        return copy
    }
}

extension GNSBeaconStrategyParams: NSCopying {
    /// Returns new parameters with the same values.
    public func copy(with zone: NSZone? = nil) -> Any {
        let copy = GNSBeaconStrategyParams()
        copy.includeIBeacons = includeIBeacons
        copy.allowInBackground = allowInBackground
        copy.lowPowerPreferred = lowPowerPreferred
        return copy
    }
}

extension GNSMessageManagerParams: NSCopying {
    /// Returns new parameters with the same values.
    public func copy(with zone: NSZone? = nil) -> Any {
        let copy = GNSMessageManagerParams()
        copy.showBluetoothPowerAlert = showBluetoothPowerAlert
        copy.useBestAudioSessionCategory = useBestAudioSessionCategory
        copy.microphonePermissionErrorHandler = microphonePermissionErrorHandler
        copy.bluetoothPermissionErrorHandler = bluetoothPermissionErrorHandler
        copy.bluetoothPowerErrorHandler = bluetoothPowerErrorHandler
        return copy
    }
}

extension GNSPublicationParams: NSCopying {
    /// Returns new parameters with the same values.
    public func copy(with zone: NSZone? = nil) -> Any {
        let copy = GNSPublicationParams()
        copy.strategy = strategy
        copy.statusHandler = statusHandler
        copy.permissionRequestHandler = permissionRequestHandler
        return copy
    }
}

extension GNSSubscriptionParams: NSCopying {
    /// Returns new parameters with the same values.
    public func copy(with zone: NSZone? = nil) -> Any {
        let copy = GNSSubscriptionParams()
        copy.deviceTypesToDiscover = deviceTypesToDiscover
        copy.messageNamespace = messageNamespace
        copy.type = type
        copy.strategy = strategy
        copy.beaconStrategy = beaconStrategy
        copy.statusHandler = statusHandler
        copy.permissionRequestHandler = permissionRequestHandler
        return copy
    }
}
