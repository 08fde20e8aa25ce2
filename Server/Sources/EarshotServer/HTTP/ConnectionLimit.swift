import NIOCore
import NIOHTTPTypes

/// Answers a connection beyond the limit with a problem, and closes it.
///
/// A connection that is not accepted would leave its client waiting without a reason.
final class ConnectionLimit: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    private let metrics: Metrics
    private let limit: Int
    private var isCounted = false
    private var isRefused = false

    init(_ limit: Int, metrics: Metrics) {
        self.limit = limit
        self.metrics = metrics
    }

    func channelActive(context: ChannelHandlerContext) {
        isCounted = true
        isRefused = metrics.connectionsChanged(by: 1) > limit
        context.fireChannelActive()
    }

    func channelInactive(context: ChannelHandlerContext) {
        if isCounted { _ = metrics.connectionsChanged(by: -1) }
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
