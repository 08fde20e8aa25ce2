import EarshotBasics

#if Postgres
    import EarshotPostgres
    import Foundation
    import NearbyWire
    import Synchronization
    import Testing

    @testable import EarshotServer

    /// The guarantees of the store of several nodes alone. Each node here is a service with its own store on a common
    /// database.
    @Suite struct PostgresStoreTests {
        /// A node on a database. It has no address, so no other node forwards requests to it.
        private func node(_ address: String, clock: MovedClock = MovedClock()) throws -> TokenService {
            var limits = ServiceLimits()
            limits.databaseConnections = 4
            limits.silence = .seconds(86_400)
            limits.requestsPerDevice = RateLimit(perSecond: 1e6, burst: 1e6)
            limits.requestsPerKey = RateLimit(perSecond: 1e6, burst: 1e6)
            let store = try PostgresStore(address: address, limits: limits, clock: clock, logger: silent)
            try store.join(at: "127.0.0.1:1")
            return TokenService(store: store, limits: limits)
        }

        private func store(_ node: TokenService) throws -> PostgresStore { try #require(node.store as? PostgresStore) }

        private func key(_ node: TokenService, _ project: String = "ours") async throws -> String {
            _ = try await node.store.createProject(name: project)
            let key = Secret.newKey()
            _ = try await node.store.createKey(project: project, name: "", hash: Secret.hash(key))
            return key
        }

        private func near(_ session: Session, _ node: TokenService) async throws -> [Int64] {
            try await node.store.changes(of: session, ChangeQuery(after: 0, limit: 99)).changes
                .map { $0.isFound ? $0.sequence : -$0.sequence }
        }

        private let everything = MessageFilter(namespace: "", type: "")
        private func message(_ text: String) -> Message { Message(namespace: "", type: "", content: Data(text.utf8)) }

        /// Nodes that start together create the tables once. No node serves tables of an unknown version.
        @Test func migratesOnce() async throws {
            let address = try PostgresServer.shared.get().makeDatabase()
            let versions = try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<4 { group.addTask { try PostgresStore(address: address, logger: silent).close() } }
                try await group.waitForAll()
                return try PostgresConnection(PostgresAddress(address)).execute("SELECT version FROM migration")
            }
            #expect(versions.map { $0.integer(0) } == [PostgresSchema.version])
            for (version, reason) in [(Int64(99), "has version 99"), (2, "has version 2")] {
                try PostgresConnection(PostgresAddress(address)).run(
                    script: "DELETE FROM migration; INSERT INTO migration VALUES (\(version))")
                let error = #expect(throws: AdministrationError.self) {
                    try PostgresStore(address: address, logger: silent)
                }
                #expect(error?.description.contains(reason) == true)
            }
        }

        /// A command that would find nothing makes no tables, and nothing makes them among another program's.
        @Test func tablesAreMadeInADatabaseOfOurOwn() throws {
            let address = try PostgresServer.shared.get().makeDatabase()
            func refusal(creates: Bool) throws -> String? {
                #expect(throws: AdministrationError.self) {
                    try PostgresStore(address: address, creates: creates, logger: silent).close()
                }?.description
            }
            let connection = try PostgresConnection(PostgresAddress(address))
            func tables() throws -> [String] {
                try connection.execute("SELECT tablename FROM pg_tables WHERE schemaname = 'public'").map { $0.text(0) }
            }
            #expect(try refusal(creates: false)?.contains("no tables yet; 'earshotd project create'") == true)
            #expect(try tables().isEmpty)
            try connection.run(script: "CREATE TABLE bookmark (address text)")
            for creates in [false, true] {
                #expect(try refusal(creates: creates)?.contains("tables of another program") == true)
            }
            #expect(try tables() == ["bookmark"])
        }

        /// One node owns a project. Another node gets it only when the owner has ended. Messages that were near are
        /// still near.
        @Test func aProjectGoesToAnotherNode() async throws {
            let (clock, address) = (MovedClock(), try PostgresServer.shared.get().makeDatabase())
            let (first, second) = (try node(address, clock: clock), try node(address, clock: clock))
            let key = try await key(first)
            let (publisher, subscriber) = (
                try await first.openSession(key: key).0, try await first.openSession(key: key).0
            )
            let publication = try await first.publish(message("hello"), for: publisher, idempotencyKey: "k")
            _ = try await first.subscribe(everything, for: subscriber)
            _ = try await first.report(heard: [publication.token.bytes], lost: [], for: subscriber)
            #expect(try await near(subscriber, first) == [1])
            #expect(try await problem { try await near(subscriber, second) } == .projectMoves)
            try first.store.close()
            try await eventually { try await problem { try await near(subscriber, second) } == nil }
            #expect(try await near(subscriber, second) == [1])
            // A repetition creates nothing.
            #expect(try await !second.publish(message("hello"), for: publisher, idempotencyKey: "k").isNew)
            #expect(
                try await problem { try await second.publish(message("other"), for: publisher, idempotencyKey: "k") }
                    == .repeatDiffers)
            // The message stays near until no device has confirmed it for the lifetime of a sighting.
            clock.advance(by: second.limits.sightingLifetime - .seconds(1))
            try await second.sweep()
            #expect(try await near(subscriber, second) == [1])
            clock.advance(by: .seconds(2))
            try await second.sweep()
            #expect(try await near(subscriber, second) == [-2])
        }

        /// The owner of a project recognises its devices without asking the database, even at their first request.
        @Test func theOwnerKnowsItsDevices() async throws {
            let address = try PostgresServer.shared.get().makeDatabase()
            let first = try node(address)
            let key = try await key(first)
            let (known, secret) = try await first.openSession(key: key)
            let (_, other) = try await first.openSession(key: key)
            try first.store.close()
            let second = try node(address)
            try await eventually { try await problem { try await near(known, second) } == nil }
            let lock = try PostgresConnection(PostgresAddress(address))
            try lock.run(script: "BEGIN; LOCK TABLE device IN ACCESS EXCLUSIVE MODE")
            for secret in [secret, other] {
                #expect(try await second.session(secret: secret).project == known.project)
            }
            try lock.run(script: "COMMIT")
        }

        /// A server that stops sends idle connections the reason, and then ends them. No call fails by such a connection.
        @Test func idleConnectionsThatTheServerEndedAreReplaced() async throws {
            let address = try PostgresServer.shared.get().makeDatabase()
            let pool = PostgresPool(PostgresAddress(address), size: 3, capacity: 9, settings: [])
            defer { pool.close() }
            func processes() async throws -> [Int64] {
                try await withThrowingTaskGroup(of: Int64?.self) { group in
                    for _ in 0..<3 {
                        group.addTask {
                            try await pool.perform {
                                // So long that the others must use another connection.
                                try $0.execute("SELECT pg_backend_pid()::bigint, pg_sleep(0.5)").first?.integer(0)
                            }
                        }
                    }
                    return try await group.reduce(into: []) { list, process in process.map { list.append($0) } }
                }
            }
            let old = try await processes()
            #expect(Set(old).count == 3)
            try PostgresConnection(PostgresAddress(address)).run(
                script: """
                    SELECT pg_terminate_backend(pid) FROM pg_stat_activity
                    WHERE datname = current_database() AND pid <> pg_backend_pid()
                    """)
            for process in old { while kill(pid_t(process), 0) == 0 || errno != ESRCH { usleep(10_000) } }
            let new = try await processes()
            #expect(Set(new).count == 3 && Set(new).isDisjoint(with: old))
        }

        /// From PostgreSQL 15 on, only a database's owner may create tables in its schema public.
        @Test func aUserWithoutRightsIsToldWhichToGive() throws {
            let address = try PostgresServer.shared.get().makeDatabase()
            let role = "r\(UUID().uuidString.replacingOccurrences(of: "-", with: "").lowercased())"
            try PostgresConnection(PostgresAddress(address)).run(script: "CREATE ROLE \(role) LOGIN")
            let error = #expect(throws: (any Error).self) {
                try PostgresStore(
                    address: address.replacingOccurrences(of: "earshot@", with: "\(role)@"), logger: silent
                ).close()
            }
            let reason = error.map { "\($0)" } ?? ""
            #expect(
                reason.contains(
                    "permission denied for schema public (SQLSTATE 42501). Make this user the database's owner"),
                "\(reason)")
        }

        /// A batch that the database refuses leaves nothing in memory, and the next batch succeeds.
        @Test func aRefusedBatchLeavesNothing() async throws {
            let address = try PostgresServer.shared.get().makeDatabase()
            let (clock, service) = (MovedClock(), try node(address))
            let session = try await service.openSession(key: try await key(service)).0
            let kept = try await service.publish(message("kept"), for: session)
            let connection = try PostgresConnection(PostgresAddress(address))
            try connection.run(
                script: """
                    CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'injected'; END $$;
                    CREATE TRIGGER refuse BEFORE INSERT ON token FOR EACH ROW EXECUTE FUNCTION refuse();
                    """)
            let error = await #expect(throws: PostgresError.self) {
                try await service.publish(message("refused"), for: session)
            }
            #expect(error?.message == "injected")
            let engine = try #require(try store(service).engines.first)
            let stored = try connection.transaction { try LiveRows($0, project: session.project) }
            let live = Live(
                stored, firstRow: ProjectRows.first(of: session.project), isRestart: false, now: clock.now)
            #expect(engine.live.withLock { Scene.rows($0) } == Scene.rows(live))
            #expect(stored.offers.map(\.publication.identifier) == [kept.value.identifier])
            try connection.run(script: "DROP TRIGGER refuse ON token")
            #expect(try await service.publish(message("refused"), for: session).isNew)
        }

        /// Any text and any content is read back unchanged, even when many are written together.
        @Test func textsAndContentsComeBackAsTheyWere() async throws {
            let address = try PostgresServer.shared.get().makeDatabase()
            let first = try node(address)
            let key = try await key(first)
            let (publisher, subscriber) = (
                try await first.openSession(key: key).0, try await first.openSession(key: key).0
            )
            let texts = ["", "NULL", "null", "{}", "a,b", "\"", "\\", "\\x00", "it's", "ü€🦉", " a ", "$1", "\u{1}\n\t"]
            var random = SeededGenerator(seed: 5)
            let messages = texts.enumerated().map { index, text in
                let count = [0, 1, 255, 256, 102_400][index % 5]
                let content = Data((0..<count).map { _ in UInt8.random(in: 0...255, using: &random) })
                return Message(namespace: text, type: text, content: content)
            }
            let tokens = try await withThrowingTaskGroup(of: Data.self) { group in
                for message in messages {
                    group.addTask {
                        let filter = MessageFilter(namespace: message.namespace, type: message.type)
                        _ = try await first.subscribe(filter, for: subscriber, idempotencyKey: message.type)
                        return try await first.publish(message, for: publisher, idempotencyKey: message.type).token
                            .bytes
                    }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            _ = try await first.report(heard: tokens, lost: [], for: subscriber)
            try first.store.close()
            let second = try node(address)
            try await eventually { try await problem { try await near(subscriber, second) } == nil }
            let changes = try await second.store.changes(of: subscriber, ChangeQuery(after: 0, limit: 99)).changes
            // The empty type selects every type of its namespace, which has one.
            #expect(changes.count == messages.count)
            for message in messages { #expect(changes.contains { $0.message == message }, "\(message.type)") }
        }

        /// A node whose project another node has taken writes nothing more, and its streams end.
        @Test func theFenceRefusesAFormerOwner() async throws {
            let address = try PostgresServer.shared.get().makeDatabase()
            let service = try node(address)
            let lost = Mutex<Set<Int64>>([])
            try await service.store.begin(service.limits) { devices in lost.withLock { $0 = devices } }
            let session = try await service.openSession(key: try await key(service)).0
            let connection = try PostgresConnection(PostgresAddress(address))
            try connection.run(script: "UPDATE owner SET epoch = epoch + 1")
            #expect(try await problem { try await service.publish(message("late"), for: session) } == .projectMoves)
            #expect(try connection.execute("SELECT FROM publication").isEmpty)
            #expect(lost.withLock { $0 } == [session.device])
            // Its number is still in the table, so it takes the project again, and reads its rows.
            #expect(try await service.store.publications(of: session, now: service.now).isEmpty)
            #expect(try await service.publish(message("again"), for: session).isNew)
        }

        /// A node whose connection broke still owns its projects, except those that another node took.
        @Test func aBrokenConnectionEndsNoProject() async throws {
            let address = try PostgresServer.shared.get().makeDatabase()
            let service = try node(address)
            let (one, two) = (try await key(service, "one"), try await key(service, "two"))
            let (first, second) = (
                try await service.openSession(key: one).0, try await service.openSession(key: two).0
            )
            let publication = try await service.publish(message("hello"), for: first)
            _ = try await service.subscribe(everything, for: second)
            let connection = try PostgresConnection(PostgresAddress(address))
            let store = try store(service)
            let owned = store.engines.count
            #expect(owned == 2)
            try connection.run(
                script: """
                    BEGIN;
                    UPDATE owner SET epoch = epoch + 1 WHERE project_id = \(second.project);
                    SELECT pg_terminate_backend(pid) FROM pg_stat_activity
                        WHERE pid <> pg_backend_pid() AND datname = current_database() AND query LIKE '%node%';
                    COMMIT;
                    """)
            try await eventually { !store.owns(second.project) && store.isNode }
            #expect(store.owns(first.project))
            let kept = try await service.store.publications(of: first, now: service.now)
            #expect(kept.map(\.identifier) == [publication.value.identifier])
        }

        /// The tables of version 3, which used functions of the database, and their content.
        @Test func aDatabaseOfVersion3() async throws {
            let address = try PostgresServer.shared.get().makeDatabase()
            let (key, secret) = (Secret.newKey(), Secret.newSession())
            let old = try PostgresConnection(PostgresAddress(address))
            try old.run(script: Self.version3)
            _ = try old.execute("UPDATE api_key SET hash = $1", [.bytes(Secret.hash(key))])
            _ = try old.execute("UPDATE device SET hash = $1 WHERE id = 7", [.bytes(Secret.hash(secret))])
            let service = try node(address)
            let session = try await service.session(secret: secret)
            #expect(session.device == 7 && session.identifier == "d7")
            #expect(try await near(session, service) == [3])
            #expect(try await service.openSession(key: key).0.project == session.project)
            // None of the old functions is left.
            #expect(try old.execute("SELECT FROM pg_proc WHERE proname = 'publish'").isEmpty)
            #expect(try old.execute("SELECT to_regclass('sighting'), to_regclass('device3')")[0].isNull(0))
            #expect(try old.execute("SELECT version FROM migration").map { $0.integer(0) } == [PostgresSchema.version])
        }

        /// Devices meet, part, publish and end at the same time. In the end the rows agree with memory, in which each device has found
        /// exactly the messages near it.
        @Test(arguments: [1, 2] as [UInt64]) func atOnce(seed: UInt64) async throws {
            let address = try PostgresServer.shared.get().makeDatabase()
            let (clock, service) = (MovedClock(), try node(address))
            let key = try await key(service)
            var sessions: [Session] = []
            for _ in 0..<8 { sessions.append(try await service.openSession(key: key).0) }
            let board = Board()
            try await withThrowingTaskGroup(of: Void.self) { group in
                for (index, session) in sessions.enumerated() {
                    group.addTask {
                        var random = SeededGenerator(seed: seed &* 100 &+ UInt64(index))
                        for _ in 0..<60 { try await Self.act(session, service, board, &random) }
                    }
                }
                try await group.waitForAll()
            }
            let engine = try #require(try store(service).engines.first)
            let stored = try PostgresConnection(PostgresAddress(address)).transaction {
                Live(
                    try LiveRows($0, project: sessions[0].project),
                    firstRow: ProjectRows.first(of: sessions[0].project),
                    isRestart: false, now: clock.now)
            }
            let kept = engine.live.withLock { $0 }
            #expect(Scene.rows(kept) == Scene.rows(stored))
            let found = Set(kept.deliveries.filter(\.value.isFound).map(\.key))
            var near: Set<Pair> = []
            for publication in kept.offers.keys {
                for subscription in kept.wishes.keys {
                    let pair = Pair(publication: publication, subscription: subscription)
                    if kept.isMatch(pair, now: clock.now) { near.insert(pair) }
                }
            }
            #expect(found == near)
            #expect(!near.isEmpty && kept.devices.values.reduce(0) { $0 + $1.sequence } > 50, "the room was empty")
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

        /// The tokens that the devices can hear.
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

        private static let version3 = """
            CREATE TABLE project (
                id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
                name text NOT NULL UNIQUE,
                created_at bigint NOT NULL
            );
            CREATE TABLE api_key (
                id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
                project_id bigint NOT NULL REFERENCES project,
                name text NOT NULL,
                role text NOT NULL CHECK (role IN ('device', 'owner')),
                hash bytea NOT NULL UNIQUE,
                created_at bigint NOT NULL,
                revoked_at bigint,
                origins text
            );
            CREATE INDEX api_key_revoked ON api_key (id) WHERE revoked_at IS NOT NULL;
            CREATE TABLE usage (
                key_id bigint NOT NULL,
                slot integer NOT NULL,
                devices bigint NOT NULL,
                publications bigint NOT NULL,
                subscriptions bigint NOT NULL,
                PRIMARY KEY (key_id, slot)
            ) WITH (fillfactor = 20);
            CREATE TABLE device (
                id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
                identifier text NOT NULL,
                key_id bigint NOT NULL REFERENCES api_key,
                project_id bigint NOT NULL,
                hash bytea NOT NULL UNIQUE,
                expires_at bigint NOT NULL,
                sequence bigint NOT NULL DEFAULT 0,
                forgotten bigint NOT NULL DEFAULT 0
            ) WITH (fillfactor = 70);
            CREATE INDEX device_key ON device (key_id);
            CREATE INDEX device_expiry ON device (expires_at);
            CREATE TABLE publication (
                id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
                identifier text NOT NULL UNIQUE,
                device_id bigint NOT NULL,
                key_id bigint NOT NULL,
                project_id bigint NOT NULL,
                idempotency_key text,
                namespace text NOT NULL,
                type text NOT NULL,
                expires_at bigint NOT NULL,
                ended_at bigint,
                content_count bigint NOT NULL,
                content bytea NOT NULL
            );
            CREATE INDEX publication_device ON publication (device_id) WHERE ended_at IS NULL;
            CREATE INDEX publication_expiry ON publication (expires_at) WHERE ended_at IS NULL;
            CREATE INDEX publication_end ON publication (ended_at) WHERE ended_at IS NOT NULL;
            CREATE UNIQUE INDEX publication_repeat ON publication (device_id, idempotency_key) WHERE ended_at IS NULL;
            CREATE TABLE subscription (
                id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
                identifier text NOT NULL UNIQUE,
                device_id bigint NOT NULL,
                key_id bigint NOT NULL,
                project_id bigint NOT NULL,
                idempotency_key text,
                namespace text NOT NULL,
                type text NOT NULL,
                expires_at bigint NOT NULL
            );
            CREATE INDEX subscription_expiry ON subscription (expires_at);
            CREATE UNIQUE INDEX subscription_repeat ON subscription (device_id, idempotency_key);
            CREATE TABLE token (
                id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
                project_id bigint NOT NULL,
                bytes bigint NOT NULL,
                device_id bigint NOT NULL,
                publication_id bigint,
                subscription_id bigint,
                issued_at bigint NOT NULL,
                expires_at bigint NOT NULL,
                UNIQUE (project_id, bytes)
            );
            CREATE INDEX token_publication ON token (publication_id) WHERE publication_id IS NOT NULL;
            CREATE INDEX token_subscription ON token (subscription_id) WHERE subscription_id IS NOT NULL;
            CREATE INDEX token_expiry ON token (expires_at);
            CREATE TABLE delivery (
                subscription_id bigint NOT NULL,
                publication_id bigint NOT NULL,
                device_id bigint NOT NULL,
                is_found boolean NOT NULL,
                sequence bigint NOT NULL,
                changed_at bigint NOT NULL,
                assumed_until bigint,
                PRIMARY KEY (subscription_id, publication_id)
            );
            CREATE INDEX delivery_sequence ON delivery (device_id, sequence);
            CREATE INDEX delivery_publication ON delivery (publication_id);
            CREATE INDEX delivery_lost ON delivery (changed_at) WHERE NOT is_found;
            CREATE INDEX delivery_assumed ON delivery (assumed_until) WHERE assumed_until IS NOT NULL;

            CREATE UNLOGGED TABLE sighting (
                device_id bigint NOT NULL,
                token_id bigint NOT NULL,
                expires_at bigint NOT NULL,
                PRIMARY KEY (device_id, token_id)
            );
            CREATE INDEX sighting_token ON sighting (token_id);
            CREATE INDEX sighting_expiry ON sighting (expires_at);
            CREATE UNLOGGED TABLE presence (
                device_id bigint PRIMARY KEY,
                reported_at bigint NOT NULL
            ) WITH (fillfactor = 50);
            CREATE UNLOGGED TABLE rate (
                subject text PRIMARY KEY,
                level double precision NOT NULL,
                updated_at bigint NOT NULL,
                full_at bigint NOT NULL
            ) WITH (fillfactor = 50);
            CREATE INDEX rate_full ON rate (full_at);
            CREATE UNLOGGED TABLE alive (
                id integer PRIMARY KEY,
                swept_at timestamptz NOT NULL
            ) WITH (fillfactor = 50);

            INSERT INTO alive VALUES (1, clock_timestamp());

            CREATE TABLE probe (id integer PRIMARY KEY, written_at bigint NOT NULL);
            INSERT INTO probe VALUES (1, 0);

            CREATE TABLE namespace (
                id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
                project_id bigint NOT NULL REFERENCES project,
                name text COLLATE "C" NOT NULL UNIQUE,
                is_public boolean NOT NULL,
                created_at bigint NOT NULL
            );
            CREATE INDEX namespace_project ON namespace (project_id);
            CREATE TABLE beacon (
                id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
                project_id bigint NOT NULL REFERENCES project,
                kind text COLLATE "C" NOT NULL,
                identifier bytea NOT NULL,
                note text NOT NULL,
                created_at bigint NOT NULL,
                UNIQUE (kind, identifier)
            );
            CREATE INDEX beacon_project ON beacon (project_id, kind, identifier);
            CREATE TABLE attachment (
                id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
                identifier text NOT NULL UNIQUE,
                beacon_id bigint NOT NULL REFERENCES beacon ON DELETE CASCADE,
                namespace_id bigint REFERENCES namespace,
                type text NOT NULL,
                created_at bigint NOT NULL,
                data bytea NOT NULL
            );
            CREATE INDEX attachment_beacon ON attachment (beacon_id);
            CREATE INDEX attachment_namespace ON attachment (namespace_id) WHERE namespace_id IS NOT NULL;

            CREATE FUNCTION moment(fixed bigint) RETURNS bigint LANGUAGE sql AS 'SELECT coalesce(fixed, 0)';
            CREATE FUNCTION publish(text) RETURNS bigint LANGUAGE sql AS 'SELECT moment(1)';
            CREATE TABLE migration (version integer PRIMARY KEY);
            INSERT INTO migration VALUES (1), (2), (3);
            INSERT INTO project (name, created_at) VALUES ('ours', 0);
            INSERT INTO api_key (project_id, name, role, hash, created_at) VALUES (1, 'phones', 'device', '', 0);
            INSERT INTO device OVERRIDING SYSTEM VALUE
                VALUES (6, 'd6', 1, 1, 'x', 9e15, 0, 0), (7, 'd7', 1, 1, 'y', 9e15, 3, 0);
            INSERT INTO publication OVERRIDING SYSTEM VALUE
                VALUES (4, 'p4', 6, 1, 1, NULL, '', '', 9e15, NULL, 5, 'hello');
            INSERT INTO subscription OVERRIDING SYSTEM VALUE VALUES (5, 's5', 7, 1, 1, NULL, '', '', 9e15);
            INSERT INTO token OVERRIDING SYSTEM VALUE VALUES (9, 1, 77, 6, 4, NULL, 0, 9e15);
            INSERT INTO delivery VALUES (5, 4, 7, true, 3, 0, NULL);
            """
    }
#endif
