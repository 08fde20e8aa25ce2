import NIOCore
import NIOHTTPTypes

/// Answers a connection beyond the limit with a problem, and closes it.
///
/// Without an answer the client would wait and not know why.
final class ConnectionLimit: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    private let metrics: Metrics
    private var problem: Problem?

    init(metrics: Metrics) { self.metrics = metrics }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        guard let refusal = event as? RefusedConnection else { return context.fireUserInboundEventTriggered(event) }
        problem = refusal.problem
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard let problem else { return context.fireChannelRead(data) }
        guard case .head = unwrapInboundIn(data) else { return }
        metrics.add(to: .problems, "code=\"\(problem.code)\"")
        for part in problem.parts { context.write(wrapOutboundOut(part), promise: nil) }
        context.flush()
        context.close(promise: nil)
    }
}
