import EarshotMessages
import EarshotSealing
import NearbyWire

/// The agent's stored state of an app: one file, see `StateStore`. It contains keys of projects and sessions.
struct AppState: Codable, Sendable, Hashable {
    /// Increased with each change that an older agent would misunderstand.
    static let version = 1
    /// The limits of an app.
    static let maximumOperationCount = 32
    static let maximumWaitingCount = 64
    static let maximumWaitingByteCount = 1 << 20
    static let maximumSeenCount = 1_024

    struct Operation: Codable, Sendable, Hashable {
        var order: BackgroundOperation
        /// Seconds since 1970.
        var since: Double
        /// The messages that the app considers near, or will after its waiting events.
        var seen: [String] = []
        /// The events that no process of the app has received yet.
        var waiting: [AgentEvent] = []

        /// Stores an event for the app's next process, and drops the oldest events beyond the limit.
        mutating func wait(_ event: AgentEvent) {
            waiting.append(event)
            while waiting.count > AppState.maximumWaitingCount || waitingByteCount > AppState.maximumWaitingByteCount {
                waiting.removeFirst()
            }
        }

        private var waitingByteCount: Int { waiting.reduce(0) { $0 + ($1.message?.content.count ?? 0) } }
    }

    /// A session at the service, with which a new process of the agent continues the registrations of the last one.
    struct Session: Codable, Sendable, Hashable {
        var key: String
        var service: String
        var secret: String
        /// The sealing of its messages; nil in an open project.
        var sealing: DeviceSealing.Stored?
        /// The idempotency key of each registration, by `ResumingService`'s name for the order.
        var idempotencyKeys: [String: String] = [:]
    }

    struct Starts: Codable, Sendable, Hashable {
        /// The time of the app's last start by the agent, in seconds since 1970.
        var last: Double?
        /// How often in a row the app ended without having received its events.
        var failureCount = 0
    }

    var version = AppState.version
    var app: String
    /// The folder of the app's program, where its manifest may be.
    var programFolder: String?
    var operations: [Operation] = []
    var sessions: [Session] = []
    var starts = Starts()

    init(app: String) { self.app = app }

    /// Whether there is nothing to store.
    var isEmpty: Bool { operations.isEmpty }
}
