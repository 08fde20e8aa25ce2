/// How to find and be found; by default over all media, in both directions.
public struct DiscoveryStrategy: Sendable {
    /// The media to use; nil for all available ones.
    public var media: Set<DiscoveryMediumKind>?
    /// Whether this device broadcasts, scans, or does both.
    public var mode = DiscoveryMode.both
    /// Whether to continue while the program is in the background. If so, only media that may work there are used.
    public var isAllowedInBackground = false
    /// The time after which the discovery ends; nil to end it when no stream of its events is read any longer.
    public var timeToLive: Duration?

    /// All media, both directions, only in the foreground, no end.
    public init() {}

    /// Whether the strategy uses a medium.
    public func uses(_ kind: DiscoveryMediumKind) -> Bool {
        (media?.contains(kind) ?? true) && (!isAllowedInBackground || kind.worksInBackground)
    }
}
