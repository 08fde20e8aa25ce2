import Foundation
import GRDB
import Testing

@testable import EarshotServer

/// The guarantees of the store beyond its rows.
@Suite struct StoreTests {
    @Test func waitsForTheDisk() async throws {
        let world = try World()
        let settings = try await world.sqlite.writes.perform { database, _ in
            [
                try String.fetchOne(database, sql: "PRAGMA journal_mode"),
                try String.fetchOne(database, sql: "PRAGMA synchronous"),
                try String.fetchOne(database, sql: "PRAGMA foreign_keys"),
            ]
        }
        // 2 is FULL.
        #expect(settings == ["wal", "2", "1"])
    }

    @Test func aFailedWriteDoesNotAffectOthers() async throws {
        struct Failure: Error {}
        let world = try World()
        let failed = await withTaskGroup(of: Bool.self) { group in
            for index in 0..<200 {
                group.addTask {
                    do {
                        try await world.sqlite.writes.perform { database, _ in
                            try database.execute(
                                sql: "INSERT INTO project (name, created_at) VALUES (?, 0)", arguments: ["\(index)"])
                            if index.isMultiple(of: 3) { throw Failure() }
                        }
                        return false
                    } catch {
                        return error is Failure
                    }
                }
            }
            return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        #expect(failed == 67)
        #expect(try await world.store.projects().count == 133)
    }

    /// An answered write is on the disk: if the commit fails, every caller gets the error.
    @Test func aFailedCommitFailsAll() async throws {
        let world = try World()
        let failed = await withTaskGroup(of: Bool.self) { group in
            for index in 0..<50 {
                group.addTask {
                    do {
                        try await world.sqlite.writes.perform { database, _ in
                            try database.execute(sql: "PRAGMA defer_foreign_keys = ON")
                            // A key without a project, which SQLite notices at the commit.
                            try database.execute(
                                sql: "INSERT INTO api_key (project_id, name, hash, created_at) VALUES (99, '', ?, 0)",
                                arguments: [Data([UInt8(index)])])
                        }
                        return false
                    } catch {
                        return error is DatabaseError
                    }
                }
            }
            return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        #expect(failed == 50)
        #expect(try await world.store.keys(project: nil).isEmpty)
    }

    /// A lease begins when the write takes its turn, not when the request arrives.
    @Test func waitingDoesNotShortenALease() async throws {
        let world = try World()
        let device = try await world.device()
        let gate = DispatchSemaphore(value: 0)
        let (begun, beginning) = AsyncStream.makeStream(of: Void.self)
        async let slow: Void = world.sqlite.writes.perform { _, _ in
            beginning.finish()
            gate.wait()
        }
        for await _ in begun {}
        // The next write has to wait.
        async let published = world.service.publish(
            Message(namespace: "", type: "", content: Data()), for: device.session, timeToLive: .seconds(5))
        while world.sqlite.writes.waitingCount == 0 { await Task.yield() }
        world.clock.advance(by: .seconds(60))
        gate.signal()
        try await slow
        #expect(try await published.value.expires == world.clock.now + .seconds(5))
        #expect(try await world.store.publications(of: device.session, now: world.clock.now).count == 1)
    }

    @Test func rejectsWritesBeyondItsCapacity() async throws {
        let world = try World()
        let full = WriteQueue(world.sqlite.pool, capacity: 0, commits: Durations(), clock: world.clock)
        #expect(try await problem { try await full.perform { _, _ in } } == .overloaded)
    }

    @Test(arguments: StoreKind.all) func repeatedOrders(_ kind: StoreKind) async throws {
        let world = try World(kind)
        let device = try await world.device()
        let message = Message(namespace: "", type: "", content: Data("x".utf8))
        func publish(_ message: Message) async throws -> Outcome<Publication> {
            try await world.service.publish(message, for: device.session, idempotencyKey: "k")
        }
        let first = try await publish(message)
        let second = try await publish(message)
        #expect(first.isNew && !second.isNew)
        #expect(first.value.identifier == second.value.identifier)
        let other = Message(namespace: "", type: "other", content: message.content)
        #expect(try await problem { try await publish(other) } == .repeatDiffers)
        // After the publication's end its key is free again; another device's key is another one.
        try await world.service.unpublish(first.value.identifier, for: device.session)
        #expect(try await publish(other).isNew)
        let neighbour = try await world.device()
        #expect(try await world.service.publish(message, for: neighbour.session, idempotencyKey: "k").isNew)

        func subscribe(_ type: String) async throws -> Outcome<Subscription> {
            try await world.service.subscribe(
                MessageFilter(namespace: "", type: type), for: device.session, idempotencyKey: "k")
        }
        #expect(try await subscribe("").isNew)
        #expect(try await !subscribe("").isNew)
        #expect(try await problem { try await subscribe("t") } == .repeatDiffers)
    }

    @Test func survivesReopening() async throws {
        let world = try World()
        let (publisher, subscriber) = (try await world.device(), try await world.device())
        let publication = try await publisher.publish("hello")
        _ = try await subscriber.subscribe()
        try await subscriber.hear(publication.token)
        try world.store.close()
        let again = try SQLiteStore(path: world.directory.appendingPathComponent("test.sqlite").path)
        defer { try? again.close() }
        #expect(try await again.publications(of: publisher.session, now: world.clock.now).count == 1)
        let changes = try await again.changes(of: subscriber.session, ChangeQuery(after: 0, limit: 10)).changes
        #expect(changes.map(\.publication) == [publication.id])
    }

    /// A second store is refused even under another name of the file. Closing the first releases the database.
    @Test func oneStoreServesADatabase() async throws {
        let world = try World()
        let path = world.directory.appendingPathComponent("test.sqlite").path
        let link = world.directory.appendingPathComponent("link.sqlite").path
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: path)
        for name in [path, link] {
            #expect(throws: DatabaseInUse(path: name, process: getpid())) { try SQLiteStore(path: name) }
        }
        try SQLiteStore(path: link, isServing: false).close()
        try world.store.close()
        try SQLiteStore(path: link).close()
    }

    @Test(arguments: StoreKind.all) func operatorsMistakes(_ kind: StoreKind) async throws {
        let world = try World(kind)
        _ = try await world.key("ours")
        for mistake in [
            { _ = try await world.store.createProject(name: "ours") },
            { _ = try await world.store.createKey(project: "no", name: "", hash: Data()) },
            { _ = try await world.store.keys(project: "no") },
            { _ = try await world.store.revokeKey(id: 99) },
        ] as [@Sendable () async throws -> Void] {
            await #expect(throws: AdministrationError.self) { try await mistake() }
        }
        #expect(try await world.store.keys(project: "ours").count == 1)
    }
}
