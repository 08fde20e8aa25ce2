import Dispatch
import Foundation
import Glibc
import NearbyWire
import Synchronization
import Testing

/// A connection whose other side ends. Without an end the test fails at its time limit.
@Suite(.timeLimit(.minutes(1))) struct AgentConnectionTests {
    /// libdispatch reports a socket whose other side is gone at most twice, however many bytes wait in it: 3,000 frames are three
    /// buffers of the reader.
    @Test(arguments: [1, 3_000]) func theEndComesAfterAllThatWasSentBeforeIt(frameCount: Int) async throws {
        var sockets: [CInt] = [0, 0]
        #expect(socketpair(AF_UNIX, CInt(SOCK_STREAM.rawValue), 0, &sockets) == 0)
        var byteCount: CInt = 1 << 20
        setsockopt(sockets[0], SOL_SOCKET, SO_SNDBUF, &byteCount, socklen_t(MemoryLayout<CInt>.size))
        let frame = try #require(AgentProtocol.encode(ClientFrame.hello(ClientFrame.Hello(app: "org.example.app"))))
        let bytes = [UInt8](repeatElement(frame, count: frameCount).joined())
        // Nobody reads yet, so the socket's buffer must hold all of it.
        #expect(send(sockets[0], bytes, bytes.count, CInt(MSG_DONTWAIT)) == bytes.count)
        close(sockets[0])
        let count = Mutex(0)
        let (ends, end) = AsyncStream.makeStream(of: Void.self)
        let connection = AgentConnection(
            sockets[1], queue: DispatchQueue(label: "test"), onFrame: { _, _ in count.withLock { $0 += 1 } },
            onEnd: { _ in end.finish() })
        connection.start()
        for await _ in ends {}
        #expect(count.withLock(\.self) == frameCount)
    }

    /// The other side would wait for frames that it never gets.
    @Test func aConnectionThatCannotSendEnds() async throws {
        var sockets: [CInt] = [0, 0]
        #expect(socketpair(AF_UNIX, CInt(SOCK_STREAM.rawValue), 0, &sockets) == 0)
        // It reads no more, and does not end.
        shutdown(sockets[0], CInt(SHUT_RD))
        defer { close(sockets[0]) }
        let (ends, end) = AsyncStream.makeStream(of: Void.self)
        let connection = AgentConnection(
            sockets[1], queue: DispatchQueue(label: "test"), onFrame: { _, _ in }, onEnd: { _ in end.finish() })
        connection.start()
        connection.send(ClientFrame.hello(ClientFrame.Hello(app: "org.example.app")))
        for await _ in ends {}
    }
}
