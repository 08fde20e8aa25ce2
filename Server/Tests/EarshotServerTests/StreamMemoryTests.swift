import AsyncHTTPClient
import Foundation
import NIOCore
import NIOPosix
import NIOSSL
import Synchronization
import Testing

@testable import EarshotServer

/// The memory of an idle event stream. In a large service, idle streams take the most memory.
///
/// `Server/Benchmarks/streams.sh` measures it with thousands of streams. The figure for a thousand streams is within a
/// tenth of that.
@Suite(.serialized, .timeLimit(.minutes(2))) struct StreamMemoryTests {
    private static let count = 1_000
    /// Streams opened before the first measurement, so that memory that the service takes only once does not count.
    private static let warmCount = 300

    /// On 2026-11-27 a stream took 17.4 KB, and 38.3 KB over TLS; the limits here are a seventh higher.
    @Test(arguments: [(isTLS: false, kilobytes: 20), (isTLS: true, kilobytes: 44)])
    func anIdleStreamStaysSmall(isTLS: Bool, kilobytes: Double) async throws {
        let daemon = try Daemon()
        let key = try daemon.key()
        var options = ["--key-rate", "1000000", "--session-rate", "1000000", "--connections-per-address", "3000"]
        var tls: NIOSSLContext?
        if isTLS {
            try daemon.makeCertificate()
            options += ["--tls-certificate", daemon.file("cert.pem").path, "--tls-key", daemon.file("key.pem").path]
            var configuration = TLSConfiguration.makeClientConfiguration()
            configuration.certificateVerification = .none
            tls = try NIOSSLContext(configuration: configuration)
        }
        try await daemon.serve(options, files: 4_096)
        _ = FileDescriptors.connectionsAfterRaising()
        let sessions = try await sessions(Self.warmCount + Self.count, daemon, key, isTLS)
        let first = try await open(sessions[..<Self.warmCount], daemon, tls)
        let before = daemon.memoryBytes
        let others = try await open(sessions[Self.warmCount...], daemon, tls)
        let measured = Double(daemon.memoryBytes - before) / Double(Self.count) / 1_000
        print("an idle stream\(isTLS ? " over TLS" : ""): \(measured) KB")
        #expect(measured < kilobytes)
        // The next process starts with few open files; see run.sh.
        for channel in first + others { try? await channel.close() }
        #expect(daemon.end(SIGTERM) == 0)
    }

    private func sessions(_ count: Int, _ daemon: Daemon, _ key: String, _ isTLS: Bool) async throws -> [String] {
        let client = isTLS ? Daemon.client(trusting: try daemon.certificate()) : HTTPClient()
        var sessions: [String] = []
        for _ in 0..<count {
            let opened = try await daemon.send("POST", "/v1/devices", bearer: key, client: client)
            sessions.append(try #require(opened.json["session"] as? String))
        }
        try await client.shutdown()
        return sessions
    }

    /// Opens streams, and waits until each is quiet.
    private func open(
        _ sessions: ArraySlice<String>, _ daemon: Daemon, _ tls: NIOSSLContext?
    ) async throws -> [any Channel] {
        let ready = Readiness()
        var channels: [any Channel] = []
        for session in sessions {
            let channel = try await ClientBootstrap(group: .singletonMultiThreadedEventLoopGroup)
                .channelInitializer { channel in
                    channel.eventLoop.makeCompletedFuture {
                        if let tls {
                            try channel.pipeline.syncOperations.addHandler(
                                NIOSSLClientHandler(context: tls, serverHostname: nil))
                        }
                        try channel.pipeline.syncOperations.addHandler(ReadyHandler(ready))
                    }
                }.connect(host: "127.0.0.1", port: daemon.port).get()
            let request = "GET /v1/events HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer \(session)\r\n\r\n"
            try await channel.writeAndFlush(ByteBuffer(string: request))
            channels.append(channel)
        }
        let end = ContinuousClock.now + .seconds(60)
        while ready.count < sessions.count {
            try #require(ContinuousClock.now < end, "\(ready.count) of \(sessions.count) streams have begun")
            try await Task.sleep(for: .milliseconds(10))
        }
        return channels
    }

    private final class Readiness: Sendable {
        private let total = Atomic(0)

        var count: Int { total.load(ordering: .relaxed) }
        func add() { total.add(1, ordering: .relaxed) }
    }

    /// Counts a stream that has sent its first comment, which follows all messages that are near.
    private final class ReadyHandler: ChannelInboundHandler, Sendable {
        typealias InboundIn = ByteBuffer
        private let ready: Readiness
        private let text = Mutex("")

        init(_ ready: Readiness) { self.ready = ready }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            let isReady = text.withLock { text in
                let wasReady = text.contains(": quiet")
                text += String(buffer: unwrapInboundIn(data))
                return !wasReady && text.contains(": quiet")
            }
            if isReady { ready.add() }
        }
    }
}

extension Daemon {
    /// The resident memory of the service.
    fileprivate var memoryBytes: Int {
        let status = (try? String(contentsOfFile: "/proc/\(processIdentifier)/status", encoding: .utf8)) ?? ""
        return status.firstMatch(of: /VmRSS:\s*(\d+) kB/).flatMap { Int($0.1) }.map { $0 * 1_024 } ?? 0
    }
}
