import FoundationEssentials
import Synchronization

/// The subject of a rate limit.
enum RateSubject: Hashable, Sendable {
    /// A device, by the hash of its session's secret.
    case requests(session: Data)
    /// The part of a device's requests that the limit of its key does not count.
    case share(session: Data)
    case allRequests(key: Int64)
    case sessions(key: Int64)
    /// Requests of pages, by the address of their client.
    case pageRequests(client: String)
    case pageSessions(client: String)
}

/// Rates of requests.
protocol Rates: Sendable {
    /// Takes one request from the subject's bucket if its level allows it.
    /// - Returns: nil, or the whole seconds until it will.
    func take(from subject: RateSubject, _ limit: RateLimit, now: Moment) async throws -> Int?
    /// Whether the subject's bucket is known to hold no request. Takes nothing, and asks no database.
    /// - Returns: nil, or the whole seconds until it does.
    func wait(for subject: RateSubject, now: Moment) -> Int?
}

/// Token buckets: level ← min(burst, level + perSecond · Δt); a request takes 1 and needs a level of at least 1.
final class RateLimiter: Rates {
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

        /// The whole seconds until it holds a request; nil if it does.
        var seconds: Int? { level >= 1 ? nil : Int(((1 - level) / limit.perSecond).rounded(.up)) }
    }

    private struct Buckets {
        var all: [RateSubject: Bucket] = [:]
        /// The number of buckets from which the limiter looks for some to remove.
        var many = RateLimiter.manyBuckets

        subscript(subject: RateSubject) -> Bucket? {
            get { all[subject] }
            set { all[subject] = newValue }
        }

        /// Removes full buckets, which carry no information. If too many are left, the fuller half goes too: anyone
        /// may come from many addresses, and memory is not theirs to fill.
        mutating func makeRoom(now: Moment) {
            var levels: [Double] = []
            all = all.filter { _, bucket in
                var filled = bucket
                filled.fill(now: now)
                let part = filled.level / filled.limit.burst
                if part < 1 { levels.append(part) }
                return part < 1
            }
            if all.count >= RateLimiter.maximumBuckets {
                levels.sort()
                let median = levels[levels.count / 2]
                all = all.filter { _, bucket in
                    var filled = bucket
                    filled.fill(now: now)
                    return filled.level / filled.limit.burst < median
                }
            }
            many = max(RateLimiter.manyBuckets, min(2 * all.count, RateLimiter.maximumBuckets))
        }
    }

    private let buckets = Mutex(Buckets())
    private static let manyBuckets = 10_000
    /// The most buckets that the limiter keeps.
    static let maximumBuckets = 100_000

    /// The number of buckets in memory.
    var count: Int { buckets.withLock { $0.all.count } }

    func take(from subject: RateSubject, _ limit: RateLimit, now: Moment) -> Int? {
        buckets.withLock { buckets in
            if buckets.all.count >= buckets.many, buckets[subject] == nil { buckets.makeRoom(now: now) }
            var bucket = buckets[subject] ?? Bucket(level: limit.burst, updated: now, limit: limit)
            bucket.fill(now: now)
            defer { buckets[subject] = bucket }
            if let seconds = bucket.seconds { return seconds }
            bucket.level -= 1
            return nil
        }
    }

    func wait(for subject: RateSubject, now: Moment) -> Int? {
        buckets.withLock { buckets in
            guard var bucket = buckets[subject] else { return nil }
            bucket.fill(now: now)
            return bucket.seconds
        }
    }
}
