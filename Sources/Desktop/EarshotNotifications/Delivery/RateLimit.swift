/// Limits how many things happen in a time: a burst at once, then one each interval.
struct RateLimit: Sendable {
    private let burstCount: Int
    private let interval: Duration
    /// The time at which the full burst is available again.
    private var fullAt: ContinuousClock.Instant?

    /// - Parameters:
    ///   - burstCount: above 0.
    ///   - interval: above 0.
    init(burstCount: Int, interval: Duration) {
        precondition(burstCount > 0 && interval > .zero, "a burst of \(burstCount), one each \(interval)")
        self.burstCount = burstCount
        self.interval = interval
    }

    /// Takes one, if there is one.
    mutating func take(at now: ContinuousClock.Instant = .now) -> Bool {
        let full = max(fullAt ?? now, now) + interval
        guard full - now <= interval * burstCount else { return false }
        fullAt = full
        return true
    }
}
