import Foundation
import GRDB
import Hummingbird
import HummingbirdTesting
import Testing

@testable import EarshotServer

/// The health of the service is that of its database.
@Suite(.timeLimit(.minutes(3))) struct HealthTests {
    /// Reads still work, so only a write can show the fault.
    @Test func aServiceThatCannotWriteIsNotHealthy() async throws {
        let world = try World()
        try await EarshotServer.application(world.service, logger: silent).test(.router) { client in
            let stranger = Caller(client, bearer: nil)
            #expect(try await stranger.send(.get, "/healthz").status == .ok)
            try await world.sqlite.pool.writeWithoutTransaction { try $0.execute(sql: "PRAGMA query_only = ON") }
            let answer = try await becomes(.serviceUnavailable, stranger)
            #expect(answer.code == "store_fails")
            #expect(answer.problem("message").contains("readonly database"))
            #expect(answer.headers[.retryAfter] == "5")
            try await world.sqlite.pool.writeWithoutTransaction { try $0.execute(sql: "PRAGMA query_only = OFF") }
            #expect(try await becomes(.ok, stranger)["status"] as? String == "ok")
        }
    }

    /// One small row may fit on a disk that refuses other writes. Their refusal counts until such a write succeeds.
    @Test func aDiskThatRefusesLargerWritesIsNotHealthy() async throws {
        let world = try World()
        let device = try await world.device()
        @Sendable func setMaximum(pages: Int?) async throws {
            try await world.sqlite.pool.writeWithoutTransaction { database in
                // Earlier versions of the tables have left free pages.
                try database.execute(sql: "VACUUM")
                let maximum = try pages ?? database.count("PRAGMA page_count")
                try database.execute(sql: "PRAGMA max_page_count = \(maximum)")
            }
        }
        try await EarshotServer.application(world.service, logger: silent).test(.router) { client in
            let stranger = Caller(client, bearer: nil)
            try await setMaximum(pages: nil)
            await #expect(throws: DatabaseError.self) {
                try await device.publish(String(repeating: "x", count: 100_000))
            }
            // A turn that changes no row, such as a sweep without anything due, does not prove that the disk accepts rows
            // again.
            try await world.sqlite.writes.perform { _, _ in }
            let answer = try await becomes(.serviceUnavailable, stranger)
            #expect(answer.code == "store_fails")
            #expect(answer.problem("message").contains("the last write failed"))
            #expect(answer.problem("message").contains("database or disk is full"))
            try await setMaximum(pages: 1_000_000)
            _ = try await device.publish(String(repeating: "x", count: 100_000))
            #expect(try await becomes(.ok, stranger)["status"] as? String == "ok")
        }
    }

    /// The health reports it before a write fails.
    @Test func aDiskWithoutRoomIsNotHealthy() async throws {
        let world = try World()
        let store = try SQLiteStore(
            path: world.directory.appendingPathComponent("other.sqlite").path, minimumRoomBytes: .max)
        defer { try? store.close() }
        let problem = try await problem { try await Health(store).check() }
        #expect(problem?.code == "store_fails")
        #expect(problem?.message.contains(" MiB left, less than 17592186044415") == true)
    }

    /// The metrics do not query a database that may have failed: their counts are in memory.
    @Test func metricsNeedNoDatabase() async throws {
        let world = try World()
        _ = try await world.device().publish("hello")
        try world.store.close()
        try await EarshotServer.operations(world.service, logger: silent).test(.router) { client in
            let observer = Caller(client, bearer: nil)
            let answer = try await observer.send(.get, "/metrics")
            #expect(answer.status == .ok)
            #expect(answer.text.contains("earshot_live_publications 1\n"))
            #expect(try await observer.send(.get, "/healthz").code == "store_fails")
        }
    }

    /// The health also detects a disk that no longer answers.
    @Test func aWriteThatHangsIsNotHealthy() async throws {
        let world = try World()
        let gate = DispatchSemaphore(value: 0)
        async let slow: Void = world.sqlite.writes.perform { _, _ in gate.wait() }
        let health = Health(world.store, patience: .milliseconds(50))
        let problem = try await problem { try await health.check() }
        #expect(problem?.code == "store_fails")
        gate.signal()
        try await slow
    }

    /// Many simultaneous requests for the health share one write.
    @Test func questionsShareAWrite() async throws {
        let world = try World()
        let gate = DispatchSemaphore(value: 0)
        let (begun, beginning) = AsyncStream.makeStream(of: Void.self)
        async let slow: Void = world.sqlite.writes.perform { _, _ in
            beginning.finish()
            gate.wait()
        }
        for await _ in begun {}
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<100 { group.addTask { try await world.service.health.check() } }
            while world.sqlite.writes.waitingCount == 0 { await Task.yield() }
            try await Task.sleep(for: .milliseconds(50))
            #expect(world.sqlite.writes.waitingCount == 1)
            gate.signal()
            try await group.waitForAll()
        }
        try await slow
    }

    /// The service removes other users' permissions on an existing database and on its log.
    @Test func onlyTheOwnerReadsAnExistingDatabase() throws {
        let world = try World()
        let path = world.directory.appendingPathComponent("test.sqlite").path
        let files = [path, path + "-wal", path + "-shm"]
        for file in files { try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: file) }
        let again = try SQLiteStore(path: path, isServing: false)
        defer { try? again.close() }
        #expect(again.repairedFiles == files)
        for file in files {
            let mode = try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions] as? Int
            #expect(mode == 0o600, "\(file)")
        }
    }

    /// Waits for the status: a result is reused for a second, so a change appears a little later.
    private func becomes(_ status: HTTPResponse.Status, _ caller: Caller) async throws -> Answer {
        while true {
            let answer = try await caller.send(.get, "/healthz")
            if answer.status == status { return answer }
            try await Task.sleep(for: .milliseconds(50))
        }
    }
}
