import Foundation
import GRDB
import NearbyWire
import Testing

@testable import EarshotServer

/// Databases of earlier versions.
@Suite struct UpgradeTests {
    /// A database of version 2, which had neither beacons nor owners' keys, with a device that hears a message.
    @Test func aDatabaseWithoutBeacons() async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("earshotd-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let path = folder.appendingPathComponent("old.sqlite").path
        let (key, secret) = (Secret.newKey(), Secret.newSession())
        let clock = MovedClock()
        let later = clock.now + .seconds(600)
        let old = try DatabasePool(path: path)
        try Schema.migrator.migrate(old, upTo: "2")
        try await old.write { database in
            #expect(try !database.tableExists("beacon"))
            try database.execute(
                sql: """
                    INSERT INTO project (id, name, created_at) VALUES (1, 'ours', 0);
                    INSERT INTO api_key (id, project_id, name, hash, created_at) VALUES (1, 1, 'phones', :key, 0);
                    INSERT INTO device (id, identifier, key_id, project_id, hash, expires_at)
                        VALUES (1, 'a', 1, 1, :secret, :later), (2, 'b', 1, 1, x'00', :later);
                    INSERT INTO publication (id, identifier, device_id, key_id, project_id, namespace, type, expires_at,
                        content_count, content) VALUES (1, 'p', 2, 1, 1, '', '', :later, 5, x'68656c6c6f');
                    INSERT INTO subscription (id, identifier, device_id, key_id, project_id, namespace, type, expires_at)
                        VALUES (1, 's', 1, 1, 1, '', '', :later);
                    INSERT INTO token (id, project_id, bytes, device_id, publication_id, issued_at, expires_at)
                        VALUES (1, 1, x'0102030405060708', 2, 1, 0, :later);
                    INSERT INTO sighting (device_id, token_id, expires_at) VALUES (1, 1, :later);
                    UPDATE device SET sequence = 1 WHERE id = 1;
                    INSERT INTO delivery (subscription_id, publication_id, device_id, is_found, sequence, changed_at)
                        VALUES (1, 1, 1, 1, 1, 0);
                    """, arguments: ["key": Secret.hash(key), "secret": Secret.hash(secret), "later": later])
        }
        try old.close()

        let store = try SQLiteStore(path: path, clock: clock)
        defer { try? store.close() }
        let service = TokenService(store: store)
        #expect(try await store.keys(project: nil).map(\.role) == [.device])
        // The old session continues. Its found message is still near, although sightings are forgotten.
        let session = try await service.session(secret: secret)
        let counts = store.counts()
        #expect(counts.sightings == 0 && counts.publications == 1)
        let token = Data([1, 2, 3, 4, 5, 6, 7, 8])
        #expect(try await service.report(heard: [token], lost: [], for: session).heard == [.valid])
        // The message is not found a second time, and is lost once.
        func changes() async throws -> [Bool] {
            try await store.changes(of: session, ChangeQuery(after: 0, limit: 9)).changes.map(\.isFound)
        }
        #expect(try await changes() == [true])
        _ = try await service.report(heard: [] as [Data], lost: [token], for: session)
        #expect(try await changes() == [false])
        // The old key opens sessions, but cannot manage beacons.
        #expect(try await service.openSession(key: key).0.project == 1)
        #expect(try await problem { try await service.ownedProject(key: key) } == .notOwner)
        // The new tables work.
        let project = try await store.project(named: "ours")
        _ = try await service.registry.register(.numbered(1), note: "", project: project)
        _ = try await service.registry.attach(Data("x".utf8), type: "", namespace: "", to: .numbered(1), .all)
        let found = try await service.lookUp([.numbered(1)], MessageFilter(namespace: "", type: ""), for: session)
        #expect(found.flatMap(\.attachments).map(\.data) == [Data("x".utf8)])
    }

    /// A database of version 3, which stored sightings, counted each key's items and had indexes for requests.
    @Test func aDatabaseWithSightings() async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("earshotd-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let path = folder.appendingPathComponent("old.sqlite").path
        let clock = MovedClock()
        let secrets = (0..<4).map { _ in Secret.newSession() }
        try await makeVersion3(path, hashes: secrets.map(Secret.hash), now: clock.now)

        let store = try SQLiteStore(path: path, clock: clock)
        defer { try? store.close() }
        let service = TokenService(store: store)
        try await service.begin()
        let sessions = try await service.sessions(secrets)
        let (publisher, subscriber) = (try #require(sessions[0]), try #require(sessions[1]))
        // The third has ended, and the fourth's key is revoked.
        #expect(sessions[2] == nil && sessions[3] == nil)
        #expect(
            try await store.publications(of: publisher, now: clock.now).map(\.identifier) == ["near", "lost", "far"])
        #expect(try await store.subscriptions(of: subscriber, now: clock.now).map(\.identifier) == ["s"])
        let tokens = (1...4).map { Data(repeating: UInt8($0), count: 8) }
        // A resumed stream continues after its last number, and a new one finds the messages that are near.
        let all = try await store.changes(of: subscriber, ChangeQuery(after: 0, limit: 9)).changes
        #expect(all.map(\.sequence) == [2, 4] && all.map(\.isFound) == [true, false])
        #expect(all.map { String(decoding: $0.message.content, as: UTF8.self) } == ["near", "lost"])
        #expect(try await store.position(of: subscriber, after: 1, now: clock.now)?.isResumed == true)
        #expect(try await store.position(of: subscriber, after: 0, now: clock.now)?.isResumed == false)
        // The service recognises a repeated order, and refuses one with other content.
        let message = Message(namespace: "", type: "", content: Data("near".utf8))
        let again = try await service.publish(message, for: publisher, idempotencyKey: "once")
        #expect(!again.isNew && again.value.identifier == "near")
        // The next change has the next number.
        _ = try await service.report(heard: [tokens[1]], lost: [], for: subscriber)
        let next = try await store.changes(of: subscriber, ChangeQuery(after: 4, limit: 9)).changes
        #expect(next.map(\.sequence) == [5] && next.map(\.publication) == ["far"])
        // Tokens keep their status: alive, expired, or of an ended publication.
        let statuses = try await service.report(heard: tokens, lost: [], for: publisher).heard
        #expect(statuses == [.valid, .valid, .expired, .expired])
        // Nothing of the old tables is left, and the file is sound.
        let names = try await store.pool.read { database in
            #expect(try String.fetchAll(database, sql: "PRAGMA integrity_check") == ["ok"])
            #expect(try Row.fetchAll(database, sql: "PRAGMA foreign_key_check").isEmpty)
            return try String.fetchAll(
                database, sql: "SELECT name FROM sqlite_master WHERE name LIKE '%4' OR name LIKE 'sighting%'")
        }
        #expect(names.isEmpty)
        try store.close()
        // The upgrade happens once.
        let later = try SQLiteStore(path: path, clock: clock)
        defer { try? later.close() }
        #expect(try await later.publications(of: publisher, now: clock.now).count == 3)
    }

    /// A database of version 4, which had no browser keys.
    @Test func aDatabaseWithoutBrowserKeys() async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("earshotd-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let path = folder.appendingPathComponent("old.sqlite").path
        let (key, secret) = (Secret.newKey(), Secret.newSession())
        let clock = MovedClock()
        let old = try DatabasePool(path: path)
        try Schema.migrator.migrate(old, upTo: "4")
        try await old.write { database in
            #expect(try !database.columns(in: "api_key").contains { $0.name == "origins" })
            try database.execute(
                sql: """
                    INSERT INTO project (id, name, created_at) VALUES (1, 'ours', 0);
                    INSERT INTO api_key (id, project_id, name, hash, created_at) VALUES (1, 1, 'phones', :key, 0);
                    INSERT INTO device (id, identifier, key_id, project_id, hash, expires_at, sequence, forgotten)
                        VALUES (1, 'a', 1, 1, :secret, :later, 0, 0);
                    """,
                arguments: [
                    "key": Secret.hash(key), "secret": Secret.hash(secret), "later": clock.now + .seconds(600),
                ])
        }
        try old.close()

        let store = try SQLiteStore(path: path, clock: clock)
        let service = TokenService(store: store)
        #expect(try await store.keys(project: nil).map(\.origins) == [nil])
        #expect(try await store.browserOrigins().isEmpty)
        // The old key and the old session still work, and are not for browsers.
        #expect(try await service.session(secret: secret).origins == nil)
        let page = RequestSource(origin: "https://example.org")
        #expect(try await problem { try await service.openSession(key: key, from: page) } == .notBrowserKey)
        // A browser key works, and after a restart its session is still one for browsers.
        let browserKey = Secret.newBrowserKey()
        _ = try await store.createKey(
            project: "ours", name: "", role: .device, origins: AllowedOrigins([try WebOrigin("https://example.org")]),
            hash: Secret.hash(browserKey))
        let (_, browserSecret) = try await service.openSession(key: browserKey, from: page)
        try store.close()
        let again = try SQLiteStore(path: path, clock: clock)
        defer { try? again.close() }
        let restarted = TokenService(store: again)
        #expect(
            try await restarted.session(secret: browserSecret, from: page).origins?.texts == ["https://example.org"])
        #expect(try await problem { try await restarted.session(secret: browserSecret) } == .noOrigin)
        #expect(try await again.browserOrigins() == ["https://example.org"])
    }

    private func makeVersion3(_ path: String, hashes: [Data], now: Moment) async throws {
        let old = try DatabasePool(path: path)
        try Schema.migrator.migrate(old, upTo: "3")
        try await old.write { database in
            #expect(try database.tableExists("sighting"))
            try database.execute(
                sql: """
                    INSERT INTO project (id, name, created_at) VALUES (1, 'ours', 0);
                    INSERT INTO api_key (id, project_id, name, hash, created_at, revoked_at)
                        VALUES (1, 1, 'phones', x'01', 0, NULL), (2, 1, 'lost phones', x'02', 0, 1);
                    INSERT INTO device (id, identifier, key_id, project_id, hash, expires_at, sequence, forgotten) VALUES
                        (1, 'a', 1, 1, :a, :later, 0, 0), (2, 'b', 1, 1, :b, :later, 4, 1), (3, 'c', 1, 1, :c, :later, 0, 0),
                        (4, 'd', 2, 1, :d, :later, 0, 0);
                    UPDATE device SET ended_at = :now WHERE id = 3;
                    INSERT INTO publication (id, identifier, device_id, key_id, project_id, idempotency_key, namespace,
                        type, expires_at, ended_at, content_count, content) VALUES
                        (1, 'near', 1, 1, 1, 'once', '', '', :later, NULL, 4, CAST('near' AS BLOB)),
                        (2, 'lost', 1, 1, 1, NULL, '', '', :later, NULL, 4, CAST('lost' AS BLOB)),
                        (3, 'far', 1, 1, 1, NULL, '', '', :later, NULL, 3, CAST('far' AS BLOB)),
                        (4, 'over', 2, 1, 1, NULL, '', '', :later, :now, 4, CAST('over' AS BLOB));
                    INSERT INTO subscription (id, identifier, device_id, key_id, project_id, namespace, type, expires_at)
                        VALUES (1, 's', 2, 1, 1, '', '', :later);
                    INSERT INTO token (id, project_id, bytes, device_id, publication_id, subscription_id, issued_at,
                        expires_at) VALUES
                        (1, 1, x'0101010101010101', 2, NULL, 1, :now, :soon),
                        (2, 1, x'0202020202020202', 1, 3, NULL, :now, :soon),
                        (3, 1, x'0303030303030303', 1, 2, NULL, :now, :now),
                        (4, 1, x'0404040404040404', 2, 4, NULL, :now, :soon);
                    INSERT INTO sighting (device_id, token_id, expires_at, medium, rssi_dbm) VALUES (2, 3, :soon, 'ble', -60);
                    INSERT INTO delivery (subscription_id, publication_id, device_id, is_found, sequence, changed_at)
                        VALUES (1, 1, 2, 1, 2, :now), (1, 2, 2, 0, 4, :now);
                    """,
                arguments: [
                    "a": hashes[0], "b": hashes[1], "c": hashes[2], "d": hashes[3], "now": now,
                    "soon": now + .seconds(60), "later": now + .seconds(600),
                ])
        }
        try old.close()
    }

    /// Opening an up-to-date database again changes nothing.
    @Test func anUpToDateDatabase() async throws {
        let world = try World()
        try await world.attach("hello", to: .numbered(1))
        try world.store.close()
        let again = try SQLiteStore(path: world.directory.appendingPathComponent("test.sqlite").path)
        defer { try? again.close() }
        let beacon = try await BeaconRegistry(again).beacon(.numbered(1), .all)
        #expect(beacon.attachments.map(\.data) == [Data("hello".utf8)])
    }
}

extension TokenService {
    /// The sessions of the secrets; nil for those that have ended.
    fileprivate func sessions(_ secrets: [String]) async throws -> [Session?] {
        var sessions: [Session?] = []
        for secret in secrets {
            sessions.append(try await store.session(hash: Secret.hash(secret), now: now))
        }
        return sessions
    }
}
