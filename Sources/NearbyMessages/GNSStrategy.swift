import EarshotDiscovery

/// How to find and be found. Does not change once it is made.
public final class GNSStrategy: Sendable {
    /// In which directions; both by default.
    public let discoveryMode: GNSDiscoveryMode
    /// On which media; all by default.
    public let discoveryMediums: GNSDiscoveryMediums
    /// Whether to go on in the background, false by default. Here a program works as long as it runs, whoever looks at it;
    /// nothing works after it has ended.
    public let allowInBackground: Bool

    /// The defaults.
    public convenience init() {
        self.init(paramsBlock: nil)
    }

    /// What the block sets. What it keeps of the parameters has no effect later.
    public init(paramsBlock: ((GNSStrategyParams?) -> Void)?) {
        let params = GNSStrategyParams()
        paramsBlock?(params)
        discoveryMode = params.discoveryMode
        discoveryMediums = params.discoveryMediums
        allowInBackground = params.allowInBackground
    }

    /// Whether it wants Bluetooth, which is more than to want all there are.
    var asksForBluetooth: Bool { discoveryMediums == .BLE }

    /// In today's terms. Only sound is there, and it does not stop for the background: so that is not asked for.
    var strategy: DiscoveryStrategy {
        var strategy = DiscoveryStrategy()
        strategy.mode = DiscoveryMode(rawValue: Int(discoveryMode.intersection(.default).rawValue))
        if !discoveryMediums.isSuperset(of: .default) {
            let kinds: [(GNSDiscoveryMediums, DiscoveryMediumKind)] = [(.audio, .audio), (.BLE, .bluetooth)]
            strategy.media = Set(kinds.filter { discoveryMediums.contains($0.0) }.map(\.1))
        }
        return strategy
    }
}

/// What a strategy is made of.
public final class GNSStrategyParams {
    /// In which directions.
    public var discoveryMode = GNSDiscoveryMode.default
    /// On which media.
    public var discoveryMediums = GNSDiscoveryMediums.default
    /// Whether to go on in the background.
    public var allowInBackground = false

    /// The defaults.
    public init() {}
}

extension DiscoveryMediumKind {
    /// Does not exist here, and is reported as such.
    static let bluetooth = DiscoveryMediumKind(name: "bluetooth", worksInBackground: true)
}
