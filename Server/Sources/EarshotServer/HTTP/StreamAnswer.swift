import Hummingbird
import HummingbirdCore
import NIOCore
import Synchronization

/// Answers the request for an event stream in its own task, and waits for the stream's end in the connection's task,
/// which then keeps no memory of the request: see `TaskPerRequest`.
///
/// Other requests are answered in the connection's task, because a task that also writes the answer takes 20 % more
/// processor time.
enum StreamAnswer {
    /// - Parameter inner: writes the answer. If that opens a stream (`OpenedStream`), the connection's task waits for its end.
    static func responder(_ inner: @escaping HTTPChannelHandler.Responder) -> HTTPChannelHandler.Responder {
        { (request, writer: consuming ResponseWriter, channel) in
            guard request.uri.path == EventStream.path else { return try await inner(request, writer, channel) }
            let stream = try await answer(request, Handover(writer), channel, inner)
            try await stream?.waitForEnd()
        }
    }

    /// A separate function, not inlined: the task keeps its memory until this returns.
    @inline(never)
    private static func answer(
        _ request: Request, _ writer: Handover, _ channel: any Channel,
        _ inner: @escaping HTTPChannelHandler.Responder
    ) async throws -> OpenStream? {
        async let stream = write(request, writer, channel, inner)
        return try await stream
    }

    private static func write(
        _ request: Request, _ writer: Handover, _ channel: any Channel, _ inner: HTTPChannelHandler.Responder
    ) async throws -> OpenStream? {
        let opened = OpenedStream()
        try await OpenedStream.$current.withValue(opened) { try await inner(request, writer.take(), channel) }
        return opened.stream
    }

    /// Carries a writer, which cannot be copied, into a task.
    private final class Handover: @unchecked Sendable {
        private var writer: ResponseWriter?

        init(_ writer: consuming ResponseWriter) { self.writer = consume writer }

        /// Called once, by the task.
        func take() -> ResponseWriter {
            guard let writer = writer.take() else { preconditionFailure("one answer a request") }
            return writer
        }
    }
}

/// The stream that the current task's answer leaves open on its connection.
final class OpenedStream: Sendable {
    @TaskLocal static var current: OpenedStream?
    private let opened = Mutex<OpenStream?>(nil)

    var stream: OpenStream? { opened.withLock { $0 } }

    func open(_ stream: OpenStream) { opened.withLock { $0 = stream } }
}
