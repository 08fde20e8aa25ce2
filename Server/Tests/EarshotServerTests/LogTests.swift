import Foundation
import Hummingbird
import HummingbirdTesting
import Logging
import Synchronization
import Testing

@testable import EarshotServer

/// The data that must never appear in a log.
@Suite struct LogTests {
    /// Collects all log messages at every level, including those of the libraries below.
    private final class Lines: Sendable {
        let text = Mutex("")

        var logger: Logger {
            var logger = Logger(label: "test") { _ in Handler(lines: self) }
            logger.logLevel = .trace
            return logger
        }
    }

    private struct Handler: LogHandler {
        let lines: Lines
        var metadata: Logger.Metadata = [:]
        var logLevel = Logger.Level.trace

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            let all = metadata.merging(event.metadata ?? [:]) { $1 }
            lines.text.withLock { $0 += "\(event.level) \(event.message) \(all)\n" }
        }
    }

    @Test func noKeysTokensOrPayloads() async throws {
        let world = try World()
        let key = try await world.key()
        let lines = Lines()
        let content = Data("a payload that is easily found".utf8)
        let secrets = try await EarshotServer.application(world.service, logger: lines.logger).test(.live) { client in
            let caller = try await Caller(client, key: key)
            let publication = try await caller.send(
                .post, "/v1/publications", ["content": content.base64EncodedString(), "type": "secrettype"])
            let token = try #require((publication["token"] as? [String: Any])?["token"] as? String)
            let guess = "feedfacecafebeef"
            _ = try await caller.send(.post, "/v1/sightings", ["heard": [token, guess]])
            // Errors are logged in more detail.
            _ = try await caller.send(.post, "/v1/publications", ["content": 7, "type": "secrettype"])
            _ = try await caller.send(.post, "/v1/sightings", raw: "{\"heard\":[\"\(token)\"")
            _ = try await caller.send(.get, "/v1/\(token)")
            _ = try await Caller(client, bearer: key + "x").send(.post, "/v1/devices")
            // A failing store.
            try world.store.close()
            _ = try await caller.send(
                .post, "/v1/publications", ["content": content.base64EncodedString(), "type": "secrettype"])
            return [
                key, try #require(caller.bearer), token, guess, content.base64EncodedString(), "secrettype",
                String(decoding: content, as: UTF8.self),
            ]
        }
        let text = lines.text.withLock { $0 }
        #expect(text.contains("answered"))
        #expect(text.contains("/v1/sightings"))
        #expect(text.contains("request failed"))
        for secret in secrets { #expect(!text.contains(secret), "the log contains \(secret)") }
    }

    /// The whole program, with all kinds of log lines: successful and failed requests, a reload, an end, and the operator's
    /// commands.
    @Test func theProgramsLogHoldsNoSecret() async throws {
        let daemon = try Daemon()
        let key = try daemon.key()
        try await daemon.serve("--log-level", "trace")
        let session = try #require(try await daemon.send("POST", "/v1/devices", bearer: key).json["session"] as? String)
        let content = Data("marker of a content".utf8).base64EncodedString()
        let order: [String: Any] = ["content": content, "type": "markertype", "namespace": "markerspace"]
        let publication = try await daemon.send("POST", "/v1/publications", bearer: session, order).json
        let token = try #require((publication["token"] as? [String: Any])?["token"] as? String)
        _ = try await daemon.send("POST", "/v1/subscriptions", bearer: session, ["type": "markertype"])
        _ = try await daemon.send("POST", "/v1/sightings", bearer: session, ["heard": [token, "feedfacecafebeef"]])
        for (bearer, path) in [
            (session + "x", "/v1/publications"), (session, "/v1/\(token)"), (session, "/v1/publications"),
        ] {
            let refused = try await daemon.send("POST", path, bearer: bearer, ["content": 7, "type": "markertype"])
            #expect((400..<500).contains(refused.status), "\(path)")
        }
        _ = try await daemon.send("DELETE", "/v1/devices/self?token=\(token)", bearer: session)
        daemon.tell(SIGHUP)
        try await daemon.waitForLog("reloaded")
        #expect(daemon.end(SIGTERM) == 0)
        let listed = try daemon.run("key", "list")
        let away = try daemon.runAlone("key", "list", "--database", "postgres://user:markerpassword@127.0.0.1:1/x")
        #expect(away.status != 0 && away.error.contains("127.0.0.1"), "\(away.error)")

        // libpq's own errors quote these addresses.
        let malformed = try [
            ("postgres://user:markerpassword%zz@127.0.0.1/x", "no address of PostgreSQL"),
            ("postgres://user:markerpassword@[::1/x", "no address of PostgreSQL"),
            ("postgres://user:markerpassword@127.0.0.1/x?sslmod=require", "has no parameter 'sslmod'"),
            ("postgres://user:markerpassword/2@127.0.0.1/x", "The port of this address cannot be right"),
            ("postgres://user:mark@markerpassword@127.0.0.1/x", "The host of this address cannot be right"),
        ].map { address, reason in
            let refused = try daemon.runAlone("key", "list", "--database", address)
            #expect(refused.status != 0 && refused.error.contains(reason), "\(refused.error)")
            return refused.output + refused.error
        }
        let said = malformed.joined() + daemon.log + listed.output + listed.error + away.output + away.error
        #expect(said.contains("answered") && said.contains("/v1/sightings"))
        let secrets = [
            key, String(key.suffix(20)), session, token, "feedfacecafebeef", content, "marker of a content",
            "markertype",
            "markerspace", "markerpassword",
        ]
        for secret in secrets { #expect(!said.contains(secret), "the program's output contains \(secret)") }
    }

    /// Each line is one object: the time, the level, the message and the event's metadata.
    @Test func linesOfJSON() async throws {
        let daemon = try Daemon()
        try await daemon.serve("--log-format", "json", "--log-level", "debug")
        #expect(try await daemon.send("GET", "/v1/\"x\n", bearer: "").status == 404)
        daemon.tell(SIGHUP)
        try await daemon.waitForLog("reloaded")
        #expect(daemon.end(SIGTERM) == 0)
        let lines = try daemon.log.split(separator: "\n").map { line in
            try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: String], "\(line)")
        }
        let answered = try #require(lines.first { $0["message"] == "answered" })
        #expect(answered["level"] == "debug" && answered["status"] == "404" && answered["path"] == "NotFound")
        let time = try #require(answered["time"])
        #expect(time.wholeMatch(of: /20[0-9-]{8}T[0-9:]{8}\.[0-9]+Z/) != nil, "\(time)")
        #expect(lines.contains { $0["message"] == "reloaded" && $0["level"] == "notice" })
    }

    /// The log names the problem's code, not the type `Problem`.
    @Test func reasonsSayWhatHappened() {
        #expect(reason(of: Problem.overloaded) == "overloaded")
        #expect(reason(of: CocoaError(.fileNoSuchFile)) == "CocoaError", "its text may quote a path")
    }
}
