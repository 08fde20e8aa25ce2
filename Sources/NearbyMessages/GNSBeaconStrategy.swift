public import Foundation

/// The strategy to find beacons. It has no effect: beacons are not supported here. It exists for apps that set it.
///
/// Immutable, and therefore Sendable, as `GNSMessage` is.
open class GNSBeaconStrategy: NSObject, @unchecked Sendable {
    /// Whether to find iBeacons too; true by default. No effect.
    public let includeIBeacons: Bool
    /// Whether to continue in the background; false by default. No effect.
    public let allowInBackground: Bool
    /// Whether to save power at the cost of time; true by default. No effect.
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
}

/// The parameters of a strategy for beacons.
open class GNSBeaconStrategyParams: NSObject {
    /// Whether to find iBeacons too. No effect.
    open var includeIBeacons = true
    /// Whether to continue in the background. No effect.
    open var allowInBackground = false
    /// Whether to save power at the cost of time. No effect.
    open var lowPowerPreferred = true

    /// Parameters with the default values.
    public override init() {}
}
