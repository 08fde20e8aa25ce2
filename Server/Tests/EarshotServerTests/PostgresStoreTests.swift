import EarshotBasics

#if Postgres
    import EarshotPostgres
    import Foundation
    import NearbyWire
    import Testing

    @testable import EarshotServer

    /// What only the store of several nodes promises. Each node here is a service with a store of its own on one database.
    @Suite struct PostgresStoreTests {
        /// Nodes on an empty database.
        private func nodes(
            _ count: Int, clock: MovedClock = MovedClock(), _ adjust: (inout ServiceLimits) -> Void = { _ in }
        ) throws -> [TokenService] {
            let address = try PostgresServer.shared.get().makeDatabase()
            var limits = ServiceLimits()
            limits.requestsPerDevice = RateLimit(perSecond: 1e6, burst: 1e6)
            limits.requestsPerKey = RateLimit(perSecond: 1e6, burst: 1e6)
            limits.silence = .seconds(86_400)
            adjust(&limits)
            return try (0..<count).map { _ in
                let store = try PostgresStore(address: address, connections: 4, clock: clock, logger: silent)
                return TokenService(store: store, limits: limits)
            }
        }

        private func key(_ node: TokenService, _ project: String = "ours") async throws -> String {
            if try await node.store.projects().isEmpty { _ = try await node.store.createProject(name: project) }
            let key = Secret.newKey()
            _ = try await node.store.createKey(project: project, name: "", hash: Secret.hash(key))
            return key
        }

        private func run(_ sql: String, _ node: TokenService) async throws -> [PostgresRow] {
            let store = try #require(node.store as? PostgresStore)
            return try await store.perform { connection, _ in try connection.execute(sql) }
        }

        private func near(_ session: Session, _ node: TokenService) async throws -> [Int64] {
            try await node.store.changes(of: session, ChangeQuery(after: 0, limit: 99)).changes
                .map { $0.isFound ? $0.sequence : -$0.sequence }
        }

        /// A device may use another node for each request.
        @Test func aDeviceMovesBetweenNodes() async throws {
            let nodes = try nodes(3)
            let key = try await key(nodes[0])
            let (publisher, secret) = try await nodes[0].openSession(key: key)
            let subscriber = try await nodes[1].openSession(key: key).0
            #expect(try await nodes[2].session(secret: secret) == publisher)
            let message = Message(namespace: "", type: "", content: Data("hello".utf8))
            let publication = try await nodes[2].publish(message, for: publisher, idempotencyKey: "k")
            // A repetition at another node creates nothing.
            #expect(try await !nodes[0].publish(message, for: publisher, idempotencyKey: "k").isNew)
            _ = try await nodes[0].subscribe(MessageFilter(namespace: "", type: ""), for: subscriber)
            let heard = try await nodes[2].report(heard: [publication.token.bytes], lost: [], for: subscriber)
            #expect(heard.heard == [.valid] && heard.woken.devices == [subscriber.device])
            #expect(try await near(subscriber, nodes[0]) == [1])
            try await nodes[1].endSession(publisher)
            #expect(try await near(subscriber, nodes[0]) == [-2])
            #expect(try await problem { try await nodes[2].session(secret: secret) } == .badSession)
        }

        /// Nodes that start at once make the tables once; and none serves tables that it does not know.
        @Test func migratesOnce() async throws {
            let address = try PostgresServer.shared.get().makeDatabase()
            let versions = try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<4 {
                    group.addTask { try PostgresStore(address: address, connections: 1, logger: silent).close() }
                }
                try await group.waitForAll()
                return try PostgresConnection(PostgresAddress(address)).execute("SELECT version FROM migration")
            }
            #expect(versions.map { $0.integer(0) } == [1, 2, 3])
            try PostgresConnection(PostgresAddress(address)).run(script: "INSERT INTO migration VALUES (99)")
            #expect(throws: AdministrationError.self) { try PostgresStore(address: address, logger: silent) }
        }

        /// A limit of a key holds, whatever its devices order at once on all nodes.
        @Test(arguments: [7, 2_000]) func limitsHoldOverAllNodes(_ limit: Int) async throws {
            let nodes = try nodes(3) {
                $0.publicationsPerKey = limit
                $0.publicationsPerDevice = 10_000
                $0.devicesPerKey = 10_000
            }
            let key = try await key(nodes[0])
            var sessions: [Session] = []
            for index in 0..<12 { sessions.append(try await nodes[index % 3].openSession(key: key).0) }
            // As if the key had almost as many already, some of them on each side of the margins.
            let there = max(0, limit - 1_020)
            let few = sessions[0]
            _ = try await run(
                """
                INSERT INTO publication (identifier, device_id, key_id, project_id, namespace, type, expires_at,
                    content_count, content)
                SELECT 'p' || n, \(few.device), \(few.key), \(few.project), '', '', 9e15::bigint, 0, ''
                FROM generate_series(1, \(there)) AS n
                """, nodes[0])
            let accepted = try await withThrowingTaskGroup(of: Int.self) { group in
                for (index, session) in sessions.enumerated() {
                    group.addTask {
                        var accepted = 0
                        for round in 0..<100 {
                            let node = nodes[(index + round) % 3]
                            let refusal = try await problem {
                                try await node.publish(Message(namespace: "", type: "", content: Data()), for: session)
                            }
                            if refusal == nil {
                                accepted += 1
                            } else {
                                #expect(refusal?.code == "too_many_publications")
                            }
                        }
                        return accepted
                    }
                }
                return try await group.reduce(0, +)
            }
            #expect(accepted == limit - there)
            let counted = try await run("SELECT used(\(few.key), 'publications'), count(*) FROM publication", nodes[1])[
                0]
            #expect(counted.integer(0) == Int64(limit) && counted.integer(1) == Int64(limit))
        }

        @Test func ratesHoldOverAllNodes() async throws {
            let clock = MovedClock()
            let nodes = try nodes(3, clock: clock) {
                $0.requestsPerDevice = RateLimit(perSecond: 2, burst: 30)
                $0.sharePerDevice = RateLimit(perSecond: 1e6, burst: 1e6)
            }
            let key = try await key(nodes[0])
            let (_, secret) = try await nodes[0].openSession(key: key)
            func accepted() async throws -> Int {
                try await withThrowingTaskGroup(of: Int.self) { group in
                    for node in nodes {
                        group.addTask {
                            var accepted = 0
                            for _ in 0..<40 {
                                let refusal = try await problem { try await node.session(secret: secret) }
                                if refusal == nil { accepted += 1 } else { #expect(refusal?.code == "rate_limited") }
                            }
                            return accepted
                        }
                    }
                    return try await group.reduce(0, +)
                }
            }
            #expect(try await accepted() == 30)
            clock.advance(by: .seconds(4))
            #expect(try await accepted() == 8)
        }

        /// The pages at one address have one limit, whichever node they ask.
        @Test func ratesOfAddressesHoldOverAllNodes() async throws {
            let nodes = try nodes(3) { $0.requestsPerAddress = RateLimit(perSecond: 0.001, burst: 30) }
            let store = nodes[0].store
            _ = try await store.createProject(name: "ours")
            let key = Secret.newBrowserKey()
            _ = try await store.createKey(
                project: "ours", name: "", role: .device,
                origins: AllowedOrigins([try WebOrigin("https://example.org")]), hash: Secret.hash(key))
            let source = RequestSource(origin: "https://example.org", client: "192.0.2.1")
            let (_, secret) = try await nodes[0].openSession(key: key, from: source)
            var accepted = 0
            for round in 0..<90 {
                let refusal = try await problem {
                    try await nodes[round % 3].session(secret: secret, from: source)
                }
                if refusal == nil { accepted += 1 } else { #expect(refusal?.message.contains("address") == true) }
            }
            #expect(accepted == 29)
        }

        /// While the database is away, a node counts for itself.
        @Test func ratesOfAddressesWithoutADatabase() async throws {
            let server = try PostgresServer()
            let store = try PostgresStore(
                address: server.address(), connections: 2, clock: MovedClock(), logger: silent)
            var limits = ServiceLimits()
            limits.requestsPerAddress = RateLimit(perSecond: 0.001, burst: 3)
            let service = TokenService(store: store, limits: limits)
            server.kill()
            let source = RequestSource(origin: "https://example.org", client: "192.0.2.1")
            var codes: [String?] = []
            for _ in 0..<4 {
                codes.append(try await problem { try await service.session(secret: "x", from: source) }?.code)
            }
            #expect(codes.prefix(3).allSatisfy { $0 != "rate_limited" } && codes.last == "rate_limited")
        }

        /// A database of version 1, which knew no browser keys.
        @Test func aDatabaseWithoutBrowserKeys() async throws {
            let address = try PostgresServer.shared.get().makeDatabase()
            let key = Secret.newKey()
            let old = try PostgresConnection(PostgresAddress(address))
            for script in PostgresSchema.versions[0] { try old.run(script: script) }
            try old.run(
                script: """
                    CREATE TABLE migration (version integer PRIMARY KEY);
                    INSERT INTO migration VALUES (1);
                    INSERT INTO project (name, created_at) VALUES ('ours', 0);
                    ALTER TABLE sighting ADD COLUMN medium text, ADD COLUMN rssi_dbm integer;
                    CREATE FUNCTION report(
                        bigint, bigint, bigint[], bigint[], text[], integer[], bigint[], bigint, bigint, bigint)
                        RETURNS bigint LANGUAGE sql AS 'SELECT 1';
                    """)
            _ = try old.execute(
                "INSERT INTO api_key (project_id, name, role, hash, created_at) VALUES (1, 'phones', 'device', $1, 0)",
                [.bytes(Secret.hash(key))])
            let store = try PostgresStore(address: address, connections: 2, logger: silent)
            let service = TokenService(store: store)
            #expect(try await store.keys(project: nil).map(\.origins) == [nil])
            #expect(try await service.openSession(key: key).0.origins == nil)
            let browserKey = Secret.newBrowserKey()
            _ = try await store.createKey(
                project: "ours", name: "", role: .device, origins: AllowedOrigins([]), hash: Secret.hash(browserKey))
            #expect(try await problem { try await service.openSession(key: browserKey) } == .noOrigin)
            // The medium of a sighting and its strength are gone, and so is the function that took them.
            let left = try old.execute(
                """
                SELECT column_name FROM information_schema.columns WHERE column_name IN ('medium', 'rssi_dbm')
                UNION ALL SELECT 'report' FROM pg_proc WHERE proname = 'report'
                """)
            #expect(left.map { $0.text(0) } == ["report"])
            store.close()
        }

        /// After the database's clock was set back a node has to shorten every lease, which takes longer than a request may.
        @Test func aNodeStartsHoweverLongItTakes() async throws {
            let node = try nodes(1)[0]
            let store = try #require(node.store as? PostgresStore)
            try await store.perform { connection, _ in
                try connection.run(
                    script: """
                        CREATE FUNCTION slow() RETURNS trigger LANGUAGE plpgsql AS
                            $$ BEGIN PERFORM pg_sleep(11); RETURN NULL; END $$;
                        CREATE TRIGGER slow AFTER UPDATE ON presence EXECUTE FUNCTION slow();
                        """)
            }
            #expect(try await problem { try await node.begin() } == nil)
            // Requests keep their timeout.
            #expect(try await run("SELECT current_setting('statement_timeout')", node)[0].text(0) == "10s")
        }

        /// The sightings are not counted for the metrics: that would read a million rows, and wait for this lock.
        @Test func metricsReadNoSightings() async throws {
            let node = try nodes(1)[0]
            let store = try #require(node.store as? PostgresStore)
            try await store.transaction { connection, _ in
                try connection.execute("LOCK TABLE sighting IN ACCESS EXCLUSIVE MODE")
                let isDone = DispatchSemaphore(value: 0)
                Task.detached {
                    let text = try? await node.metricsText()
                    #expect(text?.contains("earshot_live_sightings 0\n") == true)
                    isDone.signal()
                }
                isDone.wait()
            }
        }

        /// One node sweeps at a time.
        @Test func oneSweeper() async throws {
            let clock = MovedClock()
            let nodes = try nodes(2, clock: clock)
            let session = try await nodes[0].openSession(key: try await key(nodes[0])).0
            _ = try await nodes[0].subscribe(
                MessageFilter(namespace: "", type: ""), for: session, timeToLive: .seconds(1))
            clock.advance(by: .seconds(2))
            let store = try #require(nodes[0].store as? PostgresStore)
            try await store.transaction { connection, _ in
                try connection.execute("SELECT pg_advisory_xact_lock(1, 2)")
                // The other node looks, and leaves it to the one that has the lock.
                let isDone = DispatchSemaphore(value: 0)
                Task.detached {
                    try await nodes[1].sweep()
                    isDone.signal()
                }
                isDone.wait()
                #expect(try connection.execute("SELECT id FROM subscription").count == 1)
            }
            try await nodes[1].sweep()
            #expect(try await run("SELECT id FROM subscription", nodes[1]).isEmpty)
        }

        /// A plan that was made for an empty table reads a wrong index from end to end.
        @Test func plansFollowTheSizeOfTables() async throws {
            let node = try nodes(1)[0]
            func plan() async throws -> String {
                try await run(
                    "EXPLAIN SELECT FROM sighting WHERE device_id = 7 AND token_id = 7 AND expires_at > 7", node
                ).map { $0.text(0) }.joined()
            }
            func known() async throws -> Int64 {
                try await run("SELECT relpages::bigint FROM pg_class WHERE relname = 'sighting'", node)[0].integer(0)
            }
            // As autovacuum leaves a table that was empty for a while.
            _ = try await run("ANALYZE sighting", node)
            _ = try await run(
                "INSERT INTO sighting SELECT n % 50, n / 50, 9e15 FROM generate_series(0, 4999) AS n", node)
            #expect(try await known() == 0)
            try await node.sweep()
            let count = try await known()
            #expect(count > 20)
            #expect(try await plan().contains("sighting_pkey"))
            // It counts again only after the table has doubled.
            _ = try await run(
                "INSERT INTO sighting SELECT n % 50, n / 50, 9e15 FROM generate_series(5000, 5999) AS n", node)
            try await node.sweep()
            #expect(try await known() == count)
        }

        /// A crash of the database forgets sightings. What was near stays so until its devices say otherwise; and so it does
        /// after a time in which no node ran, so that no device could report.
        @Test(arguments: [
            "TRUNCATE sighting, presence, alive, rate", "UPDATE alive SET swept_at = now() - interval '1 h'",
        ])
        func anOutageFindsAndLosesNothing(_ outage: String) async throws {
            let clock = MovedClock()
            let node = try nodes(1, clock: clock) { $0.silence = .seconds(15) }[0]
            let key = try await key(node)
            let (publisher, subscriber) = (
                try await node.openSession(key: key).0, try await node.openSession(key: key).0
            )
            let message = Message(namespace: "", type: "", content: Data())
            let one = try await node.publish(message, for: publisher).token.bytes
            let two = try await node.publish(message, for: publisher).token.bytes
            _ = try await node.subscribe(MessageFilter(namespace: "", type: ""), for: subscriber)
            try await node.sweep()
            _ = try await node.report(heard: [one, two], lost: [], for: subscriber)
            #expect(try await near(subscriber, node) == [1, 2])
            for statement in outage.split(separator: ";") { _ = try await run(String(statement), node) }
            clock.advance(by: .seconds(20))
            try await node.sweep()
            #expect(try await near(subscriber, node) == [1, 2])
            // Found again at its next report, without an event. The other is near for as long as a sighting could have lasted.
            for _ in 0..<17 {
                _ = try await node.report(heard: [one], lost: [], for: subscriber)
                clock.advance(by: .seconds(5))
                try await node.sweep()
                #expect(try await near(subscriber, node) == [1, 2])
            }
            _ = try await node.report(heard: [one], lost: [], for: subscriber)
            clock.advance(by: .seconds(5))
            try await node.sweep()
            #expect(try await near(subscriber, node) == [1, -3])
        }

        /// Devices that meet, part, publish and end at once, on several nodes: in the end each has found exactly what is near.
        @Test(arguments: [1, 2] as [UInt64]) func atOnce(seed: UInt64) async throws {
            let nodes = try nodes(3)
            let key = try await key(nodes[0])
            var sessions: [Session] = []
            for index in 0..<8 { sessions.append(try await nodes[index % 3].openSession(key: key).0) }
            let board = Board()
            try await withThrowingTaskGroup(of: Void.self) { group in
                for (index, session) in sessions.enumerated() {
                    group.addTask {
                        var random = SeededGenerator(seed: seed &* 100 &+ UInt64(index))
                        for _ in 0..<60 {
                            try await Self.act(session, nodes.randomElement(using: &random)!, board, &random)
                        }
                    }
                }
                try await group.waitForAll()
            }
            // By the rules in their simplest form, over all rows.
            let wrong = try await run(
                """
                WITH near AS (
                    SELECT DISTINCT p.id AS p, s.id AS s FROM publication AS p JOIN subscription AS s
                        ON p.project_id = s.project_id AND p.device_id <> s.device_id AND p.ended_at IS NULL
                    JOIN token AS k ON k.publication_id = p.id OR k.subscription_id = s.id
                    JOIN sighting AS g ON g.token_id = k.id
                        AND g.device_id = CASE WHEN k.publication_id = p.id THEN s.device_id ELSE p.device_id END
                ), found AS (SELECT publication_id AS p, subscription_id AS s FROM delivery WHERE is_found)
                (SELECT p, s, 'missed' FROM near EXCEPT SELECT p, s, 'missed' FROM found)
                UNION ALL (SELECT p, s, 'kept' FROM found EXCEPT SELECT p, s, 'kept' FROM near)
                """, nodes[0])
            #expect(wrong.isEmpty, "seed \(seed): \(wrong.map { "\($0.text(0)) \($0.text(1)) \($0.text(2))" })")
            let counts = try await run(
                """
                SELECT (SELECT count(*) FROM delivery WHERE is_found), (SELECT sum(sequence) FROM device),
                    (SELECT count(*) FROM (SELECT device_id, sequence FROM delivery GROUP BY 1, 2 HAVING count(*) > 1) AS d)
                """, nodes[0])[0]
            print("seed \(seed): \(counts.integer(0)) found in the end, \(counts.integer(1)) changes")
            #expect(counts.integer(0) > 0 && counts.integer(1) > 50, "the room was empty")
            #expect(counts.integer(2) == 0, "two changes have one number")
        }

        private static func act(
            _ session: Session, _ node: TokenService, _ board: Board, _ random: inout SeededGenerator
        ) async throws {
            switch Int.random(in: 0..<10, using: &random) {
            case 0, 1:
                let message = Message(namespace: "", type: "", content: Data())
                let outcome = try await node.publish(message, for: session)
                await board.add(outcome.token.bytes, publication: outcome.value.identifier, of: session.device)
            case 2:
                let outcome = try await node.subscribe(MessageFilter(namespace: "", type: ""), for: session)
                await board.add(outcome.token.bytes, subscription: outcome.value.identifier, of: session.device)
            case 3:
                guard let item = await board.take(of: session.device) else { return }
                switch item {
                case .publication(let id): try await node.unpublish(id, for: session)
                case .subscription(let id): try await node.unsubscribe(id, for: session)
                }
            case 4, 5:
                guard let token = await board.token(&random) else { return }
                _ = try await node.report(heard: [] as [Data], lost: [token], for: session)
            default:
                guard let one = await board.token(&random), let two = await board.token(&random) else { return }
                _ = try await node.report(heard: [one, two], lost: [], for: session)
            }
        }

        /// What the devices could hear.
        private actor Board {
            enum Item {
                case publication(String)
                case subscription(String)
            }

            private var tokens: [Data] = []
            private var items: [Int64: [Item]] = [:]

            func add(_ token: Data, publication id: String, of device: Int64) {
                tokens.append(token)
                items[device, default: []].append(.publication(id))
            }

            func add(_ token: Data, subscription id: String, of device: Int64) {
                tokens.append(token)
                items[device, default: []].append(.subscription(id))
            }

            func take(of device: Int64) -> Item? { items[device]?.popLast() }

            func token(_ random: inout SeededGenerator) -> Data? { tokens.suffix(24).randomElement(using: &random) }
        }
    }
#endif
