/// The pause before a failed request is repeated.
///
///     pause n = u · min(longest, shortest · 2ⁿ)        u uniform in [½, 1], n = 0, 1, 2 …
///
/// If the service names a pause of its own, the result is at least that plus u · shortest, so that clients that were told the
/// same do not return together.
public struct BackOff: Sendable {
    /// The range of the pauses.
    public struct Bounds: Sendable, Hashable {
        /// The upper limit of the first pause, > 0; 0.5 s by default.
        public var shortest = Duration.milliseconds(500)
        /// The upper limit of every pause, ≥ `shortest`; 30 s by default.
        public var longest = Duration.seconds(30)

        /// The default bounds: 0.5 s and 30 s.
        public init() {}
    }

    /// The longest pause that a service can ask for.
    static let maximumRetryAfter = Duration.seconds(300)

    private let bounds: Bounds
    private var failureCount = 0

    init(_ bounds: Bounds) {
        self.bounds = bounds
        precondition(
            bounds.shortest > .zero && bounds.longest >= bounds.shortest,
            "pauses from \(bounds.shortest) to \(bounds.longest)")
    }

    /// Begins anew after a success.
    mutating func reset() {
        failureCount = 0
    }

    /// The pause after a failure.
    /// - Parameter retryAfter: the pause that the service named; nil for none.
    mutating func pause(
        retryAfter: Duration? = nil, using generator: inout some RandomNumberGenerator
    ) -> Duration {
        // Thirty doublings exceed any sensible bound, and 2⁶² times the shortest pause would overflow a duration.
        let growth = Double(1 << min(failureCount, 30))
        failureCount += 1
        let share = Double.random(in: 0.5...1, using: &generator)
        let pause = min(bounds.longest, bounds.shortest * growth) * share
        guard let retryAfter, retryAfter > .zero else { return pause }
        return max(pause, min(retryAfter, Self.maximumRetryAfter) + bounds.shortest * share)
    }

    /// The same with the system's random numbers.
    mutating func pause(retryAfter: Duration? = nil) -> Duration {
        var generator = SystemRandomNumberGenerator()
        return pause(retryAfter: retryAfter, using: &generator)
    }
}
