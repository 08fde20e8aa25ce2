import FoundationEssentials
import HTTPTypes
import Hummingbird
import NIOCore
import NearbyWire
import ServiceLifecycle

/// The changes near a device, as server-sent events.
///
///     event: ready                        event: found
///     data: {"resumed":false}             id: 17
///                                         data: {"message":{…},"subscription":"…"}
///
/// `id` counts the changes of the device. A client that returns with `Last-Event-ID` gets the changes after it; any
/// other client gets all messages that are near now. A message that changed several times in between comes once, in its
/// current state.
struct EventStream: Sendable {
    private let service: TokenService
    private let session: Session
    /// Ends with the connection.
    private let connection: EventLoopFuture<Void>
    /// The number of changes a page: content has up to 100 KiB, and a page lies in memory.
    private static let pageSize = 8

    init(_ service: TokenService, _ session: Session, connection: EventLoopFuture<Void>) {
        (self.service, self.session, self.connection) = (service, session, connection)
    }

    func response(to request: Request) async throws -> Response {
        let lastEventID = request.headers[.lastEventID].flatMap(Int64.init)
        let position = try await service.store.position(of: session, after: lastEventID, now: service.now)
        guard let position else { throw Problem.badSession }
        return Response(
            status: .ok,
            headers: [
                .contentType: "text/event-stream", .cacheControl: "no-store",
                // Without this, nginx holds events back until its buffer is full.
                .accelBuffering: "no",
            ],
            body: ResponseBody { writer in
                let stream = service.hub.open(
                    device: session.device, limit: service.settings.read(\.limits.streamsPerDevice))
                let presence = service.store.presence(of: session)
                presence?.open(session.device)
                defer {
                    service.hub.close(stream, device: session.device)
                    presence?.close(session.device, now: service.now)
                }
                // Not with the next write only: from here on the device counts as silent.
                connection.whenComplete { _ in stream.continuation.finish() }
                try await withGracefulShutdownHandler {
                    try await begin(at: position, lastEventID, &writer)
                    try await follow(stream, after: position.isResumed ? lastEventID ?? 0 : position.last, &writer)
                } onGracefulShutdown: {
                    stream.continuation.finish()
                }
                try await writer.finish(nil)
            })
    }

    // These are not inlined: their frames would be a part of the stream's, for as long as it is open.

    /// Sends where the stream starts, and all messages that are near if it starts anew.
    @inline(never)
    private func begin(
        at position: StreamPosition, _ lastEventID: Int64?, _ writer: inout any ResponseBodyWriter
    ) async throws {
        try await writer.write(Self.event("ready", try jsonData(ReadyBody(resumed: position.isResumed))))
        guard !position.isResumed else { return }
        var query = ChangeQuery(after: 0, through: position.last, isFoundOnly: true, limit: Self.pageSize)
        try await writePages(&query, &writer)
    }

    /// Sends new changes as they happen, until the stream or the session ends.
    @inline(never)
    private func follow(
        _ stream: EventHub.Stream, after cursor: Int64, _ writer: inout any ResponseBodyWriter
    ) async throws {
        var query = ChangeQuery(after: cursor, limit: Self.pageSize)
        // A change may have happened before the stream was opened.
        stream.continuation.yield()
        for await _ in stream.wakes {
            guard try await lives() else {
                try await writer.write(Self.event("end", Data(Problem.badSession.body.utf8)))
                return
            }
            if try await !writePages(&query, &writer) {
                // Keeps proxies from closing a quiet connection, and detects a client that has gone.
                try await writer.write(ByteBuffer(string: ": quiet\n\n"))
            }
        }
    }

    /// Sends all pages of changes; returns whether there were any.
    @discardableResult
    private func writePages(_ query: inout ChangeQuery, _ writer: inout any ResponseBodyWriter) async throws -> Bool {
        var hasWritten = false
        while true {
            let page = try await page(query)
            for change in page.changes {
                try await writer.write(
                    Self.event(change.isFound ? "found" : "lost", try jsonData(ChangeBody(change)), change.sequence))
                hasWritten = true
            }
            query.after = page.cursor
            if !page.isFull { return hasWritten }
        }
    }

    /// Whether the session lives. Like `page`, in a task of its own: the stream's task would keep the memory; see `TaskPerRequest`.
    @inline(never)
    private func lives() async throws -> Bool {
        async let position = service.store.position(of: session, after: nil, now: service.now)
        return try await position != nil
    }

    @inline(never)
    private func page(_ query: ChangeQuery) async throws -> ChangePage {
        async let page = service.store.changes(of: session, query)
        return try await page
    }

    private static func event(_ name: String, _ data: Data, _ id: Int64? = nil) -> ByteBuffer {
        var buffer = ByteBuffer(string: id.map { "id: \($0)\n" } ?? "")
        buffer.writeString("event: \(name)\ndata: ")
        buffer.writeBytes(data)
        buffer.writeString("\n\n")
        return buffer
    }
}

extension HTTPField.Name {
    static var lastEventID: Self {
        guard let name = Self("Last-Event-ID") else { preconditionFailure("a header's name") }
        return name
    }

    static var accelBuffering: Self {
        guard let name = Self("X-Accel-Buffering") else { preconditionFailure("a header's name") }
        return name
    }
}
