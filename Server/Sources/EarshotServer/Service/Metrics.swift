import Synchronization

/// Counters and durations in Prometheus' text format.
///
/// Labels are methods, path templates, statuses and codes: their number is bounded, and none of them identifies a
/// project, a device or a message.
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
        case reloads = "earshot_reloads_total"

        var help: String {
            switch self {
            case .requests: "Requests answered, by method, path and status."
            case .problems: "Requests rejected, by the code of the problem."
            case .publications: "Publications made."
            case .subscriptions: "Subscriptions made."
            case .sightings: "Tokens reported, by status."
            case .lookUps: "Beacons asked about, by what the device got."
            case .deliveries: "Messages found and lost."
            case .reloads: "Readings of the configuration, by result."
            }
        }
    }

    private struct State {
        var counters: [Counter: [String: Int]] = [:]
        var durations: [String: Histogram] = [:]
    }

    private let state = Mutex(State())

    /// Adds to a counter. `labels` is in the printed form: `status="200"`.
    func add(_ count: Int = 1, to counter: Counter, _ labels: String = "") {
        guard count > 0 else { return }
        state.withLock { $0.counters[counter, default: [:]][labels, default: 0] += count }
    }

    /// Records the duration of a request.
    func took(_ seconds: Double, path: String) {
        state.withLock { state in
            state.durations[path, default: Histogram()].add(seconds)
        }
    }

    /// All metrics as text.
    /// - Parameter commits: the durations of commits.
    func text(commits: Histogram, gauges: [Gauge]) -> String {
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
                lines += histogram.lines(name, label: "path=\"\(path)\"")
            }
            lines += ["# HELP earshot_commit_seconds Duration of commits.", "# TYPE earshot_commit_seconds histogram"]
            lines += commits.lines("earshot_commit_seconds") + gauges.flatMap(\.lines)
            return lines.joined(separator: "\n") + "\n"
        }
    }
}

/// A value at one moment, for operators.
struct Gauge: Sendable {
    let name: String
    let help: String
    let value: Double
    /// The printed form of labels.
    var labels = ""
    /// Whether the value only grows while the process runs.
    var isCounter = false

    init(_ name: String, _ help: String, _ value: Double, labels: String = "", isCounter: Bool = false) {
        (self.name, self.help, self.value, self.labels, self.isCounter) = (name, help, value, labels, isCounter)
    }

    fileprivate var lines: [String] {
        let whole = Int64(exactly: value).map { "\($0)" } ?? "\(value)"
        return [
            "# HELP \(name) \(help)", "# TYPE \(name) \(isCounter ? "counter" : "gauge")",
            "\(name)\(labels.isEmpty ? "" : "{\(labels)}") \(whole)",
        ]
    }
}
