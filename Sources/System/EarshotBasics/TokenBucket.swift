/// Limits a rate: a burst at once, then `perSecond` events a second.
///
///     level ← min(burst, level + perSecond · Δt);  taking one needs a level of at least 1 and lowers it by 1
public struct TokenBucket: Sendable, Hashable {
    /// The level from which the bucket contains one. Seconds since 1970 are exact only to 0.24 µs.
    private static let whole = 1 - 1e-6

    /// The maximum level, at least 1.
    public let burst: Double
    /// The increase of the level per second, above 0.
    public let perSecond: Double
    /// The level at `updatedSeconds`, 0 ... `burst`.
    private var level: Double
    /// The time at which the level was computed; nil before the first use.
    private var updatedSeconds: Double?

    /// A full bucket.
    public init(burst: Double, perSecond: Double) {
        precondition(burst >= 1 && perSecond > 0, "a burst of \(burst), \(perSecond) a second")
        self.burst = burst
        self.perSecond = perSecond
        level = burst
    }

    /// The part of the burst that is left, 0 ... 1, as of the last `fill`.
    public var fullness: Double { level / burst }

    /// The seconds from the last `fill` until the bucket contains one; 0 if it does.
    public var waitSeconds: Double { max(0, (Self.whole - level) / perSecond) }

    /// Raises the level to that of a later time. A clock that was set back adds nothing.
    /// - Parameter nowSeconds: the seconds of any clock, always the same one.
    public mutating func fill(nowSeconds: Double) {
        level = min(burst, level + perSecond * max(0, nowSeconds - (updatedSeconds ?? nowSeconds)))
        updatedSeconds = nowSeconds
    }

    /// Takes one from the bucket.
    /// - Returns: false if there is none.
    public mutating func take(nowSeconds: Double) -> Bool {
        fill(nowSeconds: nowSeconds)
        guard level >= Self.whole else { return false }
        level = max(0, level - 1)
        return true
    }
}
