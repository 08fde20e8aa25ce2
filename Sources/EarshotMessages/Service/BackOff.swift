/// How long to wait before trying again.
///
///     pause n = u · min(longest, shortest · 2ⁿ)        u uniform in [½, 1], n = 0, 1, 2 …
///
/// and where the service says for how long it does not want to be asked, at least that and u · shortest more, so that those who
/// were told the same do not come back together.
public struct BackOff: Sendable {
    /// Between which pauses.
    public struct Bounds: Sendable, Hashable {
        /// What the first pause is at most, > 0.
        public var shortest = Duration.milliseconds(500)
        /// What it grows to, ≥ `shortest`.
        public var longest = Duration.seconds(30)

        /// 0.5 and 30 s.
        public init() {}
    }

    /// No service is believed that wants to be left alone for longer.
    static let longestRetryAfter = Duration.seconds(300)

    private let bounds: Bounds
    private var failureCount = 0

    init(_ bounds: Bounds) {
        self.bounds = bounds
        precondition(
            bounds.shortest > .zero && bounds.longest >= bounds.shortest,
            "pauses from \(bounds.shortest) to \(bounds.longest)")
    }

    /// It worked.
    mutating func reset() {
        failureCount = 0
    }

    /// It failed: the pause before the next try.
    mutating func pause(
        retryAfter: Duration? = nil, using generator: inout some RandomNumberGenerator
    ) -> Duration {
        // 2⁶² times the shortest pause would be no duration any more; thirty doublings are longer than any bound makes sense.
        let growth = Double(1 << min(failureCount, 30))
        failureCount += 1
        let share = Double.random(in: 0.5...1, using: &generator)
        let pause = min(bounds.longest, bounds.shortest * growth) * share
        guard let retryAfter, retryAfter > .zero else { return pause }
        return max(pause, min(retryAfter, Self.longestRetryAfter) + bounds.shortest * share)
    }

    /// The same by chance.
    mutating func pause(retryAfter: Duration? = nil) -> Duration {
        var generator = SystemRandomNumberGenerator()
        return pause(retryAfter: retryAfter, using: &generator)
    }
}
