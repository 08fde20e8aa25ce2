import EarshotMessages
import NearbyWire

/// A connected process.
struct AgentClientRecord {
    /// An operation that the process holds.
    struct Claim {
        /// The messages that the process was told of, and not told that they are lost.
        var known: Set<String> = []
        var sequence = 0
        /// Events that the process has not acknowledged, oldest first.
        var unacknowledged: [(sequence: Int, event: AgentEvent)] = []
    }

    let connection: AgentConnection
    let process: Int32
    let backlog: FrameBacklog
    /// Whether it has said hello.
    var hasBegun = false
    /// nil for a program that only looks and administers.
    var app: String?
    var isForeground = false
    var claims: [String: Claim] = [:]
}
