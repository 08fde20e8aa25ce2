import Synchronization

/// A histogram of durations in Prometheus' text format.
struct Histogram: Sendable {
    private static let bucketSeconds = [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 5]
    private var counts = [Int](repeating: 0, count: Histogram.bucketSeconds.count)
    private var count = 0
    private var sumSeconds = 0.0

    mutating func add(_ seconds: Double) {
        for (index, bucket) in Self.bucketSeconds.enumerated() where seconds <= bucket { counts[index] += 1 }
        count += 1
        sumSeconds += seconds
    }

    /// - Parameter label: the printed form of a label; empty for none.
    func lines(_ name: String, label: String = "") -> [String] {
        let (inside, own) = label.isEmpty ? ("", "") : ("\(label),", "{\(label)}")
        let buckets = zip(Self.bucketSeconds, counts).map { "\(name)_bucket{\(inside)le=\"\($0)\"} \($1)" }
        return buckets + [
            "\(name)_bucket{\(inside)le=\"+Inf\"} \(count)", "\(name)_sum\(own) \(sumSeconds)",
            "\(name)_count\(own) \(count)",
        ]
    }
}

/// A histogram that several threads may add to.
final class Durations: Sendable {
    private let histogram = Mutex(Histogram())

    func add(_ duration: Duration) { histogram.withLock { $0.add(duration / .seconds(1)) } }

    var now: Histogram { histogram.withLock { $0 } }
}
