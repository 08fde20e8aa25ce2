import NIOCore
import NIOPosix

/// A connection that can send any bytes.
enum RawConnection {
    /// Opens a connection that sends nothing.
    static func open(to port: Int) async throws -> any Channel {
        try await bootstrap(from: nil).connect(host: "127.0.0.1", port: port).get()
    }

    /// Sends the pieces, with a pause after each, and reads until the other end closes.
    /// - Parameter isClosing: whether to close this direction after the last piece.
    /// - Returns: the complete answer.
    static func say(
        _ pieces: some Sequence<ByteBuffer> & Sendable, to port: Int, from source: String? = nil,
        pause: Duration = .zero, isClosing: Bool = false
    ) async throws -> String {
        let channel = try await bootstrap(from: source)
            .channelOption(.allowRemoteHalfClosure, value: true)
            .connect(host: "127.0.0.1", port: port) { channel in
                channel.eventLoop.makeCompletedFuture {
                    try NIOAsyncChannel<ByteBuffer, ByteBuffer>(
                        wrappingChannelSynchronously: channel, configuration: .init(isOutboundHalfClosureEnabled: true))
                }
            }
        var answer = ByteBuffer()
        do {
            try await channel.executeThenClose { inbound, outbound in
                try await withThrowingTaskGroup(of: Void.self) { group in
                    group.addTask {
                        for piece in pieces {
                            // A rejected client cannot send everything.
                            guard (try? await outbound.write(piece)) != nil else { return }
                            try await Task.sleep(for: pause)
                        }
                        if isClosing { outbound.finish() }
                    }
                    for try await part in inbound { answer.writeImmutableBuffer(part) }
                    group.cancelAll()
                }
            }
        } catch is IOError {
            // A reset: the other end no longer reads either.
        } catch is ChannelError {
            // The same reset, detected while writing.
        }
        return String(buffer: answer)
    }

    static func say(
        _ text: String, to port: Int, from source: String? = nil, isClosing: Bool = false
    ) async throws -> String {
        try await say([ByteBuffer(string: text)], to: port, from: source, isClosing: isClosing)
    }

    /// - Parameter source: the address to connect from; nil for the system's choice.
    private static func bootstrap(from source: String?) throws -> ClientBootstrap {
        let bootstrap = ClientBootstrap(group: .singletonMultiThreadedEventLoopGroup)
        return try source.map { bootstrap.bind(to: try SocketAddress(ipAddress: $0, port: 0)) } ?? bootstrap
    }
}
