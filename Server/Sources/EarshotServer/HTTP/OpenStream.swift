import FoundationEssentials
import NIOCore
import NIOHTTPTypes
import NearbyWire
import ServiceLifecycle
import Synchronization

/// An open stream. An idle stream has no task, because a task keeps memory. Each time the stream is woken, a task sends
/// the new changes.
final class OpenStream: Sendable {
    private struct State {
        var isWoken = false
        /// Whether a task is sending. There is at most one.
        var isSending = false
        var isOver = false
        /// The number of the last sent change; nil before the first call.
        var cursor: Int64?
    }

    /// Counts the streams of this process.
    let number = OpenStream.numbers.add(1, ordering: .relaxed).newValue
    private let service: TokenService
    private let session: Session
    private let position: StreamPosition
    private let lastEventID: Int64?
    private let channel: any Channel
    private let presence: Presence?
    private let ended: EventLoopPromise<Void>
    private let state = Mutex(State())
    /// The number of changes per page. A content has up to 100 KiB, and a page is held in memory.
    private static let pageSize = 8
    private static let numbers = Atomic(0)

    /// - Parameter channel: a connection on which the head of the answer is written.
    init(
        _ service: TokenService, _ session: Session, at position: StreamPosition, _ lastEventID: Int64?,
        on channel: any Channel
    ) {
        (self.service, self.session, self.position, self.lastEventID) = (service, session, position, lastEventID)
        self.channel = channel
        presence = service.store.presence(of: session)
        ended = channel.eventLoop.makePromise()
    }

    /// Returns when the end of the answer is written, or the connection has ended. The stream ends when the service does.
    func waitForEnd() async throws {
        try await withGracefulShutdownHandler {
            try await ended.futureResult.get()
        } onGracefulShutdown: {
            self.finish()
        }
    }

    func begin() {
        service.hub.open(self, device: session.device, limit: service.settings.read(\.limits.streamsPerDevice))
        presence?.open(session.device)
        // End the stream when the connection closes, not at the next write: from then on the device counts as silent.
        channel.closeFuture.whenComplete { [weak self] _ in self?.finish() }
        wake()
    }

    /// Lets a task send the changes, if there are any.
    func wake() {
        let begins = state.withLock { state in
            state.isWoken = true
            guard !state.isSending, !state.isOver else { return false }
            state.isSending = true
            return true
        }
        guard begins else { return }
        Task(executorPreference: EventLoopTasks(channel.eventLoop)) { await self.send() }
    }

    /// Ends the stream after the current send.
    func finish() {
        let isQuiet = state.withLock { state in
            guard !state.isOver else { return false }
            state.isOver = true
            return !state.isSending
        }
        if isQuiet { conclude() }
    }

    private func send() async {
        while takeWake() {
            do {
                guard try await sendChanges() else {
                    state.withLock { $0.isOver = true }
                    continue
                }
            } catch {
                // The client has disconnected, or the store fails. The answer has no end, so the client reconnects.
                state.withLock { $0.isOver = true }
                channel.close(promise: nil)
            }
        }
    }

    /// Whether there is something to send. If not, the task ends; if the stream is over, it ends too.
    private func takeWake() -> Bool {
        let (goesOn, isOver) = state.withLock { state in
            state.isSending = state.isWoken && !state.isOver
            state.isWoken = false
            return (state.isSending, state.isOver)
        }
        if isOver { conclude() }
        return goesOn
    }

    private func conclude() {
        service.hub.close(self, device: session.device)
        presence?.close(session.device, now: service.now)
        channel.writeAndFlush(HTTPResponsePart.end(nil)).whenComplete { [ended] _ in ended.succeed() }
    }

    // MARK: Sending

    /// The first call sends `ready`, and, unless the stream is resumed, all messages that are near. Each later call
    /// sends the changes since the previous one.
    /// - Returns: false if the session has ended.
    private func sendChanges() async throws -> Bool {
        guard let cursor = state.withLock({ $0.cursor }) else {
            try await write("ready", try jsonData(ReadyBody(resumed: position.isResumed)))
            if !position.isResumed {
                try await writePages(
                    ChangeQuery(after: 0, through: position.last, isFoundOnly: true, limit: Self.pageSize))
            }
            state.withLock { state in
                state.cursor = position.isResumed ? lastEventID ?? 0 : position.last
                // A change may have happened before the hub knew the stream.
                state.isWoken = true
            }
            return true
        }
        guard try await service.store.position(of: session, after: nil, now: service.now) != nil else {
            try await write("end", Data(Problem.badSession.body.utf8))
            return false
        }
        let last = try await writePages(ChangeQuery(after: cursor, limit: Self.pageSize))
        // Keeps proxies from closing a quiet connection, and detects a client that has disconnected.
        if last == cursor { try await write(ByteBuffer(string: ": quiet\n\n")) }
        state.withLock { $0.cursor = last }
        return true
    }

    /// Sends all pages of changes.
    /// - Returns: the number of the last one.
    @discardableResult
    private func writePages(_ query: ChangeQuery) async throws -> Int64 {
        var query = query
        while true {
            let page = try await service.store.changes(of: session, query)
            for change in page.changes {
                try await write(
                    change.isFound ? "found" : "lost", try jsonData(ChangeBody(change)), change.sequence)
            }
            query.after = page.cursor
            if !page.isFull { return query.after }
        }
    }

    private func write(_ name: String, _ data: Data, _ id: Int64? = nil) async throws {
        var buffer = ByteBuffer(string: id.map { "id: \($0)\n" } ?? "")
        buffer.writeString("event: \(name)\ndata: ")
        buffer.writeBytes(data)
        buffer.writeString("\n\n")
        try await write(buffer)
    }

    /// Waits until the kernel has the bytes, so that a slow reader costs a page of memory, not its whole backlog.
    private func write(_ buffer: ByteBuffer) async throws {
        try await channel.writeAndFlush(HTTPResponsePart.body(buffer)).get()
    }
}
