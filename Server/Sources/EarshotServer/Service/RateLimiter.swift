import Synchronization

/// Who has to keep a rate.
enum RateSubject: Hashable, Sendable {
    case requests(device: Int64)
    case requests(key: Int64)
    case sessions(key: Int64)
    case guesses(device: Int64)
    case guesses(key: Int64)
}

/// Token buckets: level ← min(burst, level + perSecond · Δt), and whoever takes n needs level > 0.
///
/// The level may become negative: what was not known before, such as how many tokens of a report were guesses, is
/// taken afterwards, and has to be waited for then.
final class RateLimiter: Sendable {
    private struct Bucket {
        var level: Double
        var updated: Moment
        var limit: RateLimit

        /// What is in it at a later time. A clock that was put back gives nothing.
        mutating func fill(now: Moment) {
            let elapsed = Double(max(0, now.milliseconds - updated.milliseconds)) / 1_000
            level = min(limit.burst, level + limit.perSecond * elapsed)
            updated = now
        }
    }

    private let buckets = Mutex<[RateSubject: Bucket]>([:])
    /// Buckets beyond this are looked through for full ones, which say nothing.
    private static let manyBuckets = 10_000

    /// Takes `count` from the subject's bucket, if there is anything in it.
    /// - Returns: nil, or after how many whole seconds there will be.
    func take(_ count: Double = 1, from subject: RateSubject, _ limit: RateLimit, now: Moment) -> Int? {
        buckets.withLock { buckets in
            if buckets.count > Self.manyBuckets, buckets[subject] == nil { Self.removeFull(&buckets, now: now) }
            var bucket = buckets[subject] ?? Bucket(level: limit.burst, updated: now, limit: limit)
            bucket.fill(now: now)
            defer { buckets[subject] = bucket }
            // One whole request, so that whoever waits for nothing but it is not refused again and again.
            guard bucket.level >= min(1, count) else {
                return Int(((1 - bucket.level) / limit.perSecond).rounded(.up))
            }
            bucket.level -= count
            return nil
        }
    }

    /// Takes `count` in any case: it has happened already.
    func charge(_ count: Double, to subject: RateSubject, _ limit: RateLimit, now: Moment) {
        buckets.withLock { buckets in
            var bucket = buckets[subject] ?? Bucket(level: limit.burst, updated: now, limit: limit)
            bucket.fill(now: now)
            bucket.level -= count
            buckets[subject] = bucket
        }
    }

    /// Whether there is anything in the subject's bucket. Takes nothing.
    /// - Returns: nil, or after how many whole seconds there will be.
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
