import Dispatch
import Foundation
import Glibc
import NearbyWire
import Synchronization
import Testing

/// A connection whose other side ends. Without an end the test fails at its time limit.
@Suite(.timeLimit(.minutes(1))) struct AgentConnectionTests {
    /// libdispatch reports a socket whose other side is closed at most twice, however many bytes wait in it. 3,000
    /// frames fill the reader's buffer three times.
    @Test(arguments: [1, 3_000]) func theEndComesAfterAllThatWasSentBeforeIt(frameCount: Int) async throws {
        var sockets: [CInt] = [0, 0]
        #expect(socketpair(AF_UNIX, CInt(SOCK_STREAM.rawValue), 0, &sockets) == 0)
        var byteCount: CInt = 1 << 20
        setsockopt(sockets[0], SOL_SOCKET, SO_SNDBUF, &byteCount, socklen_t(MemoryLayout<CInt>.size))
        let frame = try #require(AgentProtocol.encode(ClientFrame.hello(ClientFrame.Hello(app: "org.example.app"))))
        let bytes = [UInt8](repeatElement(frame, count: frameCount).joined())
        // No side reads yet, so the socket's buffer must hold all of it.
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

    /// A client that reads nothing must not fill the memory.
    @Test func whatWaitsForASlowReaderIsBounded() async throws {
        var sockets: [CInt] = [0, 0]
        #expect(socketpair(AF_UNIX, CInt(SOCK_STREAM.rawValue), 0, &sockets) == 0)
        defer { close(sockets[0]) }
        var limits = AgentConnection.Limits()
        limits.pendingByteCount = 10_000
        let (ends, end) = AsyncStream.makeStream(of: Void.self)
        let connection = AgentConnection(
            sockets[1], queue: DispatchQueue(label: "test"), limits: limits, onFrame: { _, _ in },
            onEnd: { _ in end.finish() })
        connection.start()
        let frame = ClientFrame.hello(ClientFrame.Hello(app: String(repeating: "a", count: 1_000)))
        // The socket's own buffer takes less than half a megabyte.
        let sentCount = (0..<2_000).prefix { _ in connection.send(frame) }.count
        #expect(sentCount >= 10 && sentCount < 2_000)
        for await _ in ends {}
        #expect(!connection.send(frame), "an ended connection sends nothing")
    }

    /// Any user can listen at the path where an app looks for its agent, before the agent does.
    @Test(.enabled(if: getuid() == 0, "only root has other users' rights"))
    func anotherUsersAgentLearnsNothing() async throws {
        let folder = "/tmp/earshot-test-\(getpid())"
        mkdir(folder, 0o777)
        chmod(folder, 0o777)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let path = "\(folder)/agent.sock"
        let stranger = Process()
        stranger.executableURL = URL(fileURLWithPath: "/usr/bin/setpriv")
        stranger.arguments = [
            "--reuid", "65534", "--regid", "65534", "--clear-groups", "/usr/bin/python3", "-c",
            "import socket, time; s = socket.socket(socket.AF_UNIX); s.bind('\(path)'); s.listen(); time.sleep(60)",
        ]
        try stranger.run()
        defer { stranger.terminate() }
        var (descriptor, code) = (CInt(-1), ENOENT)
        for _ in 0..<2_000 where descriptor < 0 && (code == ENOENT || code == ECONNREFUSED) {
            descriptor = AgentSocket.connect(path: path)
            code = errno
            if descriptor < 0, code != EPERM { try await Task.sleep(for: .milliseconds(10)) }
        }
        #expect(descriptor < 0 && code == EPERM, "\(descriptor), \(code)")
        if descriptor >= 0 { close(descriptor) }
    }

    /// Otherwise the other side would wait for frames that never arrive.
    @Test func aConnectionThatCannotSendEnds() async throws {
        var sockets: [CInt] = [0, 0]
        #expect(socketpair(AF_UNIX, CInt(SOCK_STREAM.rawValue), 0, &sockets) == 0)
        // The other side stops reading, and stays open.
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
