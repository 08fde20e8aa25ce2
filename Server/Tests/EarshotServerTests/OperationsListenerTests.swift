import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
import Testing

/// The listener for operators, of the built program.
@Suite(.timeLimit(.minutes(1))) struct OperationsListenerTests {
    private func get(_ url: String) async throws -> (status: Int, text: String) {
        let response = try await HTTPClient.shared.execute(HTTPClientRequest(url: url), timeout: .seconds(20))
        return (Int(response.status.code), String(buffer: try await response.body.collect(upTo: 1 << 20)))
    }

    @Test func clientsFindNoMetrics() async throws {
        let daemon = try Daemon()
        try await daemon.serve()
        let metrics = try await get(daemon.operations + "/metrics")
        #expect(metrics.status == 200 && metrics.text.contains("earshot_connections 0\n"))
        let refused = try await get(daemon.base + "/metrics")
        #expect(refused.status == 404 && refused.text.contains("no_such_path"))
        // Both listeners tell the health.
        for base in [daemon.base, daemon.operations] { #expect(try await get(base + "/healthz").status == 200) }
        // The interface is not for this listener.
        for path in ["/v1/devices", "/v1/openapi.json", "/metrics/", "/"] {
            let answer = try await get(daemon.operations + path)
            #expect(answer.status == 404 && answer.text.contains("no_such_path"), "\(path)")
        }
        #expect(daemon.operations.hasPrefix("http://127.0.0.1:"))
        #expect(daemon.end(SIGTERM) == 0)
    }

    /// Clients that take all connections do not keep the operator from seeing it.
    @Test func clientsTakeNoConnectionOfIt() async throws {
        let daemon = try Daemon()
        try await daemon.serve("--connections", "1", "--connections-per-address", "9")
        let held = try await RawConnection.open(to: try daemon.port)
        while try await !get(daemon.operations + "/metrics").text.contains("earshot_connections 1\n") {}
        let refused = try await get(daemon.base + "/healthz")
        #expect(refused.status == 503 && refused.text.contains("too_many_connections"))
        #expect(try await get(daemon.operations + "/healthz").status == 200)
        try await held.close()
    }

    @Test func itCanBeTurnedOff() async throws {
        let daemon = try Daemon()
        try await daemon.serve("--no-operations")
        #expect(try await get(daemon.base + "/healthz").status == 200)
        #expect(daemon.operations.isEmpty)
        #expect(daemon.end(SIGTERM) == 0)
    }

    /// The default port may be another service's: the reason says which address, and the option.
    @Test func aTakenPortIsNamed() async throws {
        let (first, second) = (try Daemon(), try Daemon())
        try await first.serve()
        let port = try #require(first.operations.split(separator: ":").last)
        let result = try second.run("serve", "--port", "0", "--operations-port", "\(port)")
        #expect(result.status == 1 && result.output.isEmpty)
        #expect(result.error.contains("the listener for operators cannot use 127.0.0.1:\(port) (--operations-port)"))
        #expect(try second.run("serve", "--operations-port", "65536").status == 64)
    }
}
