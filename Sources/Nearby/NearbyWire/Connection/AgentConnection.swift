package import Dispatch
import EarshotSystem
package import Foundation
import Glibc
import Synchronization

/// A connected Unix socket that carries frames. It uses no timer, and the thread that all connections share sleeps while they are idle.
package final class AgentConnection: Sendable {
    /// The limits of a connection's memory.
    package struct Limits: Sendable {
        /// The bytes that may wait for a slow reader. More end the connection; a client then connects again without a
        /// loss.
        package var pendingByteCount = 8 << 20

        package init() {}
    }

    private struct State {
        var reader = FrameReader()
        var pending = Data()
        var reading: ReadSource?
        var writing: WriteSource?
        var isClosed = false
        /// Whether the other side no longer reads. The data that it sent before must still be read.
        var isDeaf = false
    }

    private static let bufferByteCount = 65_536

    private let socket: Descriptor
    private let queue: DispatchQueue
    private let limits: Limits
    private let state = Mutex(State())
    private let onFrame: @Sendable (AgentConnection, Data) -> Void
    private let onEnd: @Sendable (AgentConnection) -> Void

    /// A connection that does not read before `start`.
    /// - Parameters:
    ///   - descriptor: a connected socket, which the connection owns from now on.
    ///   - queue: a serial queue for the calls.
    ///   - onFrame: receives the body of each frame.
    ///   - onEnd: called once, when the other side or `close` ended the connection.
    package init(
        _ descriptor: CInt, queue: DispatchQueue, limits: Limits = Limits(),
        onFrame: @escaping @Sendable (AgentConnection, Data) -> Void,
        onEnd: @escaping @Sendable (AgentConnection) -> Void
    ) {
        socket = Descriptor(owning: descriptor)
        self.queue = queue
        self.limits = limits
        self.onFrame = onFrame
        self.onEnd = onEnd
        _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK)
    }

    /// Begins to read. The connection lives until its end.
    package func start() {
        let socket = socket
        state.withLock { state in
            guard !state.isClosed, state.reading == nil else { return }
            state.reading = ReadSource(
                socket.number, queue: queue, onReadable: { self.read() }, onEnd: { withExtendedLifetime(socket) {} })
        }
    }

    /// Sends a frame as soon as the other side reads.
    /// - Returns: whether the connection is open and the frame is within the limit.
    @discardableResult
    package func send(_ frame: some Encodable) -> Bool {
        guard let bytes = AgentProtocol.encode(frame) else { return false }
        let isSent = state.withLock { state in
            if state.isDeaf { return true }
            guard !state.isClosed, state.pending.count + bytes.count <= limits.pendingByteCount else { return false }
            state.pending.append(bytes)
            flush(&state)
            return true
        }
        if !isSent { close() }
        return isSent
    }

    /// Ends the connection. Frames that wait are dropped.
    package func close() {
        let (isFirst, sources) = state.withLock { state -> (Bool, (ReadSource?, WriteSource?)) in
            guard !state.isClosed else { return (false, (nil, nil)) }
            state.isClosed = true
            state.pending = Data()
            defer { (state.reading, state.writing) = (nil, nil) }
            return (true, (state.reading, state.writing))
        }
        guard isFirst else { return }
        _ = shutdown(socket.number, CInt(SHUT_RDWR))
        sources.0?.cancel()
        sources.1?.cancel()
        queue.async { self.onEnd(self) }
    }

    /// Sends what is still waiting, then ends the connection.
    package func closeAfterSending() {
        queue.async { self.close() }
    }

    /// Reads all available data, and the end after it.
    private func read() {
        var buffer = [UInt8](repeating: 0, count: Self.bufferByteCount)
        // 4 MiB, more than a socket's buffer: a client that writes without pause cannot occupy the queue.
        for _ in 0..<64 {
            let count = Glibc.read(socket.number, &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            if count < 0, errno == EAGAIN { return }
            guard count > 0 else { return close() }
            do throws(FrameReader.Invalid) {
                let frames = try state.withLock { state throws(FrameReader.Invalid) in
                    try state.reader.take(buffer[..<count])
                }
                for frame in frames { onFrame(self, frame) }
            } catch { return close() }
        }
    }

    private func flush(_ state: inout State) {
        while !state.pending.isEmpty {
            let count = state.pending.withUnsafeBytes {
                Glibc.send(socket.number, $0.baseAddress, $0.count, CInt(MSG_NOSIGNAL))
            }
            let code = errno
            if count > 0 {
                state.pending = Data(state.pending.dropFirst(count))
            } else if code == EAGAIN {
                let socket = socket
                if state.writing == nil {
                    state.writing = WriteSource(
                        socket.number, queue: queue, onWritable: { self.flush() },
                        onEnd: { withExtendedLifetime(socket) {} })
                }
                return
            } else if code != EINTR {
                // The reader then finds the end, after the frames before it. This also applies if the other side is
                // still there but the system cannot send, so that it notices that frames are missing.
                state.isDeaf = true
                state.pending = Data()
                _ = shutdown(socket.number, CInt(SHUT_RDWR))
            }
        }
        state.writing?.cancel()
        state.writing = nil
    }

    private func flush() {
        state.withLock { state in
            if !state.isClosed { flush(&state) }
        }
    }
}
