import EarshotBasics
import Foundation
import Hummingbird
import HummingbirdTesting
import NIOCore
import Testing

@testable import EarshotServer

/// The service rejects invalid input with an answer, within its time limit, and continues.
@Suite(.timeLimit(.minutes(3))) struct NonsenseTests {
    @Test func noHTTP() async throws {
        try await onPort { port, _ in
            for text in [
                "hello\r\n\r\n", "\u{16}\u{3}\u{1}\u{2}\u{0}\u{1}\u{0}", "GET /healthz HTTP/9.9\r\n\r\n",
                "GET /healthz HTTP/1.1\r\nno colon\r\n\r\n", "GET  HTTP/1.1\r\nHost: x\r\n\r\n",
                "POST /v1/devices HTTP/1.1\r\nHost: x\r\nContent-Length: many\r\n\r\n",
                "POST /v1/devices HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n",
            ] {
                let answer = try await RawConnection.say(text, to: port)
                #expect(answer.hasPrefix("HTTP/1.1 400 "), "\(text.debugDescription): \(answer)")
                #expect(answer.hasSuffix(Problem.badRequest.body), "\(text.debugDescription): \(answer)")
            }
        }
    }

    @Test func host() async throws {
        try await onPort { port, _ in
            for headers in ["", "Host:\r\n", "Host: x\r\nHost: x\r\n", "Host: x\r\nHost: y\r\n"] {
                let answer = try await RawConnection.say("GET /healthz HTTP/1.1\r\n\(headers)\r\n", to: port)
                #expect(answer.hasPrefix("HTTP/1.1 400 "), "\(headers.debugDescription): \(answer)")
                #expect(answer.hasSuffix(Problem.badHost.body), "\(headers.debugDescription): \(answer)")
            }
        }
    }

    /// The service refuses a request with an ambiguous end, and closes the connection.
    @Test func transferEncoding() async throws {
        try await onPort { port, secret in
            let body = "e\r\n{\"content\":\"\"}\r\n0\r\n\r\n"
            func say(_ headers: String, isClosing: Bool = false) async throws -> String {
                try await RawConnection.say(
                    "POST /v1/publications HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer \(secret)\r\n\(headers)\r\n\(body)",
                    to: port, isClosing: isClosing)
            }
            for coding in ["identity", "identity, chunked", "identity\r\nTransfer-Encoding: chunked", "gzip, chunked"] {
                let answer = try await say("Transfer-Encoding: \(coding)\r\n")
                #expect(answer.hasPrefix("HTTP/1.1 501 "), "\(coding.debugDescription): \(answer)")
                #expect(answer.hasSuffix(Problem.badTransferEncoding.body), "\(coding.debugDescription): \(answer)")
            }
            for coding in ["chunked, identity", "chunked\r\nContent-Length: 14"] {
                let answer = try await say("Transfer-Encoding: \(coding)\r\n")
                #expect(answer.hasPrefix("HTTP/1.1 400 "), "\(coding.debugDescription): \(answer)")
                #expect(answer.components(separatedBy: "HTTP/1.1 ").count == 2, "\(coding.debugDescription): \(answer)")
            }
            // TE concerns the answer, for which 'chunked' is always allowed.
            for headers in ["", "TE: identity\r\n", "TE: trailers\r\n"] {
                let answer = try await say("\(headers)Transfer-Encoding: Chunked\r\n", isClosing: true)
                #expect(answer.hasPrefix("HTTP/1.1 201 "), "\(headers.debugDescription): \(answer)")
            }
        }
    }

    /// A header that continues on the next line, such as one with a line break in its secret.
    @Test func brokenSecrets() async throws {
        try await onPort { port, secret in
            for broken in [
                "\(secret)\r\n x", "\(secret)\n x", "\(secret)\rx", "\(secret.prefix(30))\n\(secret.dropFirst(30))",
            ] {
                let answer = try await RawConnection.say(
                    "GET /v1/device HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer \(broken)\r\n\r\n", to: port,
                    isClosing: true)
                #expect(answer.hasPrefix("HTTP/1.1 400 "), "\(broken.debugDescription): \(answer)")
            }
        }
    }

    @Test func hugeHeaders() async throws {
        try await onPort { port, _ in
            for headers in [
                "X-Long: " + String(repeating: "x", count: 9_000) + "\r\n",
                String(repeating: "X-Many: x\r\n", count: 65),
                (0..<20).map { "X-Sum-\($0): " + String(repeating: "x", count: 1_000) + "\r\n" }.joined(),
                // A header without an end.
                String(repeating: "x", count: 1 << 20),
            ] {
                let answer = try await RawConnection.say("GET /healthz HTTP/1.1\r\n" + headers + "\r\n", to: port)
                #expect(answer.hasPrefix("HTTP/1.1 431 "), "\(headers.prefix(20)): \(answer)")
                #expect(answer.hasSuffix(Problem.headersTooLarge.body), "\(headers.prefix(20)): \(answer)")
            }
            let path = "GET /" + String(repeating: "x", count: 100_000) + " HTTP/1.1\r\nHost: x\r\n\r\n"
            #expect(try await RawConnection.say(path, to: port).hasPrefix("HTTP/1.1 4"))
        }
    }

    @Test func halfARequest() async throws {
        try await onPort { port, secret in
            let whole = publication(secret, content: "{\"content\":\"\"}")
            #expect(try await RawConnection.say(whole, to: port, isClosing: true).hasPrefix("HTTP/1.1 201 "))
            for count in [1, 10, 60, whole.utf8.count - 1] {
                let answer = try await RawConnection.say(
                    String(decoding: whole.utf8.prefix(count), as: UTF8.self), to: port, isClosing: true)
                #expect(answer.hasPrefix("HTTP/1.1 400 "), "\(count) bytes: \(answer)")
                #expect(answer.hasSuffix(Problem.badRequest.body), "\(count) bytes: \(answer)")
            }
            #expect(try await RawConnection.say("", to: port, isClosing: true) == "")
        }
    }

    /// The client sends a byte now and then, in the headers and in the body. A byte that reaches a closed connection discards
    /// an unread answer, so a busy machine may need several attempts to read one.
    @Test func slowLoris() async throws {
        try await onPort(requestTime: .milliseconds(500), idleTime: .seconds(1)) { port, secret in
            let start = ContinuousClock.now
            func answer(_ pieces: [ByteBuffer]) async throws -> String {
                for _ in 0..<5 {
                    let answer = try await RawConnection.say(pieces, to: port, pause: .milliseconds(100))
                    if !answer.isEmpty { return answer }
                }
                return ""
            }
            let drops = [ByteBuffer](repeating: ByteBuffer(string: "x"), count: 900)
            let line = [ByteBuffer(string: "GET /")]
            let endless = try await answer(line + drops)
            #expect(endless.hasPrefix("HTTP/1.1 408 "))
            #expect(endless.hasSuffix(Problem.requestTooSlow.body))
            // A body has its own time limit.
            let begun = [ByteBuffer(string: head(secret, length: 1_000))]
            let slow = try await answer(begun + drops)
            #expect(slow.hasPrefix("HTTP/1.1 408 "))
            #expect(slow.hasSuffix(Problem.requestTooSlow.body))
            // The service rejects this request without waiting for its body, and answers once.
            let stranger = [ByteBuffer(string: head("unknown", length: 1_000))]
            let told = try await answer(stranger + drops)
            #expect(told.hasPrefix("HTTP/1.1 401 "))
            #expect(told.components(separatedBy: "HTTP/1.1 ").count == 2)
            // 900 bytes, one in 100 ms, take 90 s each time.
            #expect(ContinuousClock.now - start < .seconds(45))
        }
    }

    @Test func bodies() async throws {
        let world = try World()
        let key = try await world.key()
        try await EarshotServer.application(world.service, logger: silent).test(.router) { client in
            let caller = try await Caller(client, key: key)
            let deep = String(repeating: "[", count: 100_000)
            for body in [
                ByteBuffer(bytes: [0xff, 0xfe, 0xc3, 0x28]), ByteBuffer(string: "{\"content\":\"\u{0}\"}"),
                ByteBuffer(bytes: Array("{\"content\":\"".utf8) + [0xc0, 0xaf] + Array("\"}".utf8)),
                ByteBuffer(string: deep), ByteBuffer(string: "{\"content\":" + deep),
                ByteBuffer(string: "{\"content\":\"\",\"ttl_s\":1e400}"),
                ByteBuffer(string: "{\"content\":\"\",\"ttl_s\":1.5}"),
                ByteBuffer(string: "{\"content\":\"\",\"type\":\"\\ud800\"}"),
                ByteBuffer(string: "{\"content\":\"\",\"type\":7}"), ByteBuffer(string: "{\"content\":\"aGVsbG8\"}"),
                ByteBuffer(string: "null"), ByteBuffer(string: "\"\""), ByteBuffer(string: "{}{}"),
            ] {
                let answer = try await caller.send(.post, "/v1/publications", bytes: body)
                #expect(
                    answer.status == .badRequest, "\(body.getString(at: 0, length: min(40, body.readableBytes)) ?? "")")
                #expect(answer.code == "bad_body")
            }
            // SQLite would end the text at NUL, so two types would be equal.
            let cut = try await caller.send(.post, "/v1/subscriptions", ["type": "a\u{0}b"])
            #expect(cut.code == "out_of_range")
            #expect(cut.problem("message").contains("NUL"))
        }
    }

    /// Requests with random damage. The service answers them or not, but never with an internal error.
    @Test func damagedRequests() async throws {
        try await onPort { port, secret in
            var random = SeededGenerator(seed: 41)
            let content = "{\"type\":\"t\",\"content\":\"aGVsbG8=\",\"ttl_s\":60}"
            let damaged = (0..<300).map { _ -> ByteBuffer in
                var bytes = Array(publication(secret, content: content).utf8)
                for _ in 0..<Int.random(in: 1...4, using: &random) {
                    let index = bytes.indices.randomElement(using: &random) ?? 0
                    switch Int.random(in: 0..<3, using: &random) {
                    case 0: bytes[index] = UInt8.random(in: .min ... .max, using: &random)
                    case 1: bytes.removeSubrange(index..<min(bytes.count, index + 5))
                    default: bytes.insert(contentsOf: bytes.prefix(index), at: index)
                    }
                }
                return ByteBuffer(bytes: bytes)
            }
            var statuses: [Substring: Int] = [:]
            for request in damaged {
                let answer = try await RawConnection.say([request], to: port, isClosing: true)
                let status = answer.dropFirst("HTTP/1.1 ".count).prefix(3)
                statuses[status, default: 0] += 1
                #expect(answer.isEmpty || answer.hasPrefix("HTTP/1.1 "))
                #expect(
                    ["", "200", "201", "400", "401", "404", "408", "413", "422", "431"].contains(status), "\(answer)")
            }
            // With fewer statuses, the damage had no variety.
            #expect(statuses.count >= 4, "\(statuses)")
        }
    }

    private func publication(_ secret: String, content: String) -> String {
        head(secret, length: content.utf8.count) + content
    }

    private func head(_ secret: String, length: Int) -> String {
        """
        POST /v1/publications HTTP/1.1\r
        Host: x\r
        Authorization: Bearer \(secret)\r
        Content-Length: \(length)\r
        \r

        """
    }

    /// Runs a service on a port, with a session, and checks that it still answers afterwards.
    private func onPort(
        requestTime: Duration = .seconds(30), idleTime: Duration = .seconds(60),
        _ body: @Sendable (_ port: Int, _ secret: String) async throws -> Void
    ) async throws {
        let world = try World {
            $0.headTime = requestTime
            $0.requestTime = requestTime
            $0.idleTime = idleTime
        }
        let (_, secret) = try await world.service.openSession(key: try await world.key())
        try await EarshotServer.application(world.service, logger: silent).test(.live) { client in
            let port = try #require(client.port)
            try await body(port, secret)
            let health = "GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"
            // A busy machine can miss the half second for a request.
            var answer = ""
            for _ in 0..<20 where !answer.hasPrefix("HTTP/1.1 200 ") {
                answer = try await RawConnection.say(health, to: port)
            }
            #expect(answer.hasPrefix("HTTP/1.1 200 "))
        }
        let problems = world.service.metrics.text(commits: Histogram(), gauges: []).split(separator: "\n")
        #expect(!problems.contains { $0.contains("internal_error") })
    }
}
