import Foundation
import GRDB
import Testing

@testable import EarshotServer

/// Databases of earlier versions.
@Suite struct UpgradeTests {
    /// A database of version 2, which knew neither beacons nor owners' keys, with a device that hears a message.
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
        let service = TokenService(store: store, clock: clock)
        #expect(try await store.keys(project: nil).map(\.role) == [.device])
        // The old session goes on, and what it has found is still near, though sightings are forgotten.
        let session = try await service.session(secret: secret)
        let counts = try await store.counts(now: clock.now)
        #expect(counts.sightings == 0 && counts.publications == 1 && counts.beacons == 0)
        let token = Data([1, 2, 3, 4, 5, 6, 7, 8])
        #expect(try await service.report(heard: [token], lost: [], for: session).heard == [.valid])
        // It is not found a second time, and lost once.
        func changes() async throws -> [Bool] {
            try await store.changes(of: session, ChangeQuery(after: 0, limit: 9)).changes.map(\.isFound)
        }
        #expect(try await changes() == [true])
        _ = try await service.report(heard: [] as [Data], lost: [token], for: session)
        #expect(try await changes() == [false])
        // The old key opens sessions, and manages nothing.
        #expect(try await service.openSession(key: key).0.project == 1)
        #expect(try await problem { try await service.ownedProject(key: key) } == .notOwner)
        // The new tables work.
        let project = try await store.project(named: "ours")
        _ = try await service.registry.register(.numbered(1), note: "", project: project)
        _ = try await service.registry.attach(Data("x".utf8), type: "", namespace: "", to: .numbered(1), .all)
        let found = try await service.lookUp([.numbered(1)], MessageFilter(namespace: "", type: ""), for: session)
        #expect(found.flatMap(\.attachments).map(\.data) == [Data("x".utf8)])
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
