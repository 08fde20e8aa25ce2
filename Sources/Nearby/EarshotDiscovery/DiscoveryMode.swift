/// The directions in which a device works: to be found, to find, or both.
public struct DiscoveryMode: OptionSet, Sendable, Hashable {
    /// The bits: 1 broadcast, 2 scan.
    public let rawValue: Int

    /// A mode from its bits.
    public init(rawValue: Int) {
        self.rawValue = rawValue
    }

    /// Broadcast the device's own token.
    public static let broadcast = DiscoveryMode(rawValue: 1)
    /// Listen for the tokens of other devices.
    public static let scan = DiscoveryMode(rawValue: 2)
    /// Both directions, the default.
    public static let both: DiscoveryMode = [.broadcast, .scan]
}
