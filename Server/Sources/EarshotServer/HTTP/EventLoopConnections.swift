import Glibc
import HummingbirdCore
import Logging
import NIOCore

/// HTTP/1.1 whose connections run on their own event loops.
///
/// By default each request moves to a thread of Swift's pool and back, which takes a busy service longer than most
/// requests. Nothing here may block a thread: all connections of the event loop would wait.
struct EventLoopConnections: ServerChildChannel {
    let base: HTTP1Channel
    let counter: @Sendable () -> ConnectionCounter

    /// The server that an application runs.
    static func server(
        _ configuration: HTTP1Channel.Configuration, _ counter: @escaping @Sendable () -> ConnectionCounter
    ) -> HTTPServerBuilder {
        HTTPServerBuilder { responder in
            EventLoopConnections(
                base: HTTP1Channel(
                    responder: StreamAnswer.responder(responder), configuration: configuration), counter: counter)
        }
    }

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<HTTP1Channel.Value> {
        Self.noticeSilence(of: channel)
        // A connection keeps its buffer. The default is 2 KiB; most requests fit into this smaller one, and it grows
        // for larger requests.
        _ = channel.setOption(
            .recvAllocator, value: AdaptiveRecvByteBufferAllocator(minimum: 256, initial: 256, maximum: 65_536))
        do {
            // The counter comes before TLS, whose handler is already in the pipeline.
            try channel.pipeline.syncOperations.addHandler(counter(), position: .first)
        } catch {
            return channel.eventLoop.makeFailedFuture(error)
        }
        return base.setup(channel: channel, logger: logger)
    }

    /// Lets the kernel end the connection of a peer that has disappeared. After 5 s of silence the kernel sends three
    /// probes within 9 s. Sent data must be acknowledged within 15 s.
    private static func noticeSilence(of channel: any Channel) {
        func set(_ level: NIOBSDSocket.OptionLevel, _ option: Int32, _ value: SocketOptionValue) {
            // A channel of a test has no socket.
            _ = channel.setOption(
                ChannelOptions.Types.SocketOption(level: level, name: NIOBSDSocket.Option(rawValue: option)),
                value: value)
        }
        set(.socket, SO_KEEPALIVE, 1)
        set(.tcp, TCP_KEEPIDLE, 5)
        set(.tcp, TCP_KEEPINTVL, 3)
        set(.tcp, TCP_KEEPCNT, 3)
        set(.tcp, TCP_USER_TIMEOUT, 15_000)
    }

    func handle(value: HTTP1Channel.Value, logger: Logger) async {
        await withTaskExecutorPreference(EventLoopTasks(value.channel.eventLoop)) {
            await base.handle(value: value, logger: logger)
        }
    }
}

/// Runs tasks on an event loop.
final class EventLoopTasks: TaskExecutor {
    private let eventLoop: any EventLoop

    init(_ eventLoop: any EventLoop) { self.eventLoop = eventLoop }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        eventLoop.execute { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}
