import EarshotBasics

#if Postgres
    import AsyncHTTPClient
    import EarshotPostgres
    import Foundation
    import NIOCore
    import NIOHTTP1
    import Testing

    @testable import EarshotServer

    /// Three running programs behind one address, on one PostgreSQL that waits for its disk.
    ///
    /// EARSHOT_KILLS sets the number of kills; 5 in the ordinary run.
    @Suite(.serialized, .timeLimit(.minutes(10))) struct NodeTests {
        private static let kills =
            ProcessInfo.processInfo.environment["EARSHOT_KILLS"].flatMap(Int.init).map { max(5, $0 / 4) } ?? 5

        /// Nodes, their database, and the address in front of them.
        private final class Cluster: Sendable {
            let postgres: PostgresServer
            let nodes: [Daemon]
            let balancer: Balancer
            let key: String
            private let options: [String]

            /// - Parameter options: additional options of each node.
            init(_ options: String..., isSealed: Bool = false) async throws {
                self.options = options
                postgres = try await onThread { try PostgresServer() }
                balancer = try await Balancer()
                let address = try postgres.makeDatabase()
                nodes = try (0..<3).map { _ in try Daemon(database: address) }
                key = try nodes[0].key(isSealed: isSealed)
                for node in nodes { try await start(node) }
            }

            func start(_ node: Daemon) async throws {
                try await node.serve(
                    [
                        "--device-rate", "1000000", "--key-rate", "1000000", "--session-rate", "1000000",
                        "--publications-per-device", "1000000", "--publications-per-key", "1000000",
                        "--database-connections", "8",
                    ] + options)
                useNodes()
            }

            /// The balancer skips a node that does not answer.
            func useNodes() {
                balancer.use(nodes.compactMap { $0.base.split(separator: ":").last.flatMap { Int($0) } })
            }

            func end() async throws {
                try await balancer.close()
                for node in nodes { #expect(await onThread { node.end(SIGTERM) } == 0) }
            }
        }

        /// The requests of a device. Like a real client, it repeats each until it gets an answer.
        private struct Client: Sendable {
            let base: String
            let bearer: String
            /// Each request uses a new connection, so it may reach any node.
            private static let http: HTTPClient = {
                var configuration = HTTPClient.Configuration()
                configuration.connectionPool.retryConnectionEstablishment = false
                configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = 16
                return HTTPClient(configuration: configuration)
            }()

            /// One try; nil if no answer came.
            func once(_ method: String, _ path: String, _ body: [String: Any]? = nil) async throws
                -> (status: Int, json: [String: Any])?
            {
                var request = HTTPClientRequest(url: base + path)
                request.method = .init(rawValue: method)
                request.headers.add(name: "Authorization", value: "Bearer \(bearer)")
                request.headers.add(name: "Connection", value: "close")
                if let body {
                    request.body = .bytes(ByteBuffer(bytes: try JSONSerialization.data(withJSONObject: body)))
                }
                guard let response = try? await Self.http.execute(request, timeout: .seconds(10)),
                    let data = try? await response.body.collect(upTo: 1 << 24)
                else { return nil }
                let json = try? JSONSerialization.jsonObject(with: Data(data.readableBytesView)) as? [String: Any]
                return (Int(response.status.code), json ?? [:])
            }

            func send(_ method: String, _ path: String, _ body: [String: Any]? = nil) async throws
                -> (status: Int, json: [String: Any])
            {
                let end = ContinuousClock.now + .seconds(60)
                while ContinuousClock.now < end {
                    if let answer = try await once(method, path, body), answer.status < 500 { return answer }
                    try await Task.sleep(for: .milliseconds(50))
                }
                throw CocoaError(.coderReadCorrupt)
            }
        }

        private func device(_ cluster: Cluster) async throws -> Client {
            try await open(cluster.balancer.base, cluster.key)
        }

        private func open(_ node: Daemon, _ key: String) async throws -> Client { try await open(node.base, key) }

        private func open(_ base: String, _ key: String) async throws -> Client {
            let opened = try await Client(base: base, bearer: key).send("POST", "/v1/devices", ["sealing": [1]])
            return Client(base: base, bearer: try #require(opened.json["session"] as? String))
        }

        private func publish(_ text: String, _ device: Client) async throws -> (id: String, token: String) {
            let answer = try await device.send(
                "POST", "/v1/publications",
                ["content": Data(text.utf8).base64EncodedString(), "ttl_s": 86_400, "idempotency_key": text])
            try #require(answer.status == 201 || answer.status == 200)
            let token = try #require(answer.json["token"] as? [String: Any])
            return (try #require(answer.json["id"] as? String), try #require(token["token"] as? String))
        }

        /// The events of a device, through connections that may break.
        private actor Log {
            private(set) var events: [EventReader.Event] = []
            private(set) var breaks = -1

            func add(_ event: EventReader.Event) { events.append(event) }
            func broke() { breaks += 1 }
            var last: String? { events.last { $0.id != nil }?.id }
        }

        private func follow(_ device: Client, _ log: Log) async {
            while !Task.isCancelled {
                await log.broke()
                do {
                    var reader = try await EventReader(device.base, bearer: device.bearer, lastEventID: await log.last)
                    while let event = try await reader.next() { await log.add(event) }
                } catch {
                    try? await Task.sleep(for: .milliseconds(20))
                }
            }
        }

        /// Measures the time from an unpublish at one node to the event in a stream at another.
        @Test func anUnpublishReachesAnotherNode() async throws {
            let cluster = try await Cluster()
            let second = cluster.nodes[1].base
            let publisher = try await open(cluster.nodes[0], cluster.key)
            let subscriber = try await open(cluster.nodes[1], cluster.key)
            _ = try await subscriber.send("POST", "/v1/subscriptions", [:])
            var reader = try await EventReader(second, bearer: subscriber.bearer)
            #expect(try await reader.next()?.name == "ready")
            var delays: [Duration] = []
            for round in 0..<21 {
                let (id, token) = try await publish("\(round)", publisher)
                _ = try await subscriber.send("POST", "/v1/sightings", ["heard": [token]])
                #expect(try await reader.next()?.name == "found")
                let start = ContinuousClock.now
                let answer = try await publisher.send("DELETE", "/v1/publications/\(id)")
                #expect(answer.status == 204)
                let lost = try await reader.next()
                delays.append(ContinuousClock.now - start)
                #expect(lost?.name == "lost" && lost?.text == "\(round)")
            }
            delays.sort()
            print("unpublish at one node to lost at another: median \(delays[10]), slowest \(delays[20])")
            // The median counts, because other programs may use the cores for a moment.
            #expect(delays[10] < .milliseconds(100))
            try await cluster.end()
        }

        /// The listener for nodes refuses a request without their secret, even if its key is valid.
        @Test func theListenerForNodesRefusesOthers() async throws {
            let cluster = try await Cluster()
            let address = try #require(cluster.nodes[0].log.firstMatch(of: /address=(127\.0\.0\.1:\d+)/)?.1)
            for secret in [nil, "guessed"] {
                var request = HTTPClientRequest(url: "http://\(address)/v1/devices")
                request.method = .POST
                request.headers.add(name: "Authorization", value: "Bearer \(cluster.key)")
                if let secret { request.headers.add(name: "Earshot-Node", value: secret) }
                let response = try await HTTPClient.shared.execute(request, timeout: .seconds(10))
                let body = String(buffer: try await response.body.collect(upTo: 1 << 16))
                #expect(response.status.code == 403 && body.contains("not_a_node"), "\(body)")
            }
            try await cluster.end()
        }

        /// The limits of an address apply to the client, even if another node forwards its requests. A client cannot pretend another
        /// address.
        @Test func aForwardedRequestCountsForItsClient() async throws {
            // An address has two sessions and 2 failures at once; the next are allowed after 250 s and 25 s.
            let cluster = try await Cluster(
                "--address-session-rate", "0.004", "--address-failure-rate", "0.04", "--proxy", "127.0.0.9")
            let created = try cluster.nodes[0].run(
                "key", "create", "ours", "--browser", "--origin", "https://example.org")
            let pageKey = created.output.trimmingCharacters(in: .newlines)
            // This node now owns the project.
            let device = try await open(cluster.nodes[0], cluster.key)
            func status(_ node: Int, _ request: String, from source: String, _ headers: String...) async throws
                -> String
            {
                let lines = ["\(request) HTTP/1.1", "Host: x", "Connection: close"] + headers
                let answer = try await RawConnection.say(
                    lines.joined(separator: "\r\n") + "\r\n\r\n", to: try cluster.nodes[node].port, from: source)
                return String(answer.dropFirst(9).prefix(3))
            }
            func page(_ node: Int, from source: String, _ forwardedFor: String? = nil) async throws -> String {
                try await status(
                    node, "POST /v1/devices", from: source, "Authorization: Bearer \(pageKey)",
                    "Origin: https://example.org", forwardedFor.map { "X-Forwarded-For: \($0)" } ?? "X-Nothing: 0")
            }
            // One address has one budget at all nodes.
            #expect(try await page(1, from: "127.0.0.2") == "201")
            #expect(try await page(2, from: "127.0.0.2") == "201")
            for node in 0..<3 { #expect(try await page(node, from: "127.0.0.2") == "429", "node \(node)") }
            // Each address has a limit of its own: it neither uses up another's, nor evades its own.
            #expect(try await page(1, from: "127.0.0.3", "127.0.0.2") == "201")
            #expect(try await page(1, from: "127.0.0.3", "198.51.100.7") == "201")
            #expect(try await page(1, from: "127.0.0.3", "198.51.100.8") == "429")
            #expect(try await page(0, from: "127.0.0.3") == "429")
            #expect(try await page(1, from: "127.0.0.5", "198.51.100.7") == "201")
            // The node that a proxy asks trusts the proxy's header. Each IPv6 network of 64 bits is one client.
            #expect(try await page(1, from: "127.0.0.9", "2001:db8::1") == "201")
            #expect(try await page(2, from: "127.0.0.9", "198.51.100.7, 2001:db8::2") == "201")
            #expect(try await page(1, from: "127.0.0.9", "2001:db8::3") == "429")
            #expect(try await page(1, from: "127.0.0.9", "2001:db8:0:1::1") == "201")
            // Failures that the owner finds count for the client too.
            let authorization = "Authorization: Bearer \(device.bearer)"
            #expect(try await status(1, "DELETE /v1/device", from: "127.0.0.4", authorization) == "204")
            for expected in ["401", "401", "429"] {
                #expect(try await status(1, "GET /v1/device", from: "127.0.0.4", authorization) == expected)
            }
            #expect(try await status(1, "GET /v1/device", from: "127.0.0.5", authorization) == "401")
            try await cluster.end()
        }

        /// While a node loads a project, every node answers the project's clients with 503 and a time, and answers the clients of
        /// other projects as usual.
        @Test func aProjectThatLoadsHindersNoOther() async throws {
            let cluster = try await Cluster()
            let loading = try await open(cluster.nodes[0], cluster.key)
            let other = try await open(cluster.nodes[0], try cluster.nodes[0].key(project: "other"))
            for device in [loading, other] { _ = try await publish("kept", device) }
            await onThread { _ = cluster.nodes[0].end(SIGKILL) }
            let bases = cluster.nodes[1...].map(\.base)
            // The second node takes the other project; then reading the tokens takes long, as in a large project.
            func publications(_ base: String, _ device: Client) async throws -> (status: Int, json: [String: Any])? {
                try await Client(base: base, bearer: device.bearer).once("GET", "/v1/publications")
            }
            #expect(try await publications(bases[0], other)?.status == 200)
            let lock = try PostgresConnection(PostgresAddress(cluster.nodes[0].database))
            try lock.run(script: "BEGIN; LOCK TABLE token IN ACCESS EXCLUSIVE MODE")
            for _ in 0..<3 {
                for base in bases {
                    let refused = try #require(try await publications(base, loading))
                    #expect(refused.status == 503)
                    #expect((refused.json["problem"] as? [String: Any])?["code"] as? String == "project_loading")
                    let answer = try #require(try await publications(base, other))
                    #expect(answer.status == 200 && (answer.json["publications"] as? [Any])?.count == 1)
                }
            }
            let refused = try await RawConnection.say(
                "GET /v1/device HTTP/1.1\r\nHost: x\r\nConnection: close\r\nAuthorization: Bearer \(loading.bearer)\r\n\r\n",
                to: try cluster.nodes[2].port)
            #expect(
                refused.hasPrefix("HTTP/1.1 503 ") && refused.lowercased().contains("\r\nretry-after: 1\r\n"),
                "\(refused)")
            try lock.run(script: "COMMIT")
            try await eventually { (try? await publications(bases[1], loading))??.status == 200 }
            #expect((try await publications(bases[1], loading)?.json["publications"] as? [Any])?.count == 1)
            try await cluster.start(cluster.nodes[0])
            try await cluster.end()
        }

        /// All nodes get requests for a new project at the same time. One takes it, and every request succeeds.
        @Test func nodesThatAreAskedAtOnceAgree() async throws {
            let cluster = try await Cluster()
            for round in 0..<10 {
                let key = try cluster.nodes[0].key(project: "\(round)")
                let statuses = try await withThrowingTaskGroup(of: Int?.self) { group in
                    for node in cluster.nodes + cluster.nodes + cluster.nodes {
                        group.addTask {
                            try await Client(base: node.base, bearer: key).once("POST", "/v1/devices")?.status
                        }
                    }
                    return try await group.reduce(into: []) { $0.append($1) }
                }
                #expect(statuses.allSatisfy { $0 == 201 }, "round \(round): \(statuses)")
            }
            try await cluster.end()
        }

        /// Measures the time from the kill of the node that owns a project to the first answer about it.
        @Test func aKilledNodeIsReplacedWithinThreeSeconds() async throws {
            let cluster = try await Cluster()
            let publisher = try await device(cluster)
            var times: [Duration] = []
            for round in 0..<Self.kills {
                _ = try await publish("\(round)", publisher)
                let epochs = cluster.nodes.map { node in
                    node.log.matches(of: /owns a project.*epoch=(\d+)|epoch=(\d+).*owns a project/)
                        .compactMap { ($0.1 ?? $0.2).flatMap { Int($0) } }.max() ?? 0
                }
                let owner = try #require(cluster.nodes.indices.max { epochs[$0] < epochs[$1] })
                #expect(epochs[owner] == round + 1)
                await onThread { _ = cluster.nodes[owner].end(SIGKILL) }
                let start = ContinuousClock.now
                let answer = try await publisher.send("GET", "/v1/publications")
                times.append(ContinuousClock.now - start)
                #expect((answer.json["publications"] as? [Any])?.count == round + 1)
                try await cluster.start(cluster.nodes[owner])
            }
            times.sort()
            print(
                "kill of an owner to the next answer: median \(times[times.count / 2]), slowest \(times[times.count - 1])"
            )
            #expect(times[times.count - 1] < .seconds(3))
            try await cluster.end()
        }

        /// Publishes in a sealed project, with a token made from the text, which must be a number.
        private func publishSealed(_ text: String, _ device: Client) async throws -> (id: String, token: String) {
            let token = sealedToken(text)
            let answer = try await device.send(
                "POST", "/v1/publications",
                [
                    "content": Data(text.utf8).base64EncodedString(), "ttl_s": 86_400, "idempotency_key": text,
                    "token": ["token": token, "key": sealedKey(token)],
                ])
            try #require(answer.status == 201 || answer.status == 200)
            return (try #require(answer.json["id"] as? String), token)
        }

        private func sealedToken(_ text: String) -> String {
            String(repeating: "0", count: 16 - text.utf8.count) + text
        }

        /// 60 bytes in base64.
        private func sealedKey(_ token: String) -> String {
            Data(String(repeating: token, count: 4).utf8.prefix(60)).base64EncodedString()
        }

        /// The nodes of a sealed project are killed while it is in use. Each message is found once, with the key for the heard token, and
        /// lost once, in the order of the numbers.
        @Test func devicesGoOnAtAnotherNode() async throws {
            let cluster = try await Cluster(isSealed: true)
            let (publisher, subscriber) = (try await device(cluster), try await device(cluster))
            let subscribed = try await subscriber.send(
                "POST", "/v1/subscriptions", ["ttl_s": 86_400, "token": ["token": sealedToken("ffff")]])
            try #require(subscribed.status == 201)
            let log = Log()
            let following = Task { await follow(subscriber, log) }
            var (ids, heard): ([String], [String]) = ([], [])
            var random = SeededGenerator(seed: 3)
            let killing = Task {
                for round in 0..<Self.kills {
                    let node = cluster.nodes[round % 3]
                    await onThread { _ = node.end(SIGKILL) }
                    try await Task.sleep(for: .milliseconds(300))
                    try await cluster.start(node)
                }
            }
            let isOver = SharedFlag()
            let watching = Task {
                _ = await killing.result
                isOver.set(true)
            }
            while !isOver.isSet || ids.count < 50 {
                let (id, token) = try await publishSealed("\(ids.count)", publisher)
                ids.append(id)
                heard.append(token)
                let answer = try await subscriber.send("POST", "/v1/sightings", ["heard": [token]])
                #expect((answer.json["heard"] as? [[String: String]])?.first?["status"] == "VALID")
                try await Task.sleep(for: .milliseconds(Int.random(in: 0...20, using: &random)))
            }
            try await killing.value
            await watching.value
            // All messages are still near: tokens live two minutes, sightings 90 s. A killed node has forgotten the keys for heard tokens,
            // so a device repeats its report, and then finds a message that it had not received before.
            for start in stride(from: 0, to: heard.count, by: 100) {
                _ = try await subscriber.send("POST", "/v1/sightings", ["heard": Array(heard[start...].prefix(100))])
            }
            try await eventually { await log.events.count { $0.name == "found" } >= ids.count }
            for id in ids {
                // A request repeated after a kill may find that the publication has ended already.
                let status = try await publisher.send("DELETE", "/v1/publications/\(id)").status
                #expect(status == 204 || status == 404)
            }
            try await eventually { await log.events.count { $0.name == "lost" } >= ids.count }
            try await Task.sleep(for: .milliseconds(300))
            following.cancel()
            let events = await log.events
            print("\(Self.kills) kills of nodes, \(await log.breaks) streams broken, \(ids.count) messages")
            for name in ["found", "lost"] {
                let texts = events.filter { $0.name == name }.compactMap(\.text)
                #expect(texts.count == ids.count, "\(name)")
                #expect(Set(texts) == Set((0..<ids.count).map { "\($0)" }), "\(name)")
            }
            for event in events where event.name == "found" {
                let token = sealedToken(try #require(event.text))
                #expect(event.keys == [token: sealedKey(token)])
            }
            let numbers = events.compactMap { $0.id.flatMap { Int($0) } }
            #expect(numbers == numbers.sorted() && Set(numbers).count == numbers.count)
            // Every connection after the first resumes.
            let begins = events.filter { $0.name == "ready" }.map(\.data)
            #expect(begins.dropFirst().allSatisfy { $0 == "{\"resumed\":true}" })
            #expect(await log.breaks > 0, "no kill interrupted the stream")
            try await cluster.end()
        }

        /// The database is killed under load and started again. It still has everything that was acknowledged.
        @Test func nothingAcknowledgedIsLostWithTheDatabase() async throws {
            let cluster = try await Cluster()
            var random = SeededGenerator(seed: 11)
            let acknowledged = Acknowledged()
            let isOver = SharedFlag()
            var devices: [Client] = []
            for _ in 0..<6 { devices.append(try await device(cluster)) }
            try await withThrowingTaskGroup(of: Void.self) { group in
                for (index, device) in devices.enumerated() {
                    group.addTask {
                        var count = 0
                        while !isOver.isSet {
                            count += 1
                            let text = "\(index) \(count)"
                            let answer = try await device.once(
                                "POST", "/v1/publications",
                                ["content": Data(text.utf8).base64EncodedString(), "ttl_s": 86_400])
                            if answer?.status == 201, let id = answer?.json["id"] as? String {
                                await acknowledged.add(id, of: index)
                            } else {
                                await acknowledged.failed()
                                try await Task.sleep(for: .milliseconds(50))
                            }
                        }
                    }
                }
                for _ in 0..<Self.kills {
                    try await Task.sleep(for: .milliseconds(Int.random(in: 200...900, using: &random)))
                    try await onThread {
                        cluster.postgres.kill()
                        try cluster.postgres.start()
                    }
                    let before = await acknowledged.count
                    try await eventually { await acknowledged.count > before }
                }
                isOver.set(true)
                try await group.waitForAll()
            }
            var missing = 0
            for (index, device) in devices.enumerated() {
                let answer = try await device.send("GET", "/v1/publications")
                let listed = (answer.json["publications"] as? [[String: Any]] ?? []).compactMap { $0["id"] as? String }
                missing += await acknowledged.ids(of: index).subtracting(listed).count
            }
            let (total, failed) = (await acknowledged.count, await acknowledged.failures)
            print(
                "\(Self.kills) kills of PostgreSQL, \(total) acknowledged, \(failed) refused or unanswered, \(missing) lost"
            )
            #expect(missing == 0)
            #expect(total > 10 * Self.kills, "too few to prove anything")
            #expect(failed > 0, "no kill interrupted a request")
            try await cluster.end()
        }

        private actor Acknowledged {
            private var all: [Int: Set<String>] = [:]
            private(set) var failures = 0

            var count: Int { all.values.reduce(0) { $0 + $1.count } }
            func add(_ id: String, of device: Int) { all[device, default: []].insert(id) }
            func ids(of device: Int) -> Set<String> { all[device] ?? [] }
            func failed() { failures += 1 }
        }
    }
#endif
