import NIOCore
import Synchronization

/// The open connections of a listener, in total and of each client address.
final class OpenConnections: Sendable {
    enum Admission {
        case accepted
        /// The answer to the client's request is the problem.
        case refused(Problem)
        /// The service closes it immediately: enough connections of this client already wait for a refusal.
        case dropped(Problem)
    }

    private struct State {
        var count = 0
        var counts: [String: Int] = [:]
        var limit: Int
        var limitPerClient: Int
    }

    private let state: Mutex<State>
    /// The maximum number of a client's connections that wait for a refusal. Without a limit other clients would have
    /// too few.
    private static let refusedPerClient = 16

    init(limit: Int, limitPerClient: Int) {
        state = Mutex(State(limit: limit, limitPerClient: limitPerClient))
    }

    /// The connections of the public listener.
    convenience init(_ limits: ServiceLimits) {
        self.init(limit: limits.connections, limitPerClient: limits.possibleConnectionsPerAddress)
    }

    /// Applies new limits to new connections. Open ones stay.
    func change(_ limits: ServiceLimits) {
        state.withLock { state in
            state.limit = limits.connections
            state.limitPerClient = limits.possibleConnectionsPerAddress
        }
    }

    var count: Int { state.withLock { $0.count } }

    /// Counts a new connection.
    /// - Parameter client: the client's name; nil for a connection that only the listener's limit concerns.
    func begin(_ client: String?) -> Admission {
        state.withLock { state in
            state.count += 1
            if let client {
                let own = state.counts[client, default: 0] + 1
                state.counts[client] = own
                let problem = Problem.tooManyConnections(perAddress: state.limitPerClient)
                if own > state.limitPerClient + Self.refusedPerClient { return .dropped(problem) }
                if own > state.limitPerClient { return .refused(problem) }
            }
            return state.count > state.limit ? .refused(.tooManyConnections) : .accepted
        }
    }

    func end(_ client: String?) {
        state.withLock { state in
            state.count -= 1
            guard let client, let own = state.counts[client] else { return }
            state.counts[client] = own > 1 ? own - 1 : nil
        }
    }
}

/// Counts a connection and drops it if the limit is exceeded. It comes before TLS, so a drop needs no handshake.
final class ConnectionCounter: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private let connections: OpenConnections
    private let proxies: @Sendable () -> Set<IPAddress>
    private let metrics: Metrics
    private var client: String?
    private var isCounted = false

    /// - Parameter proxies: the addresses whose connections carry many clients; they have no limit per client.
    init(
        _ connections: OpenConnections, proxies: @escaping @Sendable () -> Set<IPAddress> = { [] }, metrics: Metrics
    ) {
        self.connections = connections
        self.proxies = proxies
        self.metrics = metrics
    }

    func channelActive(context: ChannelHandlerContext) {
        let address = context.remoteAddress?.ipAddress.flatMap { IPAddress($0) }
        client = address.flatMap { proxies().contains($0) ? nil : $0.clientName }
        isCounted = true
        let admission = connections.begin(client)
        context.fireChannelActive()
        switch admission {
        case .accepted: break
        case .refused(let problem): context.fireUserInboundEventTriggered(RefusedConnection(problem: problem))
        case .dropped(let problem):
            metrics.add(to: .problems, "code=\"\(problem.code)\"")
            context.close(promise: nil)
        }
    }

    func channelInactive(context: ChannelHandlerContext) {
        if isCounted { connections.end(client) }
        isCounted = false
        context.fireChannelInactive()
    }
}

/// Tells the HTTP handlers that a connection exceeds the limit.
struct RefusedConnection {
    let problem: Problem
}

extension ServiceLimits {
    fileprivate var possibleConnectionsPerAddress: Int { connectionsPerAddress ?? max(1, connections / 4) }
}
