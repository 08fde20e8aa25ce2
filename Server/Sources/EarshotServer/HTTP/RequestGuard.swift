import HTTPTypes
import NIOCore
import NIOHTTP1
import NIOHTTPTypes
import NIOHTTPTypesHTTP1

/// Protects the handlers from invalid input: it answers invalid HTTP with a problem, and a request must arrive
/// completely within its time.
///
/// The head has its own time limit, from the beginning of the connection, or from the first byte of a later request: a
/// client whose head never ends occupies a connection without a request. Between requests Hummingbird closes a silent
/// connection.
final class RequestGuard: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    /// The request did not arrive completely within its time.
    struct TooSlow: Error {}

    private let headTime: TimeAmount
    private let requestTime: TimeAmount
    private let metrics: Metrics
    /// The deadline of the head, and then of the rest of the request.
    private var deadline: Scheduled<Void>?
    /// Whether a part of a head has arrived.
    private var isHeadArriving = false
    /// Requests that have started to arrive and are not answered completely.
    private var owed = 0
    private var isArriving = false
    private var isAnswering = false
    /// Whether the answer under way ends the connection.
    private var isLast = false
    private var isOver = false
    /// Whether the last request is one for a stream of events.
    private var isStream = false
    /// The time to send a rejection before the connection is closed.
    private static let farewell = TimeAmount.seconds(2)

    init(_ limits: ServiceLimits, metrics: Metrics) {
        headTime = TimeAmount(limits.headTime)
        requestTime = TimeAmount(limits.requestTime)
        self.metrics = metrics
    }

    func channelActive(context: ChannelHandlerContext) {
        limit(context, to: headTime) { self.isHeadLate(context) }
        context.fireChannelActive()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !isOver else { return }
        switch unwrapInboundIn(data) {
        case .head(let head):
            isStream = head.path?.prefix { $0 != "?" } == EventStream.path[...]
            owed += 1
            isArriving = true
            isHeadArriving = false
            limit(context, to: requestTime) { self.isLate(context) }
        case .body: break
        case .end: hasArrived()
        }
        context.fireChannelRead(data)
    }

    /// Bytes without a request have arrived: the beginning of a head.
    func channelReadComplete(context: ChannelHandlerContext) {
        if owed == 0, !isArriving, !isOver {
            isHeadArriving = true
            if deadline == nil { limit(context, to: headTime) { self.isHeadLate(context) } }
        }
        context.fireChannelReadComplete()
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        switch unwrapOutboundIn(data) {
        case .head where owed == 0:
            // The request is answered; an error after that answers no request.
            promise?.fail(ChannelError.ioOnClosedChannel)
            context.close(promise: nil)
            return
        case .head(let head):
            isAnswering = true
            // Input after an invalid request is meaningless.
            isLast = head.headerFields[.connection] == "close"
            isOver = isOver || isLast
        case .body: break
        case .end:
            owed -= 1
            isAnswering = false
        }
        context.write(data, promise: promise)
        if isLast, !isAnswering {
            context.flush()
            context.close(mode: .output, promise: nil)
            closeSoon(context)
        }
    }

    /// A client that has closed its sending side may still wait for an answer, but not for the end of a stream.
    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        context.fireUserInboundEventTriggered(event)
        if isStream, isAnswering, case ChannelEvent.inputClosed = event { context.close(promise: nil) }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        guard !isOver else { return }
        guard let problem = Problem(malformed: error), owed == 0 else { return context.fireErrorCaught(error) }
        isOver = true
        // The error is in a request that was answered already, so its client no longer listens.
        guard !isArriving else { return context.close(promise: nil) }
        refuse(problem, context)
    }

    private func refuse(_ problem: Problem, _ context: ChannelHandlerContext) {
        metrics.add(to: .problems, "code=\"\(problem.code)\"")
        for part in problem.parts { context.write(wrapOutboundOut(part), promise: nil) }
        context.flush()
        // Closing both directions with unread data would discard the answer for a client that is still sending.
        context.close(mode: .output, promise: nil)
        closeSoon(context)
    }

    func channelInactive(context: ChannelHandlerContext) {
        hasArrived()
        context.fireChannelInactive()
    }

    func handlerRemoved(context: ChannelHandlerContext) { hasArrived() }

    private func hasArrived() {
        deadline?.cancel()
        deadline = nil
        isArriving = false
    }

    /// Sets the time until `action`, and replaces an earlier one.
    private func limit(_ context: ChannelHandlerContext, to time: TimeAmount, _ action: @escaping () -> Void) {
        deadline?.cancel()
        deadline = context.eventLoop.assumeIsolated().scheduleTask(in: time, action)
    }

    private func isHeadLate(_ context: ChannelHandlerContext) {
        guard !isOver else { return }
        isOver = true
        // A client that has sent nothing does not wait for an answer.
        guard isHeadArriving else { return context.close(promise: nil) }
        refuse(.requestTooSlow, context)
    }

    private func isLate(_ context: ChannelHandlerContext) {
        guard isArriving, !isOver else { return }
        isOver = true
        guard owed == 1, !isAnswering else { return context.close(promise: nil) }
        // The handler that waits for the body answers.
        context.fireErrorCaught(TooSlow())
        closeSoon(context)
    }

    private func closeSoon(_ context: ChannelHandlerContext) {
        context.eventLoop.assumeIsolated().scheduleTask(in: Self.farewell) { context.close(promise: nil) }
    }
}

extension Problem {
    /// The problem of invalid HTTP; nil for other errors.
    init?(malformed error: any Error) {
        switch error {
        case HTTPParserError.headerOverflow: self = .headersTooLarge
        case is HTTPParserError, is HTTP1TypeConversionError: self = .badRequest
        default: return nil
        }
    }

    /// The complete answer, if only the connection's own handlers can give it. The connection ends with it.
    var parts: [HTTPResponsePart] {
        var headers = headers
        headers[.contentLength] = String(body.utf8.count)
        return [
            .head(HTTPResponse(status: status, headerFields: headers)), .body(ByteBuffer(string: body)), .end(nil),
        ]
    }
}
