import Foundation
import GRDB
import NearbyWire
import Synchronization
import Testing

@testable import EarshotServer

#if Postgres
    import EarshotPostgres
#endif

/// A clock that moves only when a test moves it.
final class MovedClock: ServiceClock {
    private let milliseconds = Mutex<Int64>(1_800_000_000_000)

    var now: Moment { Moment(milliseconds: milliseconds.withLock { $0 }) }

    func advance(by duration: Duration) { milliseconds.withLock { $0 += duration.milliseconds } }
}

/// A service with a database of its own and a moved clock.
final class World: Sendable {
    let directory: URL
    let store: any Store
    let clock: MovedClock
    let service: TokenService

    init(_ kind: StoreKind = .sqlite, _ adjust: (inout ServiceLimits) -> Void = { _ in }) throws {
        directory = FileManager.default.temporaryDirectory.appendingPathComponent("earshotd-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        clock = MovedClock()
        store = try kind.open(in: directory, clock: clock)
        var limits = ServiceLimits()
        // The clock does not move between requests, so rates limit only the tests about them.
        limits.requestsPerDevice = RateLimit(perSecond: 1e6, burst: 1e6)
        limits.requestsPerKey = RateLimit(perSecond: 1e6, burst: 1e6)
        limits.refusalDelay = .zero
        // Devices report nothing while a test moves the clock, so silence counts only in the tests about it.
        limits.silence = .seconds(86_400)
        adjust(&limits)
        service = TokenService(store: store, limits: limits)
    }

    /// The SQLite store, for a test that reads its rows.
    var sqlite: SQLiteStore {
        guard let store = store as? SQLiteStore else { preconditionFailure("this test is one of SQLite") }
        return store
    }

    /// The live items in the engine of the store's only project.
    var live: SharedLive {
        get throws {
            #if Postgres
                if let store = store as? PostgresStore { return try #require(store.engines.first).live }
            #endif
            return sqlite.live
        }
    }

    /// Closes the store, and opens it again as a new process of the service does.
    func restarted() async throws -> TokenService {
        try store.close()
        let path = directory.appendingPathComponent("test.sqlite").path
        let service = TokenService(store: try SQLiteStore(path: path, clock: clock), limits: service.limits)
        try await service.begin()
        return service
    }

    /// The number of rows of a table.
    func rowCount(_ table: String) async throws -> Int {
        #if Postgres
            if let store = store as? PostgresStore {
                return try await store.perform { connection, _ in
                    Int(try connection.execute("SELECT count(*) FROM \(table)")[0].integer(0))
                }
            }
        #endif
        return try await sqlite.pool.read { try $0.count("SELECT count(*) FROM \(table)") }
    }

    deinit {
        try? store.close()
        try? FileManager.default.removeItem(at: directory)
    }

    /// A key of a project; creates a new project.
    func key(_ project: String = "ours") async throws -> String {
        if try await store.projects().allSatisfy({ $0.name != project }) {
            _ = try await store.createProject(name: project)
        }
        let key = Secret.newKey()
        _ = try await store.createKey(project: project, name: "", hash: Secret.hash(key))
        return key
    }

    /// A browser key of a project, which exists.
    func browserKey(_ origins: String..., project: String = "ours") async throws -> String {
        _ = try await self.key(project)
        let key = Secret.newBrowserKey()
        _ = try await store.createKey(
            project: project, name: "", role: .device, origins: AllowedOrigins(origins.map { try WebOrigin($0) }),
            hash: Secret.hash(key))
        return key
    }

    /// A device with a new key of a project.
    func device(_ project: String = "ours") async throws -> Device {
        Device(world: self, session: try await service.openSession(key: try await key(project)).0)
    }

    /// Moves the clock and ends items that expired by then.
    func pass(_ duration: Duration) async throws {
        clock.advance(by: duration)
        try await service.sweep()
    }
}

extension TokenService {
    /// A report of a device that does not say how it heard the tokens.
    func report(heard: [Data], lost: [Data], for session: Session) async throws -> SightingAnswer {
        try await report(heard: heard.map { HeardToken(bytes: $0) }, lost: lost, for: session)
    }
}

/// The actions of a device, in short form.
struct Device: Sendable {
    let world: World
    let session: Session

    private var service: TokenService { world.service }

    func publish(
        _ content: String, type: String = "", namespace: String = "", for duration: Duration? = nil
    ) async throws -> (id: String, token: Data) {
        let message = Message(namespace: namespace, type: type, content: Data(content.utf8))
        let outcome = try await service.publish(message, for: session, timeToLive: duration)
        return (outcome.value.identifier, outcome.token.bytes)
    }

    func subscribe(
        type: String = "", namespace: String = "", for duration: Duration? = nil
    ) async throws -> (id: String, token: Data) {
        let outcome = try await service.subscribe(
            MessageFilter(namespace: namespace, type: type), for: session, timeToLive: duration)
        return (outcome.value.identifier, outcome.token.bytes)
    }

    @discardableResult
    func hear(_ tokens: Data...) async throws -> [TokenStatus] {
        try await service.report(heard: tokens, lost: [], for: session).heard
    }

    /// Reports nothing, as a sign of life.
    func live() async throws { _ = try await service.report(heard: [] as [Data], lost: [], for: session) }

    @discardableResult
    func lose(_ tokens: Data...) async throws -> [TokenStatus] {
        try await service.report(heard: [] as [Data], lost: tokens, for: session).lost
    }

    /// The changes since a number: "+text" for found, "-text" for lost.
    func news(after sequence: Int64 = 0) async throws -> [String] {
        try await changes(after: sequence).map { change in
            (change.isFound ? "+" : "-") + String(decoding: change.message.content, as: UTF8.self)
        }
    }

    func changes(after sequence: Int64 = 0) async throws -> [Change] {
        try await world.store.changes(of: session, ChangeQuery(after: sequence, limit: 1_000)).changes
    }

    /// The messages found and not lost, sorted.
    func near() async throws -> [String] {
        let query = ChangeQuery(after: 0, isFoundOnly: true, limit: 1_000)
        return try await world.store.changes(of: session, query).changes
            .map { String(decoding: $0.message.content, as: UTF8.self) }.sorted()
    }
}

/// The problem with which a call is rejected; nil if it is not.
func problem<Value>(_ body: () async throws -> Value) async throws -> Problem? {
    do {
        _ = try await body()
        return nil
    } catch let problem as Problem {
        return problem
    }
}
