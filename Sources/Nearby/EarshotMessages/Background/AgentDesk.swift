import Foundation
import NearbyWire

/// Gives operations to the user's agent, and tells it when the app comes to the foreground or leaves it.
struct AgentDesk {
    /// An operation that the agent should run.
    struct Order {
        var operation: BackgroundOperation
        /// The end of its time to live; nil for never.
        var endsAt: Duration?
        /// The messages that it has found.
        var known: [String]
    }

    private let open: @Sendable () -> AgentClient?
    private let foreground: Foreground
    private let timeline: Timeline
    private var client: AgentClient?
    /// The operations that were sent over this connection.
    private var asked: Set<String> = []
    private var telling: Task<Void, Never>?

    /// - Parameter open: creates the client when an operation first needs it.
    init(_ foreground: Foreground, _ timeline: Timeline, open: @escaping @Sendable () -> AgentClient?) {
        self.foreground = foreground
        self.timeline = timeline
        self.open = open
    }

    /// Asks the agent to run operations, each once. An operation that is missing from `identifiers` may continue: the
    /// agent itself checks its permission.
    mutating func set(_ identifiers: Set<String>, order: (String) -> Order?) {
        asked.formIntersection(identifiers)
        if identifiers.isEmpty {
            telling?.cancel()
            telling = nil
            return
        }
        if client == nil { client = open() }
        for identifier in identifiers.subtracting(asked).sorted() {
            guard var order = order(identifier) else { continue }
            asked.insert(identifier)
            order.operation.endsAt = order.endsAt.map(timeline.date(of:))
            client?.want()
            client?.hold(order.operation, known: order.known)
        }
        guard telling == nil else { return }
        telling = Task { [foreground, client] in
            for await isActive in foreground.changes { client?.tell(isForeground: isActive) }
        }
    }

    /// There is a new connection: all operations must be sent again.
    mutating func reconnected() { asked = [] }

    /// The operation has ended: the agent must stop it too.
    mutating func release(_ identifier: String) {
        asked.remove(identifier)
        client?.release(identifier)
    }

    func acknowledge(_ events: AgentFrame.Events) { client?.acknowledge(events) }

    /// Waits until the agent has confirmed all, at most for 2 s.
    func close() async {
        telling?.cancel()
        await client?.close()
    }
}
