import EarshotDiscovery
public import Foundation

/// The directions and media of an operation. Immutable, and therefore Sendable, as `GNSMessage` is.
open class GNSStrategy: NSObject, @unchecked Sendable {
    /// The directions; both by default.
    public let discoveryMode: GNSDiscoveryMode
    /// The media; all by default.
    public let discoveryMediums: GNSDiscoveryMediums
    /// Whether to continue in the background, and after the app's end; false by default. The operation then uses Bluetooth only,
    /// and needs `earshot-agent` and a manifest that declares it.
    public let allowInBackground: Bool

    /// A strategy with the default values.
    public convenience override init() {
        self.init(paramsBlock: nil)
    }

    /// A strategy with the values that the block sets. Changes to the parameters after the block have no effect. It never fails.
    public init!(paramsBlock: ((GNSStrategyParams?) -> Void)!) {
        let params = GNSStrategyParams()
        paramsBlock?(params)
        discoveryMode = params.discoveryMode
        discoveryMediums = params.discoveryMediums
        allowInBackground = params.allowInBackground
        super.init()
    }

    /// The strategy for EarshotMessages.
    var strategy: DiscoveryStrategy {
        var strategy = DiscoveryStrategy()
        strategy.mode = DiscoveryMode(rawValue: discoveryMode.intersection(.default).rawValue)
        if !discoveryMediums.isSuperset(of: .default) {
            let kinds: [(GNSDiscoveryMediums, DiscoveryMediumKind)] = [(.audio, .audio), (.BLE, .bluetooth)]
            strategy.media = Set(kinds.filter { discoveryMediums.contains($0.0) }.map(\.1))
        }
        strategy.isAllowedInBackground = allowInBackground
        return strategy
    }
}

/// The parameters of a strategy.
open class GNSStrategyParams: NSObject {
    /// The directions; both by default.
    open var discoveryMode = GNSDiscoveryMode.default
    /// The media; all by default.
    open var discoveryMediums = GNSDiscoveryMediums.default
    /// Whether to continue in the background; false by default.
    open var allowInBackground = false

    /// Parameters with the default values.
    public override init() {}
}
