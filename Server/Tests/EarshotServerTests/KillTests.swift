import AsyncHTTPClient
import EarshotBasics
import Foundation
import GRDB
import Synchronization
import Testing

@testable import EarshotServer

/// Acknowledged publications survive `kill -9` at any moment.
///
/// EARSHOT_KILLS sets the number of kills; 20 take some seconds, 200 about a minute.
@Suite(.timeLimit(.minutes(10))) struct KillTests {
    private static let kills = ProcessInfo.processInfo.environment["EARSHOT_KILLS"].flatMap(Int.init) ?? 20
    private static let publishers = 4

    /// The acknowledged publications of one device: the content by the id.
    private struct Acknowledged: Sendable {
        let secret: String
        var contents: [String: Data] = [:]
    }

    /// A client that does not retry. After a kill, the default client would retry for twenty seconds.
    private static let client: HTTPClient = {
        var configuration = HTTPClient.Configuration()
        configuration.connectionPool.retryConnectionEstablishment = false
        return HTTPClient(configuration: configuration)
    }()

    @Test func nothingAcknowledgedIsLost() async throws {
        let daemon = try Daemon()
        let key = try daemon.key()
        var random = SeededGenerator(seed: 9)
        var before: [Acknowledged] = []
        var (total, lost) = (0, 0)
        for round in 0...Self.kills {
            try await daemon.serve(
                "--device-rate", "1000000", "--key-rate", "1000000", "--session-rate", "1000000",
                "--publications-per-device", "1000000", "--publications-per-key", "1000000")
            lost += try await missing(before, daemon)
            #expect(try integrity(daemon) == ["ok"], "after kill \(round)")
            guard round < Self.kills else { break }
            // The kill comes between the time before the first answer and some hundred answers later.
            let delay = Duration.microseconds(Int.random(in: 0...120_000, using: &random))
            before = try await publish(daemon, key, until: delay, seed: random.next())
            total += before.reduce(0) { $0 + $1.contents.count }
        }
        print("\(Self.kills) kills, \(total) acknowledged publications, \(lost) lost")
        // Fewer publications would prove nothing. There are forty per kill on two quiet cores, and nine on busy ones.
        #expect(total > Self.kills)
        #expect(lost == 0)
        #expect(daemon.end(SIGTERM) == 0)
    }

    /// Publishes from several devices as fast as possible, until the service is killed.
    private func publish(
        _ daemon: Daemon, _ key: String, until delay: Duration, seed: UInt64
    ) async throws -> [Acknowledged] {
        var devices: [Acknowledged] = []
        for _ in 0..<Self.publishers {
            let opened = try await daemon.send("POST", "/v1/devices", bearer: key)
            devices.append(Acknowledged(secret: try #require(opened.json["session"] as? String)))
        }
        return try await withThrowingTaskGroup(of: Acknowledged?.self) { group in
            for (index, device) in devices.enumerated() {
                group.addTask { await publishUntilItFails(device, daemon, seed: seed &+ UInt64(index)) }
            }
            group.addTask {
                try await Task.sleep(for: delay)
                #expect(daemon.end(SIGKILL) == -SIGKILL)
                return nil
            }
            return try await group.reduce(into: []) { all, device in
                if let device { all.append(device) }
            }
        }
    }

    private func publishUntilItFails(_ device: Acknowledged, _ daemon: Daemon, seed: UInt64) async -> Acknowledged {
        var (device, random) = (device, SeededGenerator(seed: seed))
        while true {
            // Most contents fit into a page of the database, some need many.
            let count = Bool.random(using: &random) ? 40 : Int.random(in: 0...20_000, using: &random)
            let content = Data((0..<count).map { _ in UInt8.random(in: .min ... .max, using: &random) })
            let answer = try? await daemon.send(
                "POST", "/v1/publications", bearer: device.secret,
                ["content": content.base64EncodedString(), "ttl_s": 86_400], client: Self.client)
            guard let answer, answer.status == 201, let id = answer.json["id"] as? String else { return device }
            device.contents[id] = content
        }
    }

    /// The number of publications that the service no longer lists, or that have other content in the database.
    private func missing(_ devices: [Acknowledged], _ daemon: Daemon) async throws -> Int {
        var missing = 0
        for device in devices {
            let answer = try await daemon.send("GET", "/v1/publications", bearer: device.secret)
            #expect(answer.status == 200)
            let listed = (answer.json["publications"] as? [[String: Any]] ?? []).compactMap { $0["id"] as? String }
            let stored = try contents(daemon, of: Array(device.contents.keys))
            for (id, content) in device.contents where !listed.contains(id) || stored[id] != content { missing += 1 }
        }
        return missing
    }

    private func contents(_ daemon: Daemon, of ids: [String]) throws -> [String: Data] {
        try read(daemon) { database in
            try ids.reduce(into: [:]) { found, id in
                found[id] = try Data.fetchOne(
                    database, sql: "SELECT content FROM publication WHERE identifier = ?", arguments: [id])
            }
        }
    }

    private func integrity(_ daemon: Daemon) throws -> [String] {
        try read(daemon) { try String.fetchAll($0, sql: "PRAGMA integrity_check") }
    }

    /// Reads the database beside the running service.
    private func read<Value>(_ daemon: Daemon, _ body: (Database) throws -> Value) throws -> Value {
        var configuration = Configuration()
        configuration.readonly = true
        configuration.busyMode = .timeout(5)
        return try DatabaseQueue(path: daemon.database, configuration: configuration).read(body)
    }
}
