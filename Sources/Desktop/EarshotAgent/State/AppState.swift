import EarshotMessages
import EarshotSealing
import NearbyWire

/// All that the agent keeps about an app: one file, see `StateStore`. It holds keys of projects and sessions.
struct AppState: Codable, Sendable, Hashable {
    /// Raised by any change that an older agent would misunderstand.
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
        /// The messages that are near as far as the app was told, or will be told.
        var seen: [String] = []
        /// The events that no process of the app has received yet.
        var waiting: [AgentEvent] = []

        /// Keeps an event for the app's next process. The oldest events make room.
        mutating func wait(_ event: AgentEvent) {
            waiting.append(event)
            while waiting.count > AppState.maximumWaitingCount || waitingByteCount > AppState.maximumWaitingByteCount {
                waiting.removeFirst()
            }
        }

        private var waitingByteCount: Int { waiting.reduce(0) { $0 + ($1.message?.content.count ?? 0) } }
    }

    /// A session at the service, so that a new process of the agent continues the registrations of the last one.
    struct Session: Codable, Sendable, Hashable {
        var key: String
        var service: String
        var secret: String
        /// How its messages are sealed; nil in an open project.
        var sealing: DeviceSealing.Stored?
        /// The idempotency key of each registration, by `ResumingService`'s name for the order.
        var idempotencyKeys: [String: String] = [:]
    }

    struct Starts: Codable, Sendable, Hashable {
        /// When the agent started the app last, in seconds since 1970.
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

    /// Whether nothing is worth keeping.
    var isEmpty: Bool { operations.isEmpty }
}
