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
        // The test's own client holds one of them.
        let world = try World { $0.connections = 3 }
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
}
