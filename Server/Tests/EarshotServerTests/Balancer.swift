#if Postgres
    import NIOCore
    import NIOPosix
    import Synchronization

    /// One address for several nodes: each new connection goes to the next node that takes it, as a load balancer does.
    final class Balancer: Sendable {
        private let nodes = Mutex<[Int]>([])
        private let next = Atomic(0)
        private let channel: any Channel
        let base: String

        init() async throws {
            let group = MultiThreadedEventLoopGroup.singleton
            let box = Box()
            channel = try await ServerBootstrap(group: group)
                .serverChannelOption(.backlog, value: 256)
                .childChannelOption(.autoRead, value: false)
                .childChannelInitializer { channel in box.connect(channel) }
                .bind(host: "127.0.0.1", port: 0).get()
            base = "http://127.0.0.1:\(channel.localAddress?.port ?? 0)"
            box.balancer.withLock { $0 = self }
        }

        /// Sets the ports of the nodes.
        func use(_ ports: [Int]) { nodes.withLock { $0 = ports } }

        func close() async throws { try await channel.close() }

        fileprivate func connect(_ client: any Channel) -> EventLoopFuture<Void> {
            let ports = nodes.withLock { $0 }
            let first = next.add(1, ordering: .relaxed).newValue
            return tryNext(client, ports.indices.map { ports[(first + $0) % ports.count] }[...])
        }

        private func tryNext(_ client: any Channel, _ ports: ArraySlice<Int>) -> EventLoopFuture<Void> {
            guard let port = ports.first else { return client.close() }
            return ClientBootstrap(group: client.eventLoop).channelOption(.autoRead, value: false)
                .connect(host: "127.0.0.1", port: port)
                .flatMap { node in
                    client.eventLoop.makeCompletedFuture {
                        try client.pipeline.syncOperations.addHandler(Glue(node))
                        try node.pipeline.syncOperations.addHandler(Glue(client))
                    }.flatMap {
                        client.setOption(.autoRead, value: true).and(node.setOption(.autoRead, value: true)).map { _ in
                        }
                    }
                }
                .flatMapError { _ in self.tryNext(client, ports.dropFirst()) }
        }

        private final class Box: Sendable {
            let balancer = Mutex<Balancer?>(nil)

            func connect(_ channel: any Channel) -> EventLoopFuture<Void> {
                balancer.withLock { $0 }?.connect(channel) ?? channel.close()
            }
        }
    }

    /// Passes all bytes on to the other connection.
    private final class Glue: ChannelInboundHandler, Sendable {
        typealias InboundIn = ByteBuffer
        private let other: any Channel

        init(_ other: any Channel) { self.other = other }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            other.writeAndFlush(unwrapInboundIn(data), promise: nil)
        }

        func channelInactive(context: ChannelHandlerContext) { other.close(promise: nil) }

        func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
    }
#endif
