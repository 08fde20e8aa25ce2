import AsyncHTTPClient
import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import NIOCore
import Testing

@testable import EarshotServer

/// Web pages: their keys, their requests, the answers that they may read, and their limits.
@Suite struct BrowserTests {
    private static let site = "https://example.org"
    private static let other = "https://elsewhere.example"
    private static let fromSite: HTTPFields = [.origin: site]
    private static let sameOrigin: HTTPFields = [.secFetchSite: "same-origin"]

    private func test(
        _ world: World, web: WebFolder? = nil, _ body: @Sendable (any TestClientProtocol) async throws -> Void
    ) async throws {
        world.service.settings.change { $0.web = web }
        try await EarshotServer.application(world.service, logger: silent).test(.router) { client in
            try await body(client)
        }
    }

    /// A page may send all requests that it needs, and none of the owner's.
    @Test(arguments: StoreKind.all) func aPagePublishesAndSubscribes(_ kind: StoreKind) async throws {
        let world = try World(kind)
        let key = try await world.browserKey(Self.site)
        try await test(world) { client in
            let opened = try await Caller(client, bearer: key, Self.fromSite).send(.post, "/v1/devices")
            #expect(opened.status == .created)
            #expect(opened["expires_in_s"] as? Int == 3_600)
            let page = Caller(client, bearer: opened["session"] as? String, Self.fromSite)
            let app = try await Caller(client, key: try await world.key())
            let publication = try await page.send(.post, "/v1/publications", ["content": "aGVsbG8="])
            #expect(publication.status == .created)
            let digits = try #require((publication["token"] as? [String: Any])?["token"] as? String)
            // Pages and apps of one project find each other.
            #expect(try await app.send(.post, "/v1/subscriptions", [:]).status == .created)
            let heard = try await app.send(.post, "/v1/sightings", ["heard": [digits]])
            #expect((heard["heard"] as? [[String: String]])?.map { $0["status"] } == ["VALID"])
            let id = try #require(publication["id"] as? String)
            #expect(try await page.send(.put, "/v1/publications/\(id)").status == .ok)
            #expect(try await page.send(.get, "/v1/publications").status == .ok)
            #expect(try await page.send(.post, "/v1/subscriptions", [:]).status == .created)
            #expect(try await page.send(.post, "/v1/sightings", [:]).status == .ok)
            #expect(try await page.send(.delete, "/v1/publications/\(id)").status == .noContent)
            // The session lasts an hour from the last renewal, not the week of an app's.
            let remaining = try #require(try await page.send(.get, "/v1/device")["expires_in_s"] as? Int)
            #expect((3_500...3_600).contains(remaining))

            #expect(try await page.send(.post, "/v1/lookups", ["beacons": [String]()]).code == "not_for_browsers")
            let owner = Caller(client, bearer: key, Self.fromSite)
            for (method, path) in [(HTTPRequest.Method.get, "/v1/beacons"), (.post, "/v1/namespaces")] {
                let answer = try await owner.send(method, path)
                #expect(answer.status == .forbidden && answer.code == "not_owner", "\(path)")
            }
            #expect(try await page.send(.delete, "/v1/device").status == .noContent)
        }
    }

    /// A browser key works only in pages of its origins. Other keys work in no page.
    @Test(arguments: StoreKind.all) func whereAKeyMayBeUsed(_ kind: StoreKind) async throws {
        let world = try World(kind)
        let (key, appKey) = (try await world.browserKey(Self.site), try await world.key())
        let ownerKey = Secret.newKey(.owner)
        _ = try await world.store.createKey(project: "ours", name: "", role: .owner, hash: Secret.hash(ownerKey))
        try await test(world) { client in
            for (bearer, headers, status, code) in [
                (key, Self.fromSite, 201, ""), (key, [:], 403, "no_origin"),
                (key, [.origin: Self.other], 403, "origin_not_allowed"),
                (key, [.origin: "null"], 403, "origin_not_allowed"),
                (key, [.origin: "\(Self.site)/"], 403, "origin_not_allowed"),
                (key, [.origin: "http://example.org"], 403, "origin_not_allowed"),
                // This service serves no pages, so the request comes from another one.
                (key, Self.sameOrigin, 403, "no_origin"), (key, [.secFetchSite: "cross-site"], 403, "no_origin"),
                (key, [.origin: Self.other, .secFetchSite: "same-origin"], 403, "origin_not_allowed"),
                (appKey, [:], 201, ""), (appKey, Self.fromSite, 403, "not_browser_key"),
                (appKey, Self.sameOrigin, 403, "not_browser_key"), ("x", Self.fromSite, 401, "bad_key"),
            ] as [(String, HTTPFields, Int, String)] {
                let answer = try await Caller(client, bearer: bearer, headers).send(.post, "/v1/devices")
                #expect(answer.status.code == status && answer.code == code, "\(headers): \(answer.text)")
            }
            // The same rules apply to the session of a key and to an owner's key.
            let session = try await Caller(client, key: key, Self.fromSite).bearer
            let appSession = try await Caller(client, key: appKey).bearer
            for (bearer, headers, code) in [
                (session, Self.fromSite, ""), (session, [:], "no_origin"),
                (session, [.origin: Self.other], "origin_not_allowed"),
                (appSession, [:], ""), (appSession, Self.fromSite, "not_browser_key"),
            ] as [(String?, HTTPFields, String)] {
                #expect(try await Caller(client, bearer: bearer, headers).send(.get, "/v1/device").code == code)
            }
            #expect(try await Caller(client, bearer: ownerKey).send(.get, "/v1/beacons").status == .ok)
            for headers in [Self.fromSite, Self.sameOrigin] {
                #expect(
                    try await Caller(client, bearer: ownerKey, headers).send(.get, "/v1/beacons").code
                        == "not_browser_key")
            }
        }
    }

    /// Browsers send no Origin with a GET to the page's own origin, but mark it as `same-origin`.
    @Test func pagesOfTheServiceItself() async throws {
        let world = try World()
        let key = try await world.browserKey()
        let web = try WebFolder(try world.webFolder(["index.html": "<!doctype html>"]).path)
        try await test(world, web: web) { client in
            let page = try await Caller(client, key: key, Self.sameOrigin)
            #expect(try await page.send(.get, "/v1/device").status == .ok)
            #expect(try await Caller(client, bearer: key).send(.post, "/v1/devices").code == "no_origin")
            for site in ["same-site", "cross-site", "none"] {
                let foreign = Caller(client, bearer: page.bearer, [.secFetchSite: site])
                #expect(try await foreign.send(.get, "/v1/device").code == "no_origin", "\(site)")
            }
            #expect(
                try await Caller(client, bearer: page.bearer, Self.fromSite).send(.get, "/v1/device").code
                    == "origin_not_allowed")
        }
    }

    /// A proxy serves the page beside the service, so the page's origin is the host of its requests.
    @Test func pagesBesideTheService() throws {
        let allowed = AllowedOrigins([try WebOrigin("https://example.org"), try WebOrigin("http://localhost:8000")])
        func code(_ source: RequestSource) -> String? {
            do {
                try source.require(allowed)
                return nil
            } catch {
                return (error as? Problem)?.code
            }
        }
        for host in ["example.org", "localhost:8000"] {
            #expect(code(RequestSource(fetchSite: "same-origin", host: host)) == nil)
        }
        for host in ["elsewhere.example", "localhost", "", nil] {
            #expect(code(RequestSource(fetchSite: "same-origin", host: host)) == "no_origin")
        }
        #expect(code(RequestSource(fetchSite: "cross-site", host: "example.org")) == "no_origin")
        #expect(code(RequestSource(host: "example.org")) == "no_origin")
    }

    /// Before it sends a request, a browser asks without the key whether it may.
    @Test(arguments: StoreKind.all) func preflights(_ kind: StoreKind) async throws {
        let world = try World(kind)
        _ = try await world.browserKey(Self.site)
        _ = try await world.browserKey("http://localhost:8000", project: "theirs")
        try await test(world) { client in
            func ask(_ path: String, _ origin: String?, method: String? = "POST") async throws -> Answer {
                var headers: HTTPFields = [.accessControlRequestHeaders: "authorization,content-type"]
                headers[.origin] = origin
                headers[.accessControlRequestMethod] = method
                return try await Caller(client, bearer: nil, headers).send(.options, path)
            }
            for (path, methods) in [
                ("/v1/devices", "POST"), ("/v1/device", "DELETE, GET"), ("/v1/publications", "GET, POST"),
                ("/v1/publications/17", "DELETE, PUT"), ("/v1/subscriptions", "GET, POST"), ("/v1/sightings", "POST"),
                ("/v1/events", "GET"),
            ] {
                for origin in [Self.site, "http://localhost:8000"] {
                    let answer = try await ask(path, origin)
                    #expect(answer.status == .noContent && answer.text.isEmpty, "\(path)")
                    #expect(answer.headers[.accessControlAllowOrigin] == origin)
                    #expect(answer.headers[.accessControlAllowMethods] == methods, "\(path)")
                    #expect(
                        answer.headers[.accessControlAllowHeaders] == "Authorization, Content-Type, Last-Event-ID")
                    #expect(answer.headers[.accessControlMaxAge] == "600")
                    #expect(answer.headers[.vary] == "Origin")
                    #expect(answer.headers[.accessControlAllowCredentials] == nil)
                }
            }
            let refused = try await ask("/v1/devices", Self.other)
            #expect(refused.status == .forbidden && refused.code == "origin_not_allowed")
            #expect(refused.headers[.accessControlAllowOrigin] == nil && refused.headers[.vary] == "Origin")
            // A path that pages may not use refuses OPTIONS like any other method.
            for path in ["/v1/beacons", "/v1/lookups", "/v1/namespaces/x", "/healthz"] {
                #expect(try await ask(path, Self.site).code == "method_not_allowed", "\(path)")
            }
            #expect(try await ask("/v1/nothing", Self.site).code == "no_such_path")
            #expect(try await ask("/v1/devices", nil).code == "method_not_allowed")
            #expect(try await ask("/v1/devices", Self.site, method: nil).code == "method_not_allowed")
        }
    }

    /// A page of an allowed origin can read answers, including refusals. A page of another origin can read nothing.
    @Test(arguments: StoreKind.all) func whatPagesMayRead(_ kind: StoreKind) async throws {
        let world = try World(kind) { $0.requestsPerDevice = RateLimit(perSecond: 0.1, burst: 1) }
        let key = try await world.browserKey(Self.site)
        try await test(world) { client in
            let page = try await Caller(client, key: key, Self.fromSite)
            let answers = [
                try await page.send(.get, "/v1/device"), try await page.send(.get, "/v1/device"),
                try await page.send(.get, "/v1/nothing"),
                try await Caller(client, bearer: "x", Self.fromSite).send(.get, "/v1/device"),
                try await Caller(client, bearer: nil, Self.fromSite).send(.put, "/v1/device"),
            ]
            #expect(answers.map(\.code) == ["", "rate_limited", "no_such_path", "bad_session", "method_not_allowed"])
            for answer in answers {
                #expect(answer.headers[.accessControlAllowOrigin] == Self.site, "\(answer.code)")
                #expect(answer.headers[.accessControlExposeHeaders] == "Retry-After", "\(answer.code)")
                #expect(answer.headers[.vary] == "Origin", "\(answer.code)")
            }
            #expect(answers[1].headers[.retryAfter] == "10")
            for headers in [[:], [.origin: Self.other]] as [HTTPFields] {
                let answer = try await Caller(client, bearer: key, headers).send(.post, "/v1/devices")
                #expect(answer.status == .forbidden)
                #expect(answer.headers[.accessControlAllowOrigin] == nil && answer.headers[.vary] == "Origin")
            }
            let health = try await Caller(client, bearer: nil, Self.fromSite).send(.get, "/healthz")
            #expect(health.headers[.accessControlAllowOrigin] == nil)
        }
    }

    /// The origins of a revoked key are no longer allowed.
    @Test(arguments: StoreKind.all) func revoked(_ kind: StoreKind) async throws {
        let world = try World(kind)
        let key = try await world.browserKey(Self.site)
        let source = RequestSource(origin: Self.site)
        let (_, secret) = try await world.service.openSession(key: key, from: source)
        #expect(try await world.store.browserOrigins() == [Self.site])
        let number = try #require(try await world.store.keys(project: nil).last?.id)
        _ = try await world.store.revokeKey(id: number)
        #expect(try await world.store.browserOrigins().isEmpty)
        #expect(try await problem { try await world.service.session(secret: secret, from: source) } == .badSession)
    }

    /// Anyone can read the key in the page, so each address has its own limit.
    @Test(arguments: StoreKind.all) func limitsOfAnAddress(_ kind: StoreKind) async throws {
        let world = try World(kind) {
            $0.requestsPerAddress = RateLimit(perSecond: 1, burst: 4)
            $0.sessionsPerAddress = RateLimit(perSecond: 0.5, burst: 2)
        }
        let (key, appKey) = (try await world.browserKey(Self.site), try await world.key())
        let service = world.service
        let here = RequestSource(origin: Self.site, client: "192.0.2.1")
        let there = RequestSource(origin: Self.site, client: "192.0.2.2")
        let (_, secret) = try await service.openSession(key: key, from: here)
        _ = try await service.openSession(key: key, from: here)
        let refusal = try await problem { try await service.openSession(key: key, from: here) }
        #expect(refusal?.code == "rate_limited" && refusal?.retryAfterSeconds == 2)
        #expect(refusal?.message.contains("address") == true)
        // A guess of a secret counts as a request. Beyond the limit the service looks nothing up.
        #expect(try await problem { try await service.session(secret: "x", from: here) } == .badSession)
        #expect(try await problem { try await service.session(secret: secret, from: here) }?.code == "rate_limited")
        // Other addresses and apps are not affected.
        _ = try await service.session(secret: secret, from: there)
        _ = try await service.openSession(key: key, from: there)
        let (_, appSecret) = try await service.openSession(key: appKey)
        for _ in 0..<10 { _ = try await service.session(secret: appSecret) }
        world.clock.advance(by: .seconds(1))
        _ = try await service.session(secret: secret, from: here)
    }

    /// A client with many addresses neither fills the memory nor shuts honest clients out.
    @Test func manyAddresses() {
        let limiter = RateLimiter()
        let limit = RateLimit(perSecond: 0.001, burst: 10)
        let now = Moment(milliseconds: 1_800_000_000_000)
        for _ in 0..<11 { _ = limiter.take(from: .pageRequests(client: "busy"), limit, now: now) }
        for index in 0..<(2 * RateLimiter.maximumBuckets) {
            #expect(limiter.take(from: .pageRequests(client: "\(index)"), limit, now: now) == nil)
            guard limiter.count <= RateLimiter.maximumBuckets else { break }
        }
        #expect(limiter.count <= RateLimiter.maximumBuckets)
        // The emptiest buckets remain.
        #expect(limiter.take(from: .pageRequests(client: "busy"), limit, now: now) != nil)
    }
}

extension World {
    /// A folder with files, by their names.
    func webFolder(_ files: [String: String]) throws -> URL {
        let folder = directory.appendingPathComponent("web-\(UUID().uuidString)")
        for (name, content) in files {
            let url = folder.appendingPathComponent(name)
            try FileManager.default.createDirectory(
                at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data(content.utf8).write(to: url)
        }
        return folder
    }
}
