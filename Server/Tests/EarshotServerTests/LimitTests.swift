import EarshotBasics
import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import NearbyWire
import Testing

@testable import EarshotServer

/// Each limit, at its bound.
@Suite struct LimitTests {
    @Test(arguments: StoreKind.all) func content(_ kind: StoreKind) async throws {
        let device = try await World(kind).device()
        _ = try await device.publish(String(repeating: "x", count: 102_400))
        #expect(
            try await problem { try await device.publish(String(repeating: "x", count: 102_401)) }?.code
                == "out_of_range")
    }

    @Test(arguments: StoreKind.all) func typeAndNamespace(_ kind: StoreKind) async throws {
        let device = try await World(kind).device()
        _ = try await device.publish("x", type: String(repeating: "é", count: 32))
        _ = try await device.subscribe(namespace: String(repeating: "é", count: 64))
        for (type, namespace) in [(33, 0), (0, 65)] {
            let (type, namespace) = (String(repeating: "é", count: type), String(repeating: "é", count: namespace))
            #expect(
                try await problem { try await device.publish("x", type: type, namespace: namespace) }?.status
                    == .unprocessableContent)
            #expect(
                try await problem { try await device.subscribe(type: type, namespace: namespace) }?.code
                    == "out_of_range")
        }
    }

    @Test(arguments: StoreKind.all) func timeToLive(_ kind: StoreKind) async throws {
        let world = try World(kind)
        let device = try await world.device()
        for seconds in [1, 86_400] { _ = try await device.publish("x", for: .seconds(seconds)) }
        for seconds in [-1, 0, 86_401] {
            #expect(try await problem { try await device.publish("x", for: .seconds(seconds)) }?.code == "out_of_range")
        }
        let standard = try await world.service.publish(
            Message(namespace: "", type: "", content: Data()), for: device.session)
        #expect(standard.value.expires == world.clock.now + .seconds(300))
    }

    @Test(arguments: StoreKind.all) func perDevice(_ kind: StoreKind) async throws {
        let world = try World(kind) {
            $0.publicationsPerDevice = 2
            $0.subscriptionsPerDevice = 1
        }
        let device = try await world.device()
        let first = try await device.publish("1")
        _ = try await device.publish("2", for: .seconds(5))
        #expect(try await problem { try await device.publish("3") }?.code == "too_many_publications")
        try await world.service.unpublish(first.id, for: device.session)
        _ = try await device.publish("3")
        // An expired publication makes room, even before it is swept.
        world.clock.advance(by: .seconds(5))
        _ = try await device.publish("4")
        _ = try await device.subscribe()
        #expect(try await problem { try await device.subscribe() }?.code == "too_many_subscriptions")
    }

    @Test(arguments: StoreKind.all) func perKey(_ kind: StoreKind) async throws {
        let world = try World(kind) {
            $0.publicationsPerKey = 1
            $0.subscriptionsPerKey = 1
            $0.devicesPerKey = 2
        }
        let key = try await world.key()
        let one = Device(world: world, session: try await world.service.openSession(key: key).0)
        let two = Device(world: world, session: try await world.service.openSession(key: key).0)
        #expect(try await problem { try await world.service.openSession(key: key) }?.code == "too_many_devices")
        _ = try await one.publish("1")
        #expect(try await problem { try await two.publish("2") }?.message.contains("key") == true)
        _ = try await one.subscribe()
        #expect(try await problem { try await two.subscribe() }?.message.contains("key") == true)
        // Another key has its own limit.
        _ = try await world.device().publish("3")
    }

    @Test(arguments: StoreKind.all) func requests(_ kind: StoreKind) async throws {
        let world = try World(kind) {
            $0.requestsPerDevice = RateLimit(perSecond: 2, burst: 3)
            $0.requestsPerKey = RateLimit(perSecond: 1, burst: 3)
            $0.sharePerDevice = RateLimit(perSecond: 0.001, burst: 1)
        }
        let key = try await world.key()
        let one = try await world.service.openSession(key: key).secret
        let two = try await world.service.openSession(key: key).secret
        for _ in 0..<3 { _ = try await world.service.session(secret: one) }
        let refusal = try await problem { try await world.service.session(secret: one) }
        #expect(refusal?.code == "rate_limited")
        #expect(refusal?.retryAfterSeconds == 1)
        #expect(refusal?.message.contains("device") == true)
        for _ in 0..<2 { _ = try await world.service.session(secret: two) }
        #expect(try await problem { try await world.service.session(secret: two) }?.message.contains("key") == true)
        world.clock.advance(by: .seconds(1))
        _ = try await world.service.session(secret: one)
    }

    @Test(arguments: StoreKind.all) func sessions(_ kind: StoreKind) async throws {
        let world = try World(kind) { $0.sessionsPerKey = RateLimit(perSecond: 1, burst: 2) }
        let key = try await world.key()
        for _ in 0..<2 { _ = try await world.service.openSession(key: key) }
        #expect(try await problem { try await world.service.openSession(key: key) }?.code == "rate_limited")
    }

    /// A device that has reported any number of unknown tokens still gets an answer for a known one, in the same report.
    @Test(arguments: StoreKind.all) func unknownTokensBlockNone(_ kind: StoreKind) async throws {
        let world = try World(kind)
        let key = try await world.key()
        let device = Device(world: world, session: try await world.service.openSession(key: key).0)
        let other = Device(world: world, session: try await world.service.openSession(key: key).0)
        let token = try await world.device().publish("x").token
        var random = SeededGenerator(seed: 5)
        for _ in 0..<50 {
            let guesses = (0..<99).map { _ in Data((0..<8).map { _ in UInt8.random(in: .min ... .max, using: &random) })
            }
            let answer = try await world.service.report(heard: guesses + [token], lost: [], for: device.session)
            try #require(answer.heard == [TokenStatus](repeating: .invalid, count: 99) + [.valid])
        }
        #expect(try await other.hear(token) == [.valid])
    }

    /// A report of unknown tokens stores nothing in the database, and does not wait for a write.
    @Test func unknownTokensTakeNoWrite() async throws {
        let world = try World()
        let device = try await world.device()
        let gate = DispatchSemaphore(value: 0)
        async let slow: Void = world.sqlite.writes.perform { _, _ in gate.wait() }
        #expect(try await device.hear(Data(repeating: 7, count: 8), Data()) == [.invalid, .invalid])
        gate.signal()
        try await slow
        #expect(try await world.store.counts().sightings == 0)
    }

    /// Programs that guess keys and sessions are refused. Their neighbours behind the same address are not.
    @Test func failuresOfAnAddress() async throws {
        let world = try World { $0.failuresPerAddress = RateLimit(perSecond: 0.5, burst: 3) }
        let key = try await world.key()
        let secret = try await world.service.openSession(key: key).secret
        try await EarshotServer.application(world.service, logger: silent).test(.live) { client in
            let port = try #require(client.port)
            func ask(_ bearer: String?, _ request: String = "GET /v1/device", from: String? = nil) async throws
                -> String
            {
                let credentials = bearer.map { "Authorization: Bearer \($0)\r\n" } ?? ""
                return try await RawConnection.say(
                    "\(request) HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\nConnection: close\r\n\(credentials)\r\n",
                    to: port, from: from)
            }
            let guess = Secret.newSession()
            #expect(try await ask(nil).hasSuffix(Problem.noCredentials.body))
            #expect(try await ask(guess).hasSuffix(Problem.badSession.body))
            #expect(try await ask("x", "POST /v1/devices").hasSuffix(Problem.badKey.body))
            for request in ["GET /v1/device", "POST /v1/devices", "GET /v1/beacons"] {
                let refused = try await ask(guess, request)
                #expect(refused.hasPrefix("HTTP/1.1 429 "), "\(request)")
                #expect(refused.lowercased().contains("retry-after: 2\r\n"), "\(request)")
                #expect(refused.hasSuffix(Problem.tooManyFailures(retryAfterSeconds: 2).body), "\(request)")
            }
            for _ in 0..<9 { #expect(try await ask(secret).hasPrefix("HTTP/1.1 200 ")) }
            #expect(try await ask(key, "POST /v1/devices").hasPrefix("HTTP/1.1 201 "))
            // Clients at other addresses get the reason.
            #expect(try await ask(guess, from: "127.0.0.2").hasSuffix(Problem.badSession.body))
            world.clock.advance(by: .seconds(2))
            #expect(try await ask(guess).hasSuffix(Problem.badSession.body))
        }
    }

    /// Behind a proxy, failures count for the client's address.
    @Test func failuresBehindAProxy() async throws {
        let world = try World { $0.failuresPerAddress = RateLimit(perSecond: 1, burst: 1) }
        let proxies: Set = [try #require(IPAddress("127.0.0.1"))]
        world.service.settings.change { $0.proxies = proxies }
        let application = EarshotServer.application(world.service, logger: silent)
        try await application.test(.live) { client in
            let port = try #require(client.port)
            func status(_ address: String) async throws -> Substring {
                try await RawConnection.say(
                    "GET /v1/device HTTP/1.1\r\nHost: x\r\nConnection: close\r\nX-Forwarded-For: \(address)\r\n\r\n",
                    to: port
                ).dropFirst("HTTP/1.1 ".count).prefix(3)
            }
            #expect(try await status("192.0.2.1") == "401")
            #expect(try await status("192.0.2.1") == "429")
            #expect(try await status("192.0.2.2") == "401")
            // What any other client writes does not count: these two have the address 127.0.0.1.
            world.service.settings.change { $0.proxies = [] }
            #expect(try await status("192.0.2.3") == "401")
            #expect(try await status("192.0.2.4") == "429")
        }
    }

    /// The answer to a request beyond the rate waits, so that a client which repeats at once is slow.
    @Test func refusalsWait() async throws {
        let world = try World {
            $0.requestsPerDevice = RateLimit(perSecond: 0.001, burst: 1)
            $0.refusalDelay = .milliseconds(300)
        }
        let key = try await world.key()
        try await EarshotServer.application(world.service, logger: silent).test(.router) { client in
            let caller = try await Caller(client, key: key)
            #expect(try await caller.send(.get, "/v1/device").status == .ok)
            let start = ContinuousClock.now
            #expect(try await caller.send(.get, "/v1/device").code == "rate_limited")
            #expect(ContinuousClock.now - start >= .milliseconds(300))
        }
    }

    /// A device that sends too much uses up its own share and the rest of the key's budget, but not the share of
    /// another device.
    @Test(arguments: StoreKind.all) func noDeviceSpendsTheShareOfAnother(_ kind: StoreKind) async throws {
        let world = try World(kind) {
            $0.requestsPerKey = RateLimit(perSecond: 1, burst: 5)
            $0.sharePerDevice = RateLimit(perSecond: 1, burst: 3)
        }
        let key = try await world.key()
        let flooding = try await world.service.openSession(key: key).secret
        let honest = try await world.service.openSession(key: key).secret
        for _ in 0..<8 { _ = try await world.service.session(secret: flooding) }
        #expect(
            try await problem { try await world.service.session(secret: flooding) }?.message.contains("key") == true)
        for _ in 0..<3 { _ = try await world.service.session(secret: honest) }
        #expect(try await problem { try await world.service.session(secret: honest) }?.code == "rate_limited")
    }

    @Test(arguments: StoreKind.all) func report(_ kind: StoreKind) async throws {
        let world = try World(kind) { $0.sightingsPerDevice = 2 }
        let (device, other) = (try await world.device(), try await world.device())
        let many = [Data](repeating: Data(), count: 101)
        #expect(
            try await problem { try await world.service.report(heard: many, lost: [], for: device.session) }?.code
                == "out_of_range")
        var tokens: [Data] = []
        for _ in 0..<3 { tokens.append(try await other.publish("x").token) }
        try await device.hear(tokens[0], tokens[1])
        #expect(try await problem { try await device.hear(tokens[2]) }?.code == "too_many_sightings")
        // A repeated token takes no more room, and a lost token frees some.
        try await device.hear(tokens[0], tokens[1])
        try await device.lose(tokens[0])
        try await device.hear(tokens[2])
    }
}
