import Foundation
public import NIOCore
import NIOPosix
import NIOSSL

/// A registered link to a server.
public final class PushLink: Sendable {
    /// The time limits of a client.
    public struct Times: Sendable {
        /// The silence of the server after which the client closes a link, in seconds: two lost heartbeats and the
        /// third are 30 s.
        public var silenceSeconds = 30.0
        /// The longest wait for a connection, in seconds.
        public var connectSeconds = 5.0
        /// The longest wait for the handshake and the registration, in seconds.
        public var registrationSeconds = 10.0

        /// The times of the format.
        public init() {}
    }

    /// The server's answer to the registration.
    public let registered: Registered
    /// All frames except heartbeats, once. Its end is an error, a `LinkFailure`.
    public var frames: AsyncThrowingStream<ServerFrame, any Error> { state.frames }

    private let channel: any Channel
    private let state: LinkState
    private let silenceSeconds: Double

    private init(_ channel: any Channel, _ state: LinkState, _ registered: Registered, silenceSeconds: Double) {
        self.channel = channel
        self.state = state
        self.registered = registered
        self.silenceSeconds = silenceSeconds
    }

    deinit { if channel.isActive { channel.close(promise: nil) } }

    /// Opens a link and registers.
    /// - Throws: `LinkFailure`
    public static func open(
        to address: ServerAddress, as registration: Registration, security: PushSecurity, times: Times = Times(),
        on group: any EventLoopGroup
    ) async throws -> PushLink {
        let state = LinkState()
        let channel: any Channel
        do {
            try registration.check()
            let context = try security.clientContext()
            channel = try await ClientBootstrap(group: group)
                .connectTimeout(.milliseconds(Int64(times.connectSeconds * 1_000)))
                .channelOption(.socketOption(.so_keepalive), value: 1)
                .channelOption(.tcpOption(.tcp_nodelay), value: 1)
                .channelInitializer { channel in
                    channel.eventLoop.makeCompletedFuture {
                        let pipeline = channel.pipeline.syncOperations
                        if let context {
                            try pipeline.addHandler(NIOSSLClientHandler(context: context, serverHostname: nil))
                        }
                        try addHandlers(
                            to: pipeline, registration: registration, address: address,
                            silenceSeconds: times.silenceSeconds, state: state)
                    }
                }
                .connect(host: address.host, port: address.port).get()
        } catch let error as WireError {
            throw LinkFailure.malformed(error.description)
        } catch {
            throw LinkFailure(error, at: address)
        }
        let deadline = channel.eventLoop.scheduleTask(in: .milliseconds(Int64(times.registrationSeconds * 1_000))) {
            state.end(.unreachable(address, "it did not answer in time"))
            channel.close(promise: nil)
        }
        defer { deadline.cancel() }
        do {
            let registered = try await withTaskCancellationHandler {
                try await state.registered()
            } onCancel: {
                state.end(.closedHere)
                channel.close(promise: nil)
            }
            return PushLink(channel, state, registered, silenceSeconds: times.silenceSeconds)
        } catch {
            channel.close(promise: nil)
            throw error
        }
    }

    /// The complete client link above TLS. Tests use it on a channel without a network.
    package static func addHandlers(
        to pipeline: ChannelPipeline.SynchronousOperations, registration: Registration, address: ServerAddress,
        silenceSeconds: Double, state: LinkState
    ) throws {
        try pipeline.addHandler(
            ByteToMessageHandler(FrameDecoder(maximumByteCount: WireFormat.maximumServerByteCount)))
        try pipeline.addHandler(
            ClientLinkHandler(registration, address: address, silenceSeconds: silenceSeconds, state: state))
    }

    /// Sends a frame.
    /// - Throws: `WireError` for a frame outside the limits, `LinkFailure` if the link has ended.
    public func send(_ frame: ClientFrame) async throws {
        let bytes = try WireFormat.bytes(frame)
        do {
            try await channel.writeAndFlush(bytes)
        } catch {
            throw LinkFailure.closed
        }
    }

    /// Closes the link if the server has been silent for too long by the wall clock. The link detects silence itself,
    /// but its clock stops while the machine sleeps.
    public func check() {
        guard Date().timeIntervalSince1970 - state.heardAtSeconds > silenceSeconds else { return }
        state.end(.silent(silenceSeconds))
        channel.close(promise: nil)
    }

    /// Closes the link. `frames` ends with `LinkFailure.closedHere`.
    public func close() {
        state.end(.closedHere)
        channel.close(promise: nil)
    }
}
