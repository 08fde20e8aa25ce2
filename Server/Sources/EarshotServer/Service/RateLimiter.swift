import EarshotBasics
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
    /// Requests without a valid key or session.
    case failures(client: String)
}

/// A `TokenBucket` for each subject.
final class RateLimiter: Sendable {
    private struct Buckets {
        var all: [RateSubject: TokenBucket] = [:]
        /// The number of buckets above which the limiter tries to remove some.
        var many = RateLimiter.manyBuckets

        subscript(subject: RateSubject) -> TokenBucket? {
            get { all[subject] }
            set { all[subject] = newValue }
        }

        /// Removes full buckets, which carry no information. If too many are left, it removes the fuller half too, so
        /// that requests from many addresses cannot fill the memory.
        mutating func makeRoom(now: Moment) {
            var levels: [Double] = []
            all = all.filter { _, bucket in
                var filled = bucket
                filled.fill(nowSeconds: now.seconds)
                if filled.fullness < 1 { levels.append(filled.fullness) }
                return filled.fullness < 1
            }
            if all.count >= RateLimiter.maximumBuckets {
                levels.sort()
                let median = levels[levels.count / 2]
                all = all.filter { _, bucket in
                    var filled = bucket
                    filled.fill(nowSeconds: now.seconds)
                    return filled.fullness < median
                }
            }
            many = max(RateLimiter.manyBuckets, min(2 * all.count, RateLimiter.maximumBuckets))
        }
    }

    private let buckets = Mutex(Buckets())
    private static let manyBuckets = 10_000
    /// The maximum number of buckets.
    static let maximumBuckets = 100_000

    /// The number of buckets in memory.
    var count: Int { buckets.withLock { $0.all.count } }

    /// Removes all buckets, because each has the limit with which it was created.
    func forget() { buckets.withLock { $0 = Buckets() } }

    /// Takes one request from the subject's bucket if its level allows it.
    /// - Returns: nil, or the whole seconds until it will.
    func take(from subject: RateSubject, _ limit: RateLimit, now: Moment) -> Int? {
        buckets.withLock { buckets in
            if buckets.all.count >= buckets.many, buckets[subject] == nil { buckets.makeRoom(now: now) }
            var bucket = buckets[subject] ?? TokenBucket(burst: limit.burst, perSecond: limit.perSecond)
            let isTaken = bucket.take(nowSeconds: now.seconds)
            buckets[subject] = bucket
            return isTaken ? nil : Self.wholeSeconds(bucket)
        }
    }

    /// Whether the subject's bucket is known to hold no request. Takes nothing.
    /// - Returns: nil, or the whole seconds until it does.
    func wait(for subject: RateSubject, now: Moment) -> Int? {
        buckets.withLock { buckets in
            guard var bucket = buckets[subject] else { return nil }
            bucket.fill(nowSeconds: now.seconds)
            return Self.wholeSeconds(bucket)
        }
    }

    /// The whole seconds until the bucket holds a request; nil if it does.
    private static func wholeSeconds(_ bucket: TokenBucket) -> Int? {
        bucket.waitSeconds > 0 ? Int(bucket.waitSeconds.rounded(.up)) : nil
    }
}
