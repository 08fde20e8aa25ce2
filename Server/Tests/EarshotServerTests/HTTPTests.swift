import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import Logging
import Testing

@testable import EarshotServer

/// Requests and answers, through the router.
@Suite struct HTTPTests {
    @Test func aWalkThrough() async throws {
        let world = try World()
        let key = try await world.key()
        try await EarshotServer.application(world.service, logger: silent).test(.router) { client in
            let (publisher, subscriber) = (try await Caller(client, key: key), try await Caller(client, key: key))
            let content = Data((0..<102_400).map { UInt8(truncatingIfNeeded: $0 &* 7) })
            let publication = try await publisher.send(
                .post, "/v1/publications",
                ["content": content.base64EncodedString(), "type": "photo", "ttl_s": 60])
            #expect(publication.status == .created)
            #expect(publication["content_bytes"] as? Int == 102_400)
            #expect(publication["expires_in_s"] as? Int == 60)
            let token = try #require(publication["token"] as? [String: Any])
            #expect(token["rotate_in_s"] as? Int == 60)
            #expect(token["expires_in_s"] as? Int == 120)
            let digits = try #require(token["token"] as? String)
            #expect(digits.count == 16)

            #expect(try await subscriber.send(.post, "/v1/subscriptions", [:]).status == .created)
            let answer = try await subscriber.send(
                .post, "/v1/sightings", ["heard": [digits, "0123456789abcdef", "nonsense"]])
            let statuses = (answer["heard"] as? [[String: String]])?.compactMap { $0["status"] }
            #expect(statuses == ["VALID", "INVALID", "INVALID"])
            #expect((answer["heard"] as? [[String: String]])?.last?["token"] == "nonsense")
            #expect(
                world.service.metrics.text(commits: Histogram(), gauges: []).contains(
                    "earshot_deliveries_total{event=\"found\"} 1"))

            let id = try #require(publication["id"] as? String)
            #expect(
                try await publisher.send(.put, "/v1/publications/\(id)", ["ttl_s": 90])["expires_in_s"] as? Int == 90)
            #expect(try await publisher.send(.put, "/v1/publications/\(id)").status == .ok)
            let list = try await publisher.send(.get, "/v1/publications")["publications"] as? [[String: Any]]
            #expect(list?.compactMap { $0["id"] as? String } == [id])
            #expect(try await publisher.send(.delete, "/v1/publications/\(id)").status == .noContent)
            let again = try await publisher.send(.delete, "/v1/publications/\(id)")
            #expect(again.status == .notFound)
            #expect(again.code == "no_such_publication")
            #expect(try await publisher.send(.delete, "/v1/device").status == .noContent)
            #expect(try await publisher.send(.get, "/v1/device").code == "bad_session")
        }
    }

    @Test func refusals() async throws {
        let world = try World()
        let key = try await world.key()
        try await EarshotServer.application(world.service, logger: silent).test(.router) { client in
            let caller = try await Caller(client, key: key)
            let stranger = Caller(client, bearer: nil)
            for (answer, status, code) in [
                (try await stranger.send(.get, "/v1/publications"), 401, "no_credentials"),
                (try await Caller(client, bearer: "x").send(.post, "/v1/devices"), 401, "bad_key"),
                (try await Caller(client, bearer: key).send(.get, "/v1/device"), 401, "bad_session"),
                (
                    try await Caller(client, bearer: Secret.sessionPrefix + "x").send(.post, "/v1/devices"), 401,
                    "bad_key"
                ),
                (try await caller.send(.get, "/nothing"), 404, "no_such_path"),
                (try await caller.send(.post, "/v1/publications", raw: "{"), 400, "bad_body"),
                (try await caller.send(.post, "/v1/publications", raw: "[]"), 400, "bad_body"),
                (try await caller.send(.post, "/v1/publications", [:]), 400, "bad_body"),
                (try await caller.send(.post, "/v1/publications", ["content": "no base64!"]), 400, "bad_body"),
                (try await caller.send(.post, "/v1/sightings", ["heard": [1]]), 400, "bad_body"),
                (try await caller.send(.post, "/v1/subscriptions", ["ttl_s": 86_401]), 422, "out_of_range"),
                (try await caller.send(.post, "/v1/subscriptions", ["ttl_s": Int.max]), 422, "out_of_range"),
                (try await caller.send(.post, "/v1/subscriptions", ["ttl_s": Int.min]), 422, "out_of_range"),
                (
                    try await caller.send(
                        .post, "/v1/publications", raw: String(repeating: " ", count: 160 * 1_024 + 1)),
                    413, "body_too_large"
                ),
            ] as [(Answer, Int, String)] {
                #expect(answer.status.code == status)
                #expect(answer.code == code)
                #expect(!answer.problem("message").isEmpty)
                #expect(!answer.problem("remedy").isEmpty)
            }
        }
    }

    /// A path that exists names its methods before it asks for credentials.
    @Test func wrongMethods() async throws {
        let world = try World()
        try await EarshotServer.application(world.service, logger: silent).test(.router) { client in
            let stranger = Caller(client, bearer: nil)
            let invented = try #require(HTTPRequest.Method("INVENTED"))
            for (method, path, allowed) in [
                (.delete, "/healthz", "GET"), (.get, "/v1/devices", "POST"), (.patch, "/v1/device", "DELETE, GET"),
                (.put, "/v1/publications", "GET, POST"), (.get, "/v1/publications/17", "DELETE, PUT"),
                (invented, "/v1/sightings", "POST"), (.options, "/v1/events", "GET"),
            ] as [(HTTPRequest.Method, String, String)] {
                let answer = try await stranger.send(method, path)
                #expect(answer.status == .methodNotAllowed, "\(method) \(path)")
                #expect(answer.headers[.allow] == allowed, "\(method) \(path)")
                #expect(answer.code == "method_not_allowed", "\(method) \(path)")
                // The description has the paths of the interface only.
                #expect(answer.problem("remedy").contains("openapi.json") == path.hasPrefix("/v1/"), "\(answer.text)")
            }
            for path in ["/", "/v1", "/v1/publications/17/18", "/v1/devices/17", "/healthz/x"] {
                #expect(try await stranger.send(.get, path).code == "no_such_path", "\(path)")
            }
        }
    }

    /// Only one form of a path is answered, so that a proxy's rule for it cannot be evaded.
    @Test func aPathHasOneForm() async throws {
        let world = try World()
        try await EarshotServer.application(world.service, logger: silent).test(.router) { client in
            let stranger = Caller(client, bearer: nil)
            #expect(try await stranger.send(.get, "/healthz?x=//").status == .ok)
            for path in ["//healthz", "/healthz/", "///healthz", "/v1//openapi.json", "/v1/openapi.json/"] {
                let answer = try await stranger.send(.get, path)
                #expect(answer.status == .notFound && answer.code == "no_such_path", "\(path)")
            }
            for path in ["//v1/devices", "/v1/devices/"] {
                #expect(try await stranger.send(.post, path).code == "no_such_path", "\(path)")
            }
        }
    }

    /// The message names the wrong value and the reason.
    @Test func badNumbers() async throws {
        let world = try World()
        let key = try await world.key()
        try await EarshotServer.application(world.service, logger: silent).test(.router) { client in
            let caller = try await Caller(client, key: key)
            for number in ["1.5", "1e400", "\"60\"", "true", "[]", "99999999999999999999"] {
                let answer = try await caller.send(.post, "/v1/subscriptions", raw: "{\"ttl_s\":\(number)}")
                #expect(answer.status == .badRequest, "\(number)")
                #expect(
                    answer.problem("message").hasSuffix("a whole number of seconds is expected at 'ttl_s'."),
                    "\(number): \(answer.text)")
            }
            #expect(
                try await caller.send(.post, "/v1/subscriptions", raw: "{\"ttl_s\":6e1}")["expires_in_s"] as? Int == 60)
        }
    }

    @Test func retryAfter() async throws {
        let world = try World { $0.requestsPerDevice = RateLimit(perSecond: 0.1, burst: 1) }
        let key = try await world.key()
        try await EarshotServer.application(world.service, logger: silent).test(.router) { client in
            let caller = try await Caller(client, key: key)
            _ = try await caller.send(.get, "/v1/device")
            let answer = try await caller.send(.get, "/v1/device")
            #expect(answer.code == "rate_limited")
            #expect(answer.headers[.retryAfter] == "10")
        }
    }

    @Test func operation() async throws {
        let world = try World()
        try await EarshotServer.application(world.service, logger: silent).test(.router) { client in
            let stranger = Caller(client, bearer: nil)
            #expect(try await stranger.send(.get, "/healthz")["status"] as? String == "ok")
            _ = try await stranger.send(.get, "/no/such/\(UUID())")
            _ = try await world.device().publish("x")
            #expect(try await stranger.send(.get, "/metrics").code == "no_such_path")
        }
        try await EarshotServer.operations(world.service, logger: silent).test(.router) { client in
            let text = try await Caller(client, bearer: nil).send(.get, "/metrics").text
            for line in [
                "earshot_live_publications 1", "earshot_publications_total 1",
                "earshot_problems_total{code=\"no_such_path\"} 2",
                "earshot_requests_total{method=\"GET\",path=\"/healthz\",status=\"200\"} 1",
                "earshot_request_seconds_count{path=\"/healthz\"} 1",
            ] {
                #expect(text.split(separator: "\n").contains(Substring(line)), "\(line)")
            }
            // A line for Prometheus is a comment, or a name with optional labels and a number.
            let series = /^[a-z_]+(\{([a-z]+="[^"]*",?)+\})? [-+.e0-9]+$/
            for line in text.split(separator: "\n") where !line.hasPrefix("#") {
                #expect(try series.wholeMatch(in: line) != nil, "\(line)")
            }
        }
    }
}
