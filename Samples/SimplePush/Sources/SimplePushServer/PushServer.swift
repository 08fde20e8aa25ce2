import Foundation
import Glibc
public import Logging
import NIOCore
import NIOPosix
import NIOSSL
public import SimplePushKit

/// A running server.
public final class PushServer: Sendable {
    /// Its address, with the port that the system chose if the options have port 0.
    public let address: ServerAddress
    private let group: MultiThreadedEventLoopGroup
    private let channel: any Channel
    private let hub: NIOLoopBound<Hub>
    private let store: Store
    private let ticks: RepeatedTask

    private init(
        _ address: ServerAddress, _ group: MultiThreadedEventLoopGroup, _ channel: any Channel,
        _ hub: NIOLoopBound<Hub>, _ store: Store, _ ticks: RepeatedTask
    ) {
        self.address = address
        self.group = group
        self.channel = channel
        self.hub = hub
        self.store = store
        self.ticks = ticks
    }

    /// Opens the database and listens.
    /// - Throws: an error that describes itself in a sentence.
    public static func start(_ options: ServerOptions, log: Logger) async throws -> PushServer {
        raiseFileLimit()
        let store = try Store(path: options.databasePath)
        let context = try options.security.serverContext()
        // One thread owns all state. A few thousand clients do not keep it busy, as the README's figures show.
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let loop = group.next()
        do {
            let hub = try await loop.submit {
                NIOLoopBound(try Hub(options, store: store, log: log, loop: loop), eventLoop: loop)
            }.get()
            let channel = try await ServerBootstrap(group: loop)
                .serverChannelOption(.backlog, value: 1_024)
                .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
                .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
                .childChannelOption(.socketOption(.so_keepalive), value: 1)
                // Small, because thousands of clients send small frames.
                .childChannelOption(
                    .recvAllocator,
                    value: AdaptiveRecvByteBufferAllocator(minimum: 256, initial: 1_024, maximum: 16_384)
                )
                .childChannelInitializer { channel in
                    channel.eventLoop.makeCompletedFuture {
                        let remote = channel.remoteAddress?.ipAddress ?? "local"
                        guard let link = hub.value.open(remoteAddress: remote) else { throw TooManyLinks() }
                        let pipeline = channel.pipeline.syncOperations
                        if let context { try pipeline.addHandler(NIOSSLServerHandler(context: context)) }
                        let decoder = FrameDecoder(maximumByteCount: WireFormat.maximumClientByteCount)
                        try pipeline.addHandler(ByteToMessageHandler(decoder))
                        try pipeline.addHandler(link)
                    }
                }
                .bind(host: options.address.host, port: options.address.port).get()
            let port = channel.localAddress?.port ?? options.address.port
            let limits = options.limits
            let tickSeconds = min(1, limits.heartbeatSeconds / 4, limits.registrationSeconds / 4)
            let interval = TimeAmount.nanoseconds(Int64(tickSeconds * 1e9))
            let ticks = loop.scheduleRepeatedTask(initialDelay: interval, delay: interval) { _ in hub.value.tick() }
            let address = ServerAddress(host: options.address.host, port: port)
            return PushServer(address, group, channel, hub, store, ticks)
        } catch {
            try? await group.shutdownGracefully()
            throw ServerStartError.from(error, options)
        }
    }

    /// Tells every client, waits up to two seconds until they have disconnected, and closes the database.
    public func stop() async {
        try? await channel.close()
        ticks.cancel()
        let loop = group.next()
        try? await loop.submit { [hub] in hub.value.end() }.get()
        for _ in 0..<40 {
            if (try? await loop.submit { [hub] in hub.value.isEmpty }.get()) ?? true { break }
            try? await Task.sleep(for: .milliseconds(50))
        }
        // The store reports its outcomes on the loop, so the loop must run until the store has finished.
        await store.finish()
        try? await group.shutdownGracefully()
    }

    /// Waits until the server no longer listens.
    public func waitUntilClosed() async { try? await channel.closeFuture.get() }

    /// A client takes a file descriptor for each link, and the system's default allows 1,024.
    private static func raiseFileLimit() {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return }
        limit.rlim_cur = limit.rlim_max
        setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    }
}

private struct TooManyLinks: Error {}

/// The reason why a server does not start.
public struct ServerStartError: Error, CustomStringConvertible {
    /// A sentence.
    public let description: String

    static func from(_ error: any Error, _ options: ServerOptions) -> any Error {
        guard let error = error as? IOError else { return error }
        return ServerStartError(
            description: "The server cannot listen at \(options.address): \(systemReason(error.errnoCode)).")
    }
}
