import AsyncHTTPClient
import Foundation
import GRDB
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
        // Both listeners report the health.
        for base in [daemon.base, daemon.operations] { #expect(try await get(base + "/healthz").status == 200) }
        // Only this listener reports whether the process lives, for programs that may restart it.
        #expect(try await get(daemon.operations + "/livez").status == 200)
        #expect(try await get(daemon.base + "/livez").status == 404)
        // This listener does not offer the API.
        for path in ["/v1/devices", "/v1/openapi.json", "/metrics/", "/"] {
            let answer = try await get(daemon.operations + path)
            #expect(answer.status == 404 && answer.text.contains("no_such_path"), "\(path)")
            #expect(answer.text.contains("This listener has /healthz, /livez, /metrics."), "\(answer.text)")
        }
        #expect(daemon.operations.hasPrefix("http://127.0.0.1:"))
        #expect(daemon.end(SIGTERM) == 0)
    }

    /// When clients occupy all connections, the operator can still see that.
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

    /// The series that dashboards and alerts read. Each series has one line of help, one of type, and a value.
    @Test func theProcessIsMeasured() async throws {
        let daemon = try Daemon()
        let key = try daemon.key()
        try await daemon.serve()
        #expect(try await daemon.send("POST", "/v1/devices", bearer: key).status == 201)
        let lines = try await get(daemon.operations + "/metrics").text.split(separator: "\n")
        func value(_ name: String) throws -> Double {
            #expect(lines.filter { $0.hasPrefix("# TYPE \(name) ") }.count == 1, "\(name)")
            return try #require(
                lines.first { $0.hasPrefix("\(name) ") }.flatMap { Double($0.dropFirst(name.count + 1)) })
        }
        #expect(try (5e6...1e9).contains(value("process_resident_memory_bytes")))
        #expect(try value("process_cpu_seconds_total") > 0)
        #expect(try value("process_open_fds") == Double(daemon.openFiles))
        #expect(try value("process_max_fds") > value("process_open_fds") && value("process_threads") > 1)
        #expect(abs(try value("process_start_time_seconds") - Date().timeIntervalSince1970) < 60)
        #expect(try (0..<5).contains(value("earshot_sweep_lag_seconds")))
        #expect(try value("earshot_log_lag_seconds") == 0)
        #expect(lines.contains("earshot_build_info{version=\"0.2.0\"} 1"))
        let commits = try #require(lines.first { $0.hasPrefix("earshot_commit_seconds_count ") })
        #expect(Int(commits.split(separator: " ")[1]) ?? 0 >= 1)
        #expect(daemon.end(SIGTERM) == 0)
    }

    /// The process lives while its database does not answer.
    @Test func aServiceWithoutDatabaseLives() async throws {
        let daemon = try Daemon()
        try await daemon.serve()
        // Another program holds the lock of the database, so no write reaches the disk.
        var configuration = Configuration()
        configuration.allowsUnsafeTransactions = true
        let other = try DatabaseQueue(path: daemon.database, configuration: configuration)
        try await other.writeWithoutTransaction { try $0.execute(sql: "BEGIN IMMEDIATE") }
        while try await get(daemon.operations + "/healthz").status == 200 {}
        #expect(try await get(daemon.operations + "/livez").status == 200)
        try await other.writeWithoutTransaction { try $0.execute(sql: "COMMIT") }
        #expect(daemon.end(SIGKILL) == -SIGKILL)
    }

    @Test func itCanBeTurnedOff() async throws {
        let daemon = try Daemon()
        try await daemon.serve("--no-operations")
        #expect(try await get(daemon.base + "/healthz").status == 200)
        #expect(daemon.operations.isEmpty)
        #expect(daemon.end(SIGTERM) == 0)
    }

    /// Another service may use the default port. The reason names the address and the option.
    @Test func aTakenPortIsNamed() async throws {
        let (first, second) = (try Daemon(), try Daemon())
        try await first.serve()
        let port = try #require(first.operations.split(separator: ":").last)
        let result = try second.run("serve", "--port", "0", "--operations-port", "\(port)")
        #expect(result.status == 1 && result.output.isEmpty)
        #expect(
            result.error.contains(
                "the listener for operators cannot use 127.0.0.1:\(port) (--operations-host, --operations-port)"))
        #expect(try second.run("serve", "--operations-port", "65536").status == 64)
    }
}
