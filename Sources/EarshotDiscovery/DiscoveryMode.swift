/// What a device does to be found and to find.
public struct DiscoveryMode: OptionSet, Sendable, Hashable {
    /// The bits.
    public let rawValue: Int

    /// A mode of those bits.
    public init(rawValue: Int) {
        self.rawValue = rawValue
    }

    /// Say the own token.
    public static let broadcast = DiscoveryMode(rawValue: 1)
    /// Listen for those of others.
    public static let scan = DiscoveryMode(rawValue: 2)
    /// Both, the default.
    public static let both: DiscoveryMode = [.broadcast, .scan]
}
