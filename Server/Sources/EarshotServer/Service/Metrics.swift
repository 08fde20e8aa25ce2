import Synchronization

/// Counters and durations in Prometheus' text format.
///
/// Labels are methods, path templates, statuses and codes: their number is known beforehand, and none of them
/// identifies a project, a device or a message.
final class Metrics: Sendable {
    /// The counted events.
    enum Counter: String, CaseIterable {
        case requests = "earshot_requests_total"
        case problems = "earshot_problems_total"
        case publications = "earshot_publications_total"
        case subscriptions = "earshot_subscriptions_total"
        case sightings = "earshot_sightings_total"
        case lookUps = "earshot_lookups_total"
        case deliveries = "earshot_deliveries_total"

        var help: String {
            switch self {
            case .requests: "Requests answered, by method, path and status."
            case .problems: "Requests rejected, by the code of the problem."
            case .publications: "Publications made."
            case .subscriptions: "Subscriptions made."
            case .sightings: "Tokens reported, by status."
            case .lookUps: "Beacons asked about, by what the device got."
            case .deliveries: "Messages found and lost."
            }
        }
    }

    private struct Histogram {
        var counts = [Int](repeating: 0, count: Metrics.bucketSeconds.count)
        var count = 0
        var sumSeconds = 0.0
    }

    private struct State {
        var counters: [Counter: [String: Int]] = [:]
        var durations: [String: Histogram] = [:]
    }

    private static let bucketSeconds = [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 5]
    private let state = Mutex(State())

    /// Adds to a counter. `labels` has the printed form: `status="200"`.
    func add(_ count: Int = 1, to counter: Counter, _ labels: String = "") {
        guard count > 0 else { return }
        state.withLock { $0.counters[counter, default: [:]][labels, default: 0] += count }
    }

    /// Records the duration of a request.
    func took(_ seconds: Double, path: String) {
        state.withLock { state in
            var histogram = state.durations[path] ?? Histogram()
            for (index, bucket) in Self.bucketSeconds.enumerated() where seconds <= bucket {
                histogram.counts[index] += 1
            }
            histogram.count += 1
            histogram.sumSeconds += seconds
            state.durations[path] = histogram
        }
    }

    /// All metrics as text. `gauges` have a name, a description and the current value.
    func text(gauges: [(name: String, help: String, value: Int)]) -> String {
        state.withLock { state in
            var lines: [String] = []
            for counter in Counter.allCases {
                lines.append("# HELP \(counter.rawValue) \(counter.help)")
                lines.append("# TYPE \(counter.rawValue) counter")
                for (labels, count) in (state.counters[counter] ?? [:]).sorted(by: { $0.key < $1.key }) {
                    lines.append("\(counter.rawValue)\(labels.isEmpty ? "" : "{\(labels)}") \(count)")
                }
            }
            let name = "earshot_request_seconds"
            lines.append("# HELP \(name) Duration of requests, without event streams.")
            lines.append("# TYPE \(name) histogram")
            for (path, histogram) in state.durations.sorted(by: { $0.key < $1.key }) {
                for (bucket, count) in zip(Self.bucketSeconds, histogram.counts) {
                    lines.append("\(name)_bucket{path=\"\(path)\",le=\"\(bucket)\"} \(count)")
                }
                lines.append("\(name)_bucket{path=\"\(path)\",le=\"+Inf\"} \(histogram.count)")
                lines.append("\(name)_sum{path=\"\(path)\"} \(histogram.sumSeconds)")
                lines.append("\(name)_count{path=\"\(path)\"} \(histogram.count)")
            }
            for (name, help, value) in gauges {
                lines += ["# HELP \(name) \(help)", "# TYPE \(name) gauge", "\(name) \(value)"]
            }
            return lines.joined(separator: "\n") + "\n"
        }
    }
}
