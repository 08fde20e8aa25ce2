import EarshotMessages
import NearbyWire

/// A connected process.
struct AgentClientRecord {
    /// An operation that the process has requested.
    struct Claim {
        /// The messages that the process has found and not lost.
        var known: Set<String> = []
        var sequence = 0
        /// Events that the process has not acknowledged, oldest first.
        var unacknowledged: [(sequence: Int, event: AgentEvent)] = []
    }

    let connection: AgentConnection
    let process: Int32
    let backlog: FrameBacklog
    /// Whether it has sent `hello`.
    var hasBegun = false
    /// nil for a program that only reads and administers.
    var app: String?
    var isForeground = false
    var claims: [String: Claim] = [:]
}
