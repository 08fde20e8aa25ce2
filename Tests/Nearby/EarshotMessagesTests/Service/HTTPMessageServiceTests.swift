import EarshotCoding
import EarshotDiscovery
import Foundation
import MessagesTestSupport
import NearbyWire
import TestSupport
import Testing

@testable import EarshotMessages

extension HTTPTests {
    /// `HTTPMessageService` with a scripted server.
    @Suite struct HTTPMessageServiceTests {
        private let session = ServiceSession(secret: "the-session")

        private func service(
            _ url: String, key: String = "the-key", _ change: (inout MessageManager.Pace) -> Void = { _ in }
        ) throws -> HTTPMessageService {
            var pace = MessageManager.Pace()
            change(&pace)
            return HTTPMessageService(url: try #require(URL(string: url)), key: key, pace: pace)
        }

        private static let registered = """
            {"content_bytes":5,"expires_in_s":600,"id":"id-1","namespace":"","token":
            {"expires_in_s":120,"rotate_in_s":60,"token":"0123456789abcdef"},"type":"greeting"}
            """

        private func failure<Answer>(
            _ body: () async throws(ServiceFailure) -> Answer
        ) async -> ServiceFailure? {
            do throws(ServiceFailure) {
                _ = try await body()
                return nil
            } catch { return error }
        }

        @Test func aSession() async throws {
            let server = try ScriptedServer { request in
                request.line.hasPrefix("POST")
                    ? ScriptedServer.answer(
                        201, "{\"device\":\"d\",\"session\":\"the-session\",\"expires_in_s\":1,\"more\":[]}")
                    : ScriptedServer.answer(204)
            }
            let service = try service(server.url + "/below/")
            #expect(try await service.openSession() == session)
            try await service.end(session)
            #expect(
                server.requests.map(\.line) == ["POST /below/v1/devices HTTP/1.1", "DELETE /below/v1/device HTTP/1.1"])
            #expect(server.requests.map { $0.headers["authorization"] } == ["Bearer the-key", "Bearer the-session"])
        }

        @Test func publishingAndSubscribing() async throws {
            let server = try ScriptedServer { request in
                request.line.hasPrefix("DELETE")
                    ? ScriptedServer.answer(204) : ScriptedServer.answer(201, Self.registered)
            }
            let service = try service(server.url)
            let message = Message("hello", type: "greeting")
            let registration = try await service.register(
                .publication(message), timeToLive: .seconds(300), idempotencyKey: "once", in: session)
            #expect(
                registration
                    == Registration(
                        name: RegistrationName(.publication, "id-1"), expiresIn: .seconds(600),
                        token: try Payload(hex: "0123456789abcdef"), tokenExpiresIn: .seconds(120),
                        rotateIn: .seconds(60)))
            _ = try await service.renew(registration.name, timeToLive: .seconds(300), in: session)
            try await service.withdraw(registration.name, in: session)
            _ = try await service.register(
                .subscription(namespace: "n", type: ""), timeToLive: .seconds(300), idempotencyKey: "twice", in: session
            )
            let requests = server.requests
            #expect(
                requests.map(\.line) == [
                    "POST /v1/publications HTTP/1.1", "PUT /v1/publications/id-1 HTTP/1.1",
                    "DELETE /v1/publications/id-1 HTTP/1.1", "POST /v1/subscriptions HTTP/1.1",
                ])
            let body = try #require(
                try JSONSerialization.jsonObject(with: requests[0].body) as? [String: any Sendable])
            #expect(body["content"] as? String == "aGVsbG8=" && body["type"] as? String == "greeting")
            #expect(body["ttl_s"] as? Int == 300 && body["idempotency_key"] as? String == "once")
            let order = try #require(
                try JSONSerialization.jsonObject(with: requests[3].body) as? [String: any Sendable])
            #expect(order["namespace"] as? String == "n" && order["content"] == nil)
            #expect(requests.allSatisfy { $0.headers["authorization"] == "Bearer the-session" })
        }

        @Test func theMaximumMessageIsSentAtOnce() async throws {
            let server = try ScriptedServer { _ in ScriptedServer.answer(201, Self.registered) }
            let content = Data((0..<Message.maximumContentCount).map { UInt8(truncatingIfNeeded: $0) })
            _ = try await service(server.url).register(
                .publication(Message(content: content)), timeToLive: .seconds(300), idempotencyKey: "1", in: session)
            let request = try #require(server.requests.first)
            // The server does not answer 100-continue; waiting for it would take a second.
            #expect(request.headers["expect"] == nil || request.headers["expect"] == "")
            struct Body: Decodable { let content: Data }
            #expect(try JSONDecoder().decode(Body.self, from: request.body).content == content)
        }

        @Test func sightings() async throws {
            let server = try ScriptedServer { _ in
                ScriptedServer.answer(
                    200,
                    """
                    {"heard":[{"token":"0123456789ABCDEF","status":"VALID"},{"token":"moo","status":"VALID"},
                    {"token":"1111111111111111","status":"INVALID"},{"token":"2222222222222222","status":"NEW"}],"lost":[]}
                    """)
            }
            let (one, other) = (try Payload(hex: "0123456789abcdef"), try Payload(hex: "1111111111111111"))
            var report = SightingReport(heard: [one, other], lost: [try Payload(hex: "3333333333333333")])
            report.ages[one] = .microseconds(1_234_567)
            let statuses = try await service(server.url).report(report, in: session)
            #expect(statuses == [one: .valid, other: .invalid])
            let body = try #require(server.requests.first).body
            let sent = try #require(try JSONSerialization.jsonObject(with: body) as? NSDictionary)
            let expected: NSDictionary = [
                "heard": [
                    ["token": "0123456789abcdef", "age_s": 1.235],
                    ["token": "1111111111111111"],
                ], "lost": ["3333333333333333"],
            ]
            #expect(sent == expected)
        }

        @Test func lookUps() async throws {
            let (one, other) = (BeaconIdentifier.numbered(1), BeaconIdentifier.numbered(2))
            func entry(_ beacon: String, id: String = "a1") -> String {
                "{\"beacon\":\"\(beacon)\",\"id\":\"\(id)\",\"namespace\":\"n\",\"type\":\"t\",\"data\":\"aGVsbG8=\"}"
            }
            // The client drops entries that do not answer the question.
            let entries = [
                entry(one.text), entry(BeaconIdentifier.numbered(3).text), entry("moo"), entry(other.text, id: "a b"),
            ]
            let server = try ScriptedServer { _ in
                ScriptedServer.answer(200, "{\"attachments\":[\(entries.joined(separator: ","))]}")
            }
            let answer = try await service(server.url).lookUp(
                [one, other], AttachmentFilter(namespace: "n", type: "t"), in: session)
            #expect(answer == [one: [BeaconAttachment(id: "a1", message: Message("hello", type: "t", namespace: "n"))]])
            let request = try #require(server.requests.first)
            #expect(
                request.line == "POST /v1/lookups HTTP/1.1" && request.headers["authorization"] == "Bearer the-session")
            let sent = try #require(try JSONSerialization.jsonObject(with: request.body) as? NSDictionary)
            #expect(sent == ["beacons": [one.text, other.text], "namespace": "n", "type": "t"])
        }

        @Test func aLargeAnswerAboutBeacons() async throws {
            let data = Data(count: 1_024).base64EncodedString()
            let entry =
                "{\"beacon\":\"\(BeaconIdentifier.numbered(1).text)\",\"id\":\"a1\",\"namespace\":\"\",\"type\":\"\",\"data\":\"\(data)\"}"
            func server(_ count: Int) throws -> ScriptedServer {
                let body = "{\"attachments\":[\(Array(repeating: entry, count: count).joined(separator: ","))]}"
                return try ScriptedServer { _ in ScriptedServer.answer(200, body) }
            }
            let good = try server(800)
            let answer = try await service(good.url).lookUp([.numbered(1)], AttachmentFilter(), in: session)
            #expect(answer[.numbered(1)]?.count == 800)
            let (session, bad) = (session, try server(1_600))
            let flooded = try service(bad.url)
            let failure = await failure { () async throws(ServiceFailure) in
                try await flooded.lookUp([.numbered(1)], AttachmentFilter(), in: session)
            }
            #expect(failure == .invalid("its answer is too large"))
        }

        @Test func refusals() async throws {
            let problem = "{\"problem\":{\"code\":\"too_many_publications\",\"message\":\"m\",\"remedy\":\"r\"}}"
            let server = try ScriptedServer { _ in ScriptedServer.answer(429, problem, headers: "Retry-After: 60\r\n") }
            let service = try service(server.url)
            let refused = await failure { () async throws(ServiceFailure) in try await service.openSession() }
            #expect(refused == .refused(status: 429, code: "too_many_publications", retryAfter: .seconds(60)))
        }

        @Test(arguments: [
            (200, "moo"), (200, ""), (200, "{}"), (200, "{\"session\":\"a\\r\\nX: b\"}"), (404, "moo"),
            (418, "{}"),
            (404, "{\"problem\":{\"code\":\"no_such_path\"}}"), (418, "{\"problem\":{\"code\":\"a line\\nof log\"}}"),
        ])
        func invalidAnswers(status: Int, body: String) async throws {
            let server = try ScriptedServer { _ in ScriptedServer.answer(status, body) }
            let service = try service(server.url)
            let failed = await failure { () async throws(ServiceFailure) in try await service.openSession() }
            guard case .invalid(let text) = failed else {
                Issue.record("\(String(describing: failed))")
                return
            }
            #expect(!text.contains("\n"))
        }

        @Test(arguments: ["../../x", "a/b", "a b", "", "a\\r\\nb", "ä", "?x"])
        func anInvalidIDIsNotPutIntoAPath(id: String) async throws {
            let answer = Self.registered.replacingOccurrences(of: "id-1", with: id)
            let server = try ScriptedServer { _ in ScriptedServer.answer(201, answer) }
            let service = try service(server.url)
            let failed = await failure { () async throws(ServiceFailure) in
                try await service.register(
                    .subscription(namespace: "", type: ""), timeToLive: .seconds(1), idempotencyKey: "1", in: session)
            }
            #expect(failed == .invalid("it sends an invalid id"))
        }

        @Test func aRefusedConnectionIsUnreachable() async throws {
            let service = try service("http://127.0.0.1:1")
            guard
                case .unreachable = await failure({ () async throws(ServiceFailure) in try await service.openSession() }
                )
            else {
                Issue.record("not seen to be unreachable")
                return
            }
        }

        @Test(arguments: [
            [ScriptedServer.Step.hang], [], [.send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n{"), .hang],
            [.send("HTTP/1.1 200 OK\r\n\r\n"), .flood(Data(" ".utf8), pauseMilliseconds: 20)],
        ])
        func aServiceThatDoesNotAnswerInTimeIsUnreachable(steps: [ScriptedServer.Step]) async throws {
            let server = try ScriptedServer { _ in steps }
            let service = try service(server.url) { $0.requestTimeout = .seconds(5) }
            guard
                case .unreachable = await failure({ () async throws(ServiceFailure) in try await service.openSession() }
                )
            else {
                Issue.record("not seen to be unreachable")
                return
            }
            #expect(await eventually { steps.isEmpty || server.hangUps == 1 }, "and the connection is closed")
        }

        @Test func anAnswerWithoutEndIsCutOff() async throws {
            let server = try ScriptedServer { _ in
                [.send("HTTP/1.1 200 OK\r\n\r\n"), .flood(Data(count: 65_536), pauseMilliseconds: 0)]
            }
            let service = try service(server.url)
            let failed = await failure { () async throws(ServiceFailure) in try await service.openSession() }
            #expect(failed == .invalid("its answer is too large"))
            #expect(await eventually { server.hangUps == 1 })
        }

        @Test(arguments: [301, 302, 303, 307, 308])
        func aRedirectionDoesNotCarryTheKey(status: Int) async throws {
            let elsewhere = try ScriptedServer { _ in ScriptedServer.answer(201, "{\"session\":\"stolen\"}") }
            let target = elsewhere.url
            let server = try ScriptedServer { _ in
                ScriptedServer.answer(status, "", headers: "Location: \(target)/v1/devices\r\n")
            }
            let service = try service(server.url)
            let failed = await failure { () async throws(ServiceFailure) in try await service.openSession() }
            #expect(failed == .invalid("it redirects to another address"))
            #expect(elsewhere.requests.isEmpty)
        }

        @Test func cookiesAreNotKept() async throws {
            let server = try ScriptedServer { _ in
                ScriptedServer.answer(201, "{\"session\":\"s\"}", headers: "Set-Cookie: a=b; Path=/\r\n")
            }
            let service = try service(server.url)
            for _ in 0..<2 { _ = try await service.openSession() }
            #expect(server.requests.count == 2 && server.requests.allSatisfy { $0.headers["cookie"] == nil })
        }

        @Test(arguments: ["", "a\n", "a\r\nX-Other: b", "ä", "a b"])
        func anInvalidKeyIsNotSent(key: String) async throws {
            let server = try ScriptedServer { _ in ScriptedServer.answer(201, "{\"session\":\"s\"}") }
            let service = try service(server.url, key: key)
            let failed = await failure { () async throws(ServiceFailure) in try await service.openSession() }
            #expect(failed == .malformedKey)
            #expect(failed?.isBadSession == false && failed?.problem.detail.contains("line break") == true)
            #expect(server.requests.isEmpty)
        }
    }
}
