/// The pause before a failed attempt is repeated: it doubles with each failure in a row.
///
///     pause n = min(longest, shortest · 2ⁿ)        n = 0, 1, 2 … failures before this one
public struct BackOff: Sendable, Hashable {
    /// The range of the pauses.
    public struct Bounds: Sendable, Hashable {
        /// The first pause, > 0.
        public var shortest: Duration
        /// The upper limit of every pause, ≥ `shortest`.
        public var longest: Duration

        /// Bounds; the defaults are for requests to a service.
        public init(shortest: Duration = .milliseconds(500), longest: Duration = .seconds(30)) {
            self.shortest = shortest
            self.longest = longest
        }

        /// The pause after `failureCount` + 1 failures in a row.
        public func pause(failureCount: Int) -> Duration {
            // Thirty doublings exceed any sensible bound, and 2⁶² times the shortest pause would overflow a duration.
            min(longest, shortest * Double(1 << min(max(0, failureCount), 30)))
        }
    }

    /// The longest pause that a service can ask for.
    static let maximumRetryAfter = Duration.seconds(300)

    private let bounds: Bounds
    /// The failures in a row.
    public private(set) var failureCount = 0

    /// No failure yet.
    public init(_ bounds: Bounds = Bounds()) {
        precondition(
            bounds.shortest > .zero && bounds.longest >= bounds.shortest,
            "pauses from \(bounds.shortest) to \(bounds.longest)")
        self.bounds = bounds
    }

    /// Restarts with the shortest pause, after a success.
    public mutating func reset() {
        failureCount = 0
    }

    /// Counts a failure.
    /// - Returns: the pause after it.
    public mutating func pause() -> Duration {
        defer { failureCount += 1 }
        return bounds.pause(failureCount: failureCount)
    }

    /// Counts a failure of a service that many clients use.
    ///
    ///     u · pause n        u uniform in [½, 1]
    ///
    /// If the service names a pause of its own, the result is at least that plus u · shortest, so that clients with the
    /// same answer do not return together.
    /// - Parameters:
    ///   - retryAfter: the pause that the service named; nil for none. More than 300 s count as 300 s.
    ///   - generator: the source of u.
    public mutating func spreadPause(
        retryAfter: Duration? = nil, using generator: inout some RandomNumberGenerator
    ) -> Duration {
        let share = Double.random(in: 0.5...1, using: &generator)
        let pause = pause() * share
        guard let retryAfter, retryAfter > .zero else { return pause }
        return max(pause, min(retryAfter, Self.maximumRetryAfter) + bounds.shortest * share)
    }

    /// The same with the system's random numbers.
    public mutating func spreadPause(retryAfter: Duration? = nil) -> Duration {
        var generator = SystemRandomNumberGenerator()
        return spreadPause(retryAfter: retryAfter, using: &generator)
    }
}

extension Duration {
    /// The duration in seconds.
    public var seconds: Double { self / .seconds(1) }
}
