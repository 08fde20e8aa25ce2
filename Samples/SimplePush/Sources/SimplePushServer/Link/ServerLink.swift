import EarshotBasics
import Logging
import NIOCore
import NIOSSL
import SimplePushKit

/// The server's end of one connection: reads frames, enforces the client's limits, and passes frames to the hub.
///
/// It belongs to the server's event loop.
final class ServerLink: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let hub: Hub
    private let limits: ServerLimits
    /// The client's address, without its port.
    let remoteAddress: String
    /// Identifies the link.
    let number: Int
    private var context: ChannelHandlerContext?
    private var rate: TokenBucket
    private var waitingByteCount = 0
    private var heartbeatDueSeconds: Double
    private var heardAtSeconds: Double
    private let openedAtSeconds: Double
    private var isEnding = false
    /// The user, once the link is registered.
    var user: UserRecord?
    /// The purpose of the link, once it is registered.
    var channel: PushChannel?
    /// Whether the client has sent its first frame.
    var hasBegun = false

    init(_ hub: Hub, remoteAddress: String, number: Int) {
        self.hub = hub
        self.remoteAddress = remoteAddress
        self.number = number
        limits = hub.options.limits
        let now = hub.nowSeconds
        openedAtSeconds = now
        heardAtSeconds = now
        heartbeatDueSeconds = now + limits.heartbeatSeconds
        rate = TokenBucket(burst: limits.frameBurst, perSecond: limits.framesPerSecond)
    }

    func handlerAdded(context: ChannelHandlerContext) { self.context = context }

    func handlerRemoved(context: ChannelHandlerContext) { self.context = nil }

    func channelInactive(context: ChannelHandlerContext) {
        self.context = nil
        hub.close(self)
        context.fireChannelInactive()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !isEnding else { return }
        let now = hub.nowSeconds
        heardAtSeconds = now
        guard rate.take(nowSeconds: now) else {
            return refuse(
                .tooFast,
                "This client sent more than \(Int(limits.frameBurst)) frames at once and "
                    + "\(Int(limits.framesPerSecond)) for each second.")
        }
        do {
            hub.take(try WireFormat.clientFrame(unwrapInboundIn(data)), from: self)
        } catch {
            refuse(.malformed, error.description)
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        switch error {
        case let error as WireError:
            // After an error NIO leaves the connection open, but the decoder cannot continue.
            refuse(.malformed, error.description)
        case NIOSSLError.handshakeFailed, is BoringSSLError:
            if user == nil { hub.noteFailedHandshake(remoteAddress) }
            context.close(promise: nil)
        default: context.close(promise: nil)
        }
    }

    /// Sends a frame. A client that does not read is disconnected.
    func send(_ frame: ServerFrame) {
        guard let context, !isEnding else { return }
        guard let bytes = try? WireFormat.bytes(frame) else { return }
        let count = bytes.readableBytes
        waitingByteCount += count
        guard waitingByteCount <= limits.outgoingByteCount else {
            hub.log.notice(
                "cut a slow reader", metadata: ["user": "\(user?.id ?? "none")", "address": "\(remoteAddress)"])
            isEnding = true
            // A last frame for this client would wait like the others, so send none.
            return context.close(promise: nil)
        }
        let written = context.eventLoop.makePromise(of: Void.self)
        written.futureResult.assumeIsolated().whenComplete { _ in self.waitingByteCount -= count }
        context.writeAndFlush(wrapOutboundOut(bytes), promise: written)
    }

    /// Sends the client the reason, and ends the link.
    func refuse(_ code: Refusal.Code, _ sentence: String) {
        guard let context, !isEnding else { return }
        hub.log.debug(
            "refused a link",
            metadata: ["code": "\(code.rawValue)", "address": "\(remoteAddress)", "why": "\(sentence)"])
        send(.refusal(Refusal(code, sentence)))
        isEnding = true
        let loop = context.eventLoop.assumeIsolated()
        context.close(promise: nil)
        // If the client does not read, neither the refusal nor TLS's closing message can be sent. So close in any case.
        _ = loop.scheduleTask(in: .seconds(2)) { [weak self] in self?.context?.channel.close(mode: .all, promise: nil) }
    }

    /// Sends a due heartbeat, and disconnects a silent client.
    func tick(nowSeconds: Double) {
        guard !isEnding else { return }
        if user == nil, nowSeconds - openedAtSeconds > limits.registrationSeconds {
            return refuse(.tooSlow, "This client did not register within \(Int(limits.registrationSeconds)) s.")
        }
        guard nowSeconds - heardAtSeconds <= limits.silenceSeconds else {
            return refuse(.tooSlow, "This client said nothing for \(Int(limits.silenceSeconds)) s.")
        }
        if user != nil, nowSeconds >= heartbeatDueSeconds {
            heartbeatDueSeconds = nowSeconds + limits.heartbeatSeconds
            send(.heartbeat)
        }
    }
}
