/// How many frames a connection may send: a burst, and then so many a second.
struct RateLimit: Sendable, Hashable {
    var burst = 128.0
    var framesPerSecond = 50.0

    private var tokens: Double
    private var last: Double?

    init(burst: Double = 128, framesPerSecond: Double = 50) {
        self.burst = burst
        self.framesPerSecond = framesPerSecond
        tokens = burst
    }

    /// Counts a frame.
    /// - Parameter now: seconds of a monotonic clock.
    /// - Returns: whether the connection keeps within the limit.
    mutating func take(now: Double) -> Bool {
        tokens = min(burst, tokens + (now - (last ?? now)) * framesPerSecond)
        last = now
        guard tokens >= 1 else { return false }
        tokens -= 1
        return true
    }
}
