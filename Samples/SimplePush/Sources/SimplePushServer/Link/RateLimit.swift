/// Lets a burst pass, and then so many for each second.
struct RateLimit {
    private let burst: Double
    private let perSecond: Double
    private var available: Double
    private var latestSeconds: Double

    init(burst: Double, perSecond: Double, nowSeconds: Double) {
        self.burst = burst
        self.perSecond = perSecond
        available = burst
        latestSeconds = nowSeconds
    }

    /// - Returns: false if one more is too many.
    mutating func take(nowSeconds: Double) -> Bool {
        available = min(burst, available + max(0, nowSeconds - latestSeconds) * perSecond)
        latestSeconds = nowSeconds
        guard available >= 1 else { return false }
        available -= 1
        return true
    }
}
