import EarshotMessages
public import Foundation

/// The strategy to find beacons.
///
/// | iBeacons | low power | radio | location question |
/// |---|---|---|---|
/// | included | ignored | listens all the time | yes |
/// | not included | preferred | pauses between scans: a beacon is found later | no |
/// | not included | not preferred | listens all the time | yes |
///
/// Immutable, and therefore Sendable, as `GNSMessage` is.
open class GNSBeaconStrategy: NSObject, @unchecked Sendable {
    /// Whether to find iBeacons too; true by default.
    public let includeIBeacons: Bool
    /// Whether to continue in the background; false by default. No effect yet, and the debug log says so: beacons are found as
    /// long as the program runs.
    public let allowInBackground: Bool
    /// Whether to save power at the cost of time; true by default. Ignored if iBeacons are included.
    public let lowPowerPreferred: Bool

    /// A strategy with the default values.
    public convenience override init() {
        self.init(paramsBlock: nil)
    }

    /// A strategy with the values that the block sets. Changes to the parameters after the block have no effect. It never fails.
    public init!(paramsBlock: ((GNSBeaconStrategyParams?) -> Void)!) {
        let params = GNSBeaconStrategyParams()
        paramsBlock?(params)
        includeIBeacons = params.includeIBeacons
        allowInBackground = params.allowInBackground
        lowPowerPreferred = params.lowPowerPreferred
        super.init()
    }

    /// The strategy for EarshotMessages.
    var strategy: BeaconStrategy {
        var strategy = BeaconStrategy()
        strategy.includesIBeacons = includeIBeacons
        strategy.prefersLowPower = lowPowerPreferred
        strategy.isAllowedInBackground = allowInBackground
        return strategy
    }
}

/// The parameters of a strategy for beacons.
open class GNSBeaconStrategyParams: NSObject {
    /// Whether to find iBeacons too; true by default.
    open var includeIBeacons = true
    /// Whether to continue in the background, and after the app's end; false by default.
    open var allowInBackground = false
    /// Whether to save power at the cost of time; true by default. Ignored if iBeacons are included.
    open var lowPowerPreferred = true

    /// Parameters with the default values.
    public override init() {}
}
