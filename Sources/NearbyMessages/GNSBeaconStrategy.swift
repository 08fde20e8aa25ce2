/// How to find beacons. Kept for apps that set it: beacons are not supported here.
public final class GNSBeaconStrategy: Sendable {
    /// Whether to look for iBeacons, too; true by default.
    public let includeIBeacons: Bool
    /// Whether to go on in the background; false by default.
    public let allowInBackground: Bool
    /// Whether to save power rather than time; true by default.
    public let lowPowerPreferred: Bool

    /// The defaults.
    public convenience init() {
        self.init(paramsBlock: nil)
    }

    /// What the block sets. What it keeps of the parameters has no effect later.
    public init(paramsBlock: ((GNSBeaconStrategyParams?) -> Void)?) {
        let params = GNSBeaconStrategyParams()
        paramsBlock?(params)
        includeIBeacons = params.includeIBeacons
        allowInBackground = params.allowInBackground
        lowPowerPreferred = params.lowPowerPreferred
    }
}

/// What a strategy for beacons is made of.
public final class GNSBeaconStrategyParams {
    /// Whether to look for iBeacons, too.
    public var includeIBeacons = true
    /// Whether to go on in the background.
    public var allowInBackground = false
    /// Whether to save power rather than time.
    public var lowPowerPreferred = true

    /// The defaults.
    public init() {}
}
