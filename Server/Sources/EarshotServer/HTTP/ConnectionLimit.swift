import NIOCore
import NIOHTTPTypes
import Synchronization

/// The number of open connections of a listener.
final class OpenConnections: Sendable {
    private let limit: Int
    private let open = Mutex(0)

    init(limit: Int) { self.limit = limit }

    var count: Int { open.withLock { $0 } }

    /// Counts a new connection.
    /// - Returns: whether it is beyond the limit.
    func begin() -> Bool {
        open.withLock { open in
            open += 1
            return open > limit
        }
    }

    func end() { open.withLock { $0 -= 1 } }
}

/// Answers a connection beyond the limit with a problem, and closes it.
///
/// A connection that is not accepted would leave its client waiting without a reason.
final class ConnectionLimit: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    private let connections: OpenConnections
    private let metrics: Metrics
    private var isCounted = false
    private var isRefused = false

    init(_ connections: OpenConnections, metrics: Metrics) {
        self.connections = connections
        self.metrics = metrics
    }

    func channelActive(context: ChannelHandlerContext) {
        isCounted = true
        isRefused = connections.begin()
        context.fireChannelActive()
    }

    func channelInactive(context: ChannelHandlerContext) {
        if isCounted { connections.end() }
        isCounted = false
        context.fireChannelInactive()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard isRefused else { return context.fireChannelRead(data) }
        guard case .head = unwrapInboundIn(data) else { return }
        let problem = Problem.tooManyConnections
        metrics.add(to: .problems, "code=\"\(problem.code)\"")
        for part in problem.parts { context.write(wrapOutboundOut(part), promise: nil) }
        context.flush()
        context.close(promise: nil)
    }
}
