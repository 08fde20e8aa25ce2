import Synchronization

/// The subject of a rate limit.
enum RateSubject: Hashable, Sendable {
    case requests(device: Int64)
    case requests(key: Int64)
    case sessions(key: Int64)
    case guesses(device: Int64)
    case guesses(key: Int64)
}

/// Token buckets: level ← min(burst, level + perSecond · Δt); taking n needs a level of at least min(1, n).
///
/// The level may become negative: a cost known only afterwards, such as the number of guesses in a report, is charged
/// afterwards, and later requests then wait for it.
final class RateLimiter: Sendable {
    private struct Bucket {
        var level: Double
        var updated: Moment
        var limit: RateLimit

        /// Raises the level to that of a later time. A clock that was set back adds nothing.
        mutating func fill(now: Moment) {
            let elapsed = Double(max(0, now.milliseconds - updated.milliseconds)) / 1_000
            level = min(limit.burst, level + limit.perSecond * elapsed)
            updated = now
        }
    }

    private let buckets = Mutex<[RateSubject: Bucket]>([:])
    /// The number of buckets from which the limiter removes full ones, which carry no information.
    private static let manyBuckets = 10_000

    /// Takes `count` from the subject's bucket if its level allows it.
    /// - Returns: nil, or the whole seconds until it will.
    func take(_ count: Double = 1, from subject: RateSubject, _ limit: RateLimit, now: Moment) -> Int? {
        buckets.withLock { buckets in
            if buckets.count > Self.manyBuckets, buckets[subject] == nil { Self.removeFull(&buckets, now: now) }
            var bucket = buckets[subject] ?? Bucket(level: limit.burst, updated: now, limit: limit)
            bucket.fill(now: now)
            defer { buckets[subject] = bucket }
            // A whole request, so that a client that waits the stated time is not rejected again and again.
            guard bucket.level >= min(1, count) else {
                return Int(((1 - bucket.level) / limit.perSecond).rounded(.up))
            }
            bucket.level -= count
            return nil
        }
    }

    /// Takes `count` in any case, because the cost has already arisen.
    func charge(_ count: Double, to subject: RateSubject, _ limit: RateLimit, now: Moment) {
        buckets.withLock { buckets in
            var bucket = buckets[subject] ?? Bucket(level: limit.burst, updated: now, limit: limit)
            bucket.fill(now: now)
            bucket.level -= count
            buckets[subject] = bucket
        }
    }

    /// Whether the subject's bucket holds a whole request. Takes nothing.
    /// - Returns: nil, or the whole seconds until it does.
    func wait(for subject: RateSubject, _ limit: RateLimit, now: Moment) -> Int? {
        buckets.withLock { buckets in
            guard var bucket = buckets[subject] else { return nil }
            bucket.fill(now: now)
            return bucket.level >= 1 ? nil : Int(((1 - bucket.level) / limit.perSecond).rounded(.up))
        }
    }

    private static func removeFull(_ buckets: inout [RateSubject: Bucket], now: Moment) {
        buckets = buckets.filter { _, bucket in
            var filled = bucket
            filled.fill(now: now)
            return filled.level < filled.limit.burst
        }
    }
}
