import Foundation
import NIOCore
import NIOSSL
import Synchronization

/// The client's end of a link: registers, answers heartbeats, passes frames on, and notices silence.
///
/// It comes after a `FrameDecoder`. NIO's `IdleStateHandler` uses the system's clock; this one uses the event loop's,
/// which tests can advance.
final class ClientLinkHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let registration: Registration
    private let address: ServerAddress
    private let silenceSeconds: Double
    private let state: LinkState
    private var hasRegistered = false
    private var heardAt = NIODeadline.uptimeNanoseconds(0)
    private var watch: Scheduled<Void>?

    init(_ registration: Registration, address: ServerAddress, silenceSeconds: Double, state: LinkState) {
        self.registration = registration
        self.address = address
        self.silenceSeconds = silenceSeconds
        self.state = state
    }

    func handlerAdded(context: ChannelHandlerContext) {
        heardAt = context.eventLoop.now
        watchSilence(context, in: silence)
        if context.channel.isActive { register(context) }
    }

    func handlerRemoved(context: ChannelHandlerContext) { watch?.cancel() }

    private var silence: TimeAmount { .nanoseconds(Int64(silenceSeconds * 1e9)) }

    private func watchSilence(_ context: ChannelHandlerContext, in time: TimeAmount) {
        watch = context.eventLoop.assumeIsolated().scheduleTask(in: time) {
            let silent = context.eventLoop.now - self.heardAt
            guard silent < self.silence else { return self.end(.silent(self.silenceSeconds), context) }
            self.watchSilence(context, in: self.silence - silent)
        }
    }

    func channelActive(context: ChannelHandlerContext) {
        register(context)
        context.fireChannelActive()
    }

    private func register(_ context: ChannelHandlerContext) {
        guard !hasRegistered else { return }
        hasRegistered = true
        // With TLS the frame waits for the end of the handshake.
        send(.register(registration), context)
    }

    private func send(_ frame: ClientFrame, _ context: ChannelHandlerContext) {
        do {
            context.writeAndFlush(wrapOutboundOut(try WireFormat.bytes(frame)), promise: nil)
        } catch {
            end(.malformed(error.description), context)
        }
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let frame: ServerFrame
        do {
            frame = try WireFormat.serverFrame(unwrapInboundIn(data))
        } catch {
            return end(LinkFailure(error, at: address), context)
        }
        heardAt = context.eventLoop.now
        state.heard()
        switch frame {
        case .heartbeat: send(.heartbeat, context)
        case .registered(let times): state.register(times)
        case .refusal(let refusal) where refusal.id == nil: end(.refused(refusal), context)
        default:
            // An app that reads nothing must not fill the memory.
            if !state.pass(frame) { end(.malformed("It sent more than this program could take."), context) }
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        // The server may close without TLS's closing message, for example if it is killed.
        if error as? NIOSSLError == .uncleanShutdown { return end(.closed, context) }
        if error is NIOSSLCloseTimedOutError { return }
        end(LinkFailure(error, at: address), context)
    }

    func channelInactive(context: ChannelHandlerContext) {
        state.end(.closed)
        context.fireChannelInactive()
    }

    private func end(_ failure: LinkFailure, _ context: ChannelHandlerContext) {
        state.end(failure)
        context.close(promise: nil)
    }
}

/// The state that a link's handler and its user share.
package final class LinkState: Sendable {
    private struct Content {
        var waiting: CheckedContinuation<Registered, any Error>?
        var outcome: Result<Registered, LinkFailure>?
        var hasEnded = false
        var heardAtSeconds = Date().timeIntervalSince1970
    }

    package let frames: AsyncThrowingStream<ServerFrame, any Error>
    private let output: AsyncThrowingStream<ServerFrame, any Error>.Continuation
    private let content = Mutex(Content())

    package init() {
        (frames, output) = AsyncThrowingStream.makeStream(bufferingPolicy: .bufferingOldest(4_096))
    }

    /// The time of the last data from the server, in seconds since 1970, by a clock that continues while the machine
    /// sleeps.
    var heardAtSeconds: Double { content.withLock { $0.heardAtSeconds } }

    func heard() { content.withLock { $0.heardAtSeconds = Date().timeIntervalSince1970 } }

    /// - Returns: false if too many frames wait.
    func pass(_ frame: ServerFrame) -> Bool {
        if case .dropped = output.yield(frame) { return false }
        return true
    }

    func register(_ times: Registered) { settle(.success(times)) }

    /// The first failure is the reason.
    func end(_ failure: LinkFailure) {
        let isFirst = content.withLock { content in
            defer { content.hasEnded = true }
            return !content.hasEnded
        }
        guard isFirst else { return }
        settle(.failure(failure))
        output.finish(throwing: failure)
    }

    private func settle(_ outcome: Result<Registered, LinkFailure>) {
        let waiting = content.withLock { content -> CheckedContinuation<Registered, any Error>? in
            guard content.outcome == nil else { return nil }
            content.outcome = outcome
            defer { content.waiting = nil }
            return content.waiting
        }
        waiting?.resume(with: outcome.mapError { $0 })
    }

    /// Waits for the server's answer to the registration.
    package func registered() async throws -> Registered {
        try await withCheckedThrowingContinuation { continuation in
            let outcome = content.withLock { content -> Result<Registered, LinkFailure>? in
                if content.outcome == nil { content.waiting = continuation }
                return content.outcome
            }
            if let outcome { continuation.resume(with: outcome.mapError { $0 }) }
        }
    }
}
