/// How to find and be found. By default over all media, in both directions.
public struct DiscoveryStrategy: Sendable {
    /// The media by name; nil for all there are.
    public var media: Set<DiscoveryMediumKind>?
    /// The directions.
    public var mode = DiscoveryMode.both
    /// Whether to go on while nobody looks at the program. Then only media that may do that are used.
    public var isAllowedInBackground = false
    /// Ends after that; nil: when nobody wants it any more.
    public var timeToLive: Duration?

    /// The defaults.
    public init() {}

    /// Whether a medium is to be used.
    public func uses(_ kind: DiscoveryMediumKind) -> Bool {
        (media?.contains(kind) ?? true) && (!isAllowedInBackground || kind.worksInBackground)
    }
}
