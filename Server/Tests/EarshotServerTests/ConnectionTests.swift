import AsyncHTTPClient
import Foundation
import Hummingbird
import HummingbirdTesting
import NIOCore
import NIOHTTP1
import Testing

@testable import EarshotServer

/// Connections beyond the limit.
@Suite(.timeLimit(.minutes(1))) struct ConnectionTests {
    @Test func aConnectionBeyondTheLimitGetsAnAnswer() async throws {
        // The test's own client has one of them.
        let world = try World {
            $0.connections = 3
            $0.connectionsPerAddress = 9
        }
        let (_, secret) = try await world.service.openSession(key: try await world.key())
        try await EarshotServer.application(world.service, logger: silent).test(.live) { client in
            _ = try await Caller(client, bearer: nil).send(.get, "/healthz")
            let base = "http://127.0.0.1:\(try #require(client.port))"
            var readers: [EventReader] = []
            for _ in 0..<2 {
                var reader = try await EventReader(base, bearer: secret)
                #expect(try await reader.next()?.name == "ready")
                readers.append(reader)
            }
            let refused = try await HTTPClient.shared.execute(
                HTTPClientRequest(url: base + "/healthz"), timeout: .seconds(10))
            #expect(refused.status == .serviceUnavailable)
            #expect(refused.headers["retry-after"] == ["5"])
            let body = String(buffer: try await refused.body.collect(upTo: 10_000))
            #expect(body == Problem.tooManyConnections.body)
            // The client uses one of the open connections, which still works.
            #expect(try await Caller(client, bearer: nil).send(.get, "/healthz").status == .ok)
            #expect(readers.count == 2)
        }
    }

    private static let half = "GET /healthz HTTP/1.1\r\nHost: x\r\n"
    private static let whole = half + "Connection: close\r\n\r\n"

    /// Requests whose headers never end occupy few connections, and only for a short time. A client at another address gets
    /// its answer.
    @Test func halfSentHeadsOfOneAddress() async throws {
        let world = try World {
            $0.connections = 100
            $0.connectionsPerAddress = 20
            $0.headTime = .seconds(10)
        }
        let connections = world.service.connections
        try await EarshotServer.application(world.service, logger: silent).test(.live) { client in
            let port = try #require(client.port)
            let start = ContinuousClock.now
            async let answers = withThrowingTaskGroup(of: String.self) { group in
                for _ in 0..<200 { group.addTask { try await RawConnection.say(Self.half, to: port) } }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            while connections.count < 20 { try await Task.sleep(for: .milliseconds(1)) }
            let asked = ContinuousClock.now
            #expect(try await RawConnection.say(Self.whole, to: port, from: "127.0.0.2").hasPrefix("HTTP/1.1 200 "))
            #expect(ContinuousClock.now - asked < .seconds(10), "a client at another address waits for none of them")
            #expect(connections.count <= 36, "20 connections, and 16 that wait for a refusal")
            let ends = try await answers
            #expect(ContinuousClock.now - start < .seconds(30))
            // The test's own client has one connection.
            let late = ends.filter { $0.hasPrefix("HTTP/1.1 408 ") && $0.hasSuffix(Problem.requestTooSlow.body) }
            #expect(late.count >= 19)
            #expect(ends.count { $0.isEmpty } == 200 - late.count, "the others were closed at once")
            // The address is free again.
            #expect(try await RawConnection.say(Self.whole, to: port).hasPrefix("HTTP/1.1 200 "))
        }
        #expect(connections.count == 0)
        #expect(world.service.metrics.text(commits: Histogram(), gauges: []).contains("{code=\"request_too_slow\"} "))
    }

    /// An address has a limit of connections, and the answer names it. A proxy's address has none.
    @Test(arguments: [false, true]) func anAddressHasALimit(isProxy: Bool) async throws {
        let world = try World { $0.connectionsPerAddress = 2 }
        let proxies = isProxy ? [try #require(IPAddress("127.0.0.2"))] : []
        world.service.settings.change { $0.proxies = Set(proxies) }
        let application = EarshotServer.application(world.service, logger: silent)
        try await application.test(.live) { client in
            let port = try #require(client.port)
            // Each waits for 60 s after its answer. The test's own client has one connection, from another address.
            let kept = (0..<2).map { _ in
                Task { try await RawConnection.say(Self.half + "\r\n", to: port, from: "127.0.0.2") }
            }
            while world.service.connections.count < 3 { try await Task.sleep(for: .milliseconds(1)) }
            let third = try await RawConnection.say(Self.whole, to: port, from: "127.0.0.2")
            if isProxy {
                #expect(third.hasPrefix("HTTP/1.1 200 "))
            } else {
                #expect(third.hasPrefix("HTTP/1.1 429 ") && third.lowercased().contains("retry-after: 5\r\n"))
                #expect(third.hasSuffix(Problem.tooManyConnections(perAddress: 2).body))
            }
            for task in kept { task.cancel() }
        }
    }

    /// The time limit of a later request's head begins with its first byte. A connection without a request may wait
    /// longer.
    @Test func theTimeOfALaterHead() async throws {
        let world = try World { $0.headTime = .seconds(5) }
        try await EarshotServer.application(world.service, logger: silent).test(.live) { client in
            let port = try #require(client.port)
            func say(_ pieces: String...) async throws -> String {
                try await RawConnection.say(pieces.map { ByteBuffer(string: $0) }, to: port, pause: .seconds(6))
            }
            let patient = try await say(Self.half + "\r\n", Self.whole)
            #expect(patient.components(separatedBy: "HTTP/1.1 200 ").count == 3, "\(patient)")
            let slow = try await say(Self.half + "\r\n", Self.half)
            #expect(slow.hasPrefix("HTTP/1.1 200 ") && slow.contains("HTTP/1.1 408 "), "\(slow)")
            #expect(slow.hasSuffix(Problem.requestTooSlow.body), "\(slow)")
            // A connection that sends nothing is closed without an answer.
            let start = ContinuousClock.now
            #expect(try await RawConnection.say("", to: port) == "")
            #expect(ContinuousClock.now - start < .seconds(20))
        }
    }
}
