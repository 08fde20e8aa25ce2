public import Foundation

// Strategies do not change: a copy of one is itself, and what an app sets is what stays. Parameters are read when their
// block returns.

extension GNSStrategy: NSCopying {
    /// Itself.
    public func copy(with zone: NSZone? = nil) -> Any { self }
}

extension GNSBeaconStrategy: NSCopying {
    /// Itself.
    public func copy(with zone: NSZone? = nil) -> Any { self }
}

extension GNSStrategyParams: NSCopying {
    /// Another one with the same values.
    public func copy(with zone: NSZone? = nil) -> Any {
        let copy = GNSStrategyParams()
        copy.discoveryMode = discoveryMode
        copy.discoveryMediums = discoveryMediums
        copy.allowInBackground = allowInBackground
        return copy
    }
}

extension GNSBeaconStrategyParams: NSCopying {
    /// Another one with the same values.
    public func copy(with zone: NSZone? = nil) -> Any {
        let copy = GNSBeaconStrategyParams()
        copy.includeIBeacons = includeIBeacons
        copy.allowInBackground = allowInBackground
        copy.lowPowerPreferred = lowPowerPreferred
        return copy
    }
}

extension GNSMessageManagerParams: NSCopying {
    /// Another one with the same values.
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
    /// Another one with the same values.
    public func copy(with zone: NSZone? = nil) -> Any {
        let copy = GNSPublicationParams()
        copy.strategy = strategy
        copy.statusHandler = statusHandler
        copy.permissionRequestHandler = permissionRequestHandler
        return copy
    }
}

extension GNSSubscriptionParams: NSCopying {
    /// Another one with the same values.
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
