public import NearbyWire

/// How to look for beacons, and at what cost.
///
/// | iBeacons | low power | radio | location question |
/// |---|---|---|---|
/// | included | ignored | listens all the time | yes |
/// | not included | preferred | pauses between scans: a beacon is found later | no |
/// | not included | not preferred | listens all the time | yes |
public struct BeaconStrategy: Sendable, Hashable {
    /// Whether messages of iBeacons are found too; true by default.
    public var includesIBeacons = true
    /// Whether the radio may pause between scans, which delays messages; true by default. No effect if iBeacons are
    /// included.
    public var prefersLowPower = true
    /// Whether to continue while the program is in the background; false by default. It needs `Configuration.agent`.
    /// Without it the manager reports `ManagerProblem.Kind.noBackground`, and looks for beacons as long as it runs.
    public var isAllowedInBackground = false

    /// Eddystone, iBeacon and AltBeacon, in the foreground only.
    public init() {}

    /// The scan that the strategy requests from the radio.
    public var scan: BeaconScan {
        BeaconScan(includesIBeacons: includesIBeacons, prefersLowPower: prefersLowPower && !includesIBeacons)
    }
}
