import Foundation
import GRDB
import NearbyWire
import Synchronization
import Testing

@testable import EarshotServer

/// A change that the database refuses leaves nothing in memory, and no answer confirms it.
@Suite(.timeLimit(.minutes(5))) struct FaultTests {
    /// A change of the store, and the steps before it.
    struct StoreCall: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let prepare: @Sendable (Scene) async throws -> Void
        let perform: @Sendable (Scene) async throws -> Void

        init(
            _ name: String, after prepare: @escaping @Sendable (Scene) async throws -> Void = { _ in },
            _ perform: @escaping @Sendable (Scene) async throws -> Void
        ) {
            (testDescription, self.prepare, self.perform) = (name, prepare, perform)
        }
    }

    private static let calls = [
        StoreCall("a session begins") { _ = try await $0.world.service.openSession(key: $0.key) },
        StoreCall("a publisher leaves") { try await $0.world.service.endSession($0.publisher.session) },
        StoreCall("a subscriber leaves") { try await $0.world.service.endSession($0.subscriber.session) },
        StoreCall("a publication begins") { _ = try await $0.publisher.publish("new") },
        StoreCall(
            "a publication begins and is found", after: { try await $0.publisher.hear($0.subscription.token) },
            { _ = try await $0.publisher.publish("new") }),
        StoreCall(
            "a publication goes on", after: { $0.world.clock.advance(by: .seconds(1)) },
            { try await $0.renewPublication() }),
        StoreCall(
            "a publication gets another token", after: { $0.world.clock.advance(by: .seconds(80)) },
            { try await $0.renewPublication() }),
        StoreCall("a publication ends") {
            try await $0.world.service.unpublish($0.near.id, for: $0.publisher.session)
        },
        StoreCall("a subscription begins and finds") { _ = try await $0.subscriber.subscribe() },
        StoreCall(
            "a subscription gets another token", after: { $0.world.clock.advance(by: .seconds(80)) },
            {
                _ = try await $0.world.service.renewSubscription($0.subscription.id, for: $0.subscriber.session)
            }),
        StoreCall("a subscription ends") {
            try await $0.world.service.unsubscribe($0.subscription.id, for: $0.subscriber.session)
        },
        StoreCall("a report finds") { try await $0.subscriber.hear($0.far.token) },
        StoreCall("a report loses") { try await $0.subscriber.lose($0.near.token) },
        StoreCall("a device falls silent") { scene in
            let device = scene.subscriber.session.device
            _ = try await scene.world.sqlite.engine.endSightings(of: [device]) { $0 == device }
        },
        StoreCall(
            "sightings expire", after: { $0.world.clock.advance(by: .seconds(91)) },
            { try await $0.world.service.sweep() }),
        StoreCall(
            "leases expire", after: { $0.world.clock.advance(by: .seconds(301)) },
            { try await $0.world.service.sweep() }),
        StoreCall(
            "what ended is forgotten",
            after: { scene in
                try await scene.world.pass(.seconds(301))
                scene.world.clock.advance(by: scene.world.service.limits.memory + .seconds(301))
            }, { try await $0.world.service.sweep() }),
    ]

    /// Each statement of each change fails once, and so does the commit.
    @Test(arguments: Self.calls) func aRefusedChangeLeavesNothing(_ call: StoreCall) async throws {
        var refusals = 0
        for fault in Fault.all {
            let scene = try await Scene()
            try await call.prepare(scene)
            let before = try await scene.rowsOnDisk()
            try await scene.inject(fault)
            do {
                try await call.perform(scene)
                // The change has no such statement.
                #expect(try await scene.rowsInMemory() == scene.rowsOnDisk(), "\(fault)")
                continue
            } catch {
                #expect(error is DatabaseError || error is CommitFault.Failure, "\(fault): \(error)")
            }
            refusals += 1
            // Memory is repaired at once, not with the next write.
            #expect(scene.rowsInMemory() == before, "\(fault)")
            #expect(try await scene.rowsOnDisk() == before, "\(fault)")
            // Sightings may have changed. A second attempt writes the found and lost messages, and everything else.
            try await scene.removeFaults()
            try await call.perform(scene)
            try await scene.world.service.sweep()
            #expect(try await scene.rowsInMemory() == scene.rowsOnDisk(), "\(fault)")
            #expect(try await scene.rowsOnDisk() != before, "\(fault)")
        }
        // At least one statement and the commit were refused.
        #expect(refusals >= 2)
    }

    /// The writes that share a commit with a refused one are not lost, in memory or on the disk.
    @Test func aRefusedChangeDoesNotAffectOthers() async throws {
        let scene = try await Scene()
        try await scene.world.sqlite.pool.writeWithoutTransaction { database in
            try database.execute(
                sql: """
                    CREATE TEMP TRIGGER injected BEFORE INSERT ON main.publication WHEN NEW.content = x'62' BEGIN
                        SELECT RAISE(ABORT, 'injected');
                    END
                    """)
        }
        let failed = await withTaskGroup(of: Bool.self) { group in
            for index in 0..<60 {
                group.addTask { (try? await scene.publisher.publish(index.isMultiple(of: 3) ? "b" : "g")) == nil }
            }
            return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        // 32 publications are allowed; two of them exist already.
        let count = try await scene.world.store.publications(of: scene.publisher.session, now: scene.world.clock.now)
            .count
        #expect(count == 32)
        #expect(failed == 62 - count)
        #expect(try await scene.rowsInMemory() == scene.rowsOnDisk())
    }

    /// An answer never reports a change that the disk may still refuse. It waits for the commit, and then reports the
    /// outcome.
    @Test(arguments: [false, true]) func answersWaitForTheCommit(_ isRefused: Bool) async throws {
        let scene = try await Scene()
        let service = scene.world.service
        let (stranger, listener) = (try await scene.world.device(), try await scene.world.device())
        let elsewhere = try await stranger.publish("elsewhere")
        let commit = scene.holdCommits()
        async let ended: Void? = try? service.unpublish(scene.near.id, for: scene.publisher.session)
        await commit.begin()
        // An answer about another device does not wait.
        #expect(try await listener.hear(elsewhere.token, Data(count: 8)) == [.valid, .invalid])
        let (reported, listed) = (Finished(), Finished())
        async let status = reported.after { try await stranger.hear(scene.near.token) }
        async let list = listed.after {
            try await scene.world.store.publications(of: scene.publisher.session, now: scene.world.clock.now).count
        }
        while scene.world.sqlite.writes.turnCount < 2, !reported.isFinished, !listed.isFinished {
            await Task.yield()
        }
        #expect(!reported.isFinished && !listed.isFinished)
        commit.end(isRefused: isRefused)
        let isStopped = await ended == nil
        #expect(isStopped == isRefused)
        #expect(try await status == [isRefused ? .valid : .expired])
        #expect(try await list == (isRefused ? 2 : 1))
        #expect(try await scene.rowsInMemory() == scene.rowsOnDisk())
    }

    /// A request of a session that is ending is refused once the end is on the disk.
    @Test(arguments: [false, true]) func aSessionEndsWithTheCommit(_ isRefused: Bool) async throws {
        let scene = try await Scene()
        let (session, secret) = try await scene.world.service.openSession(key: scene.key)
        let commit = scene.holdCommits()
        async let ended: Void? = try? scene.world.service.endSession(session)
        await commit.begin()
        let asked = Finished()
        async let answer = asked.after {
            try await scene.world.store.session(hash: Secret.hash(secret), now: scene.world.clock.now)
        }
        while scene.world.sqlite.writes.turnCount < 1, !asked.isFinished { await Task.yield() }
        #expect(!asked.isFinished)
        commit.end(isRefused: isRefused)
        let isStopped = await ended == nil
        #expect(isStopped == isRefused)
        let isKnown = try await answer != nil
        #expect(isKnown == isRefused)
    }
}

/// A statement that fails, or the commit.
enum Fault: Sendable, CustomStringConvertible {
    case statement(String, table: String)
    case commit

    static let all: [Fault] =
        ["device", "publication", "subscription", "token", "delivery"].flatMap { table in
            ["INSERT", "UPDATE", "DELETE"].map { Fault.statement($0, table: table) }
        } + [.commit]

    var description: String {
        switch self {
        case .statement(let verb, let table): "\(verb) \(table)"
        case .commit: "COMMIT"
        }
    }
}

/// Two devices, one of which has found a message of the other.
final class Scene: Sendable {
    let world: World
    let key: String
    let publisher: Device
    let subscriber: Device
    let near: (id: String, token: Data)
    let far: (id: String, token: Data)
    let subscription: (id: String, token: Data)
    private let commit = CommitFault()

    init() async throws {
        world = try World()
        key = try await world.key()
        (publisher, subscriber) = (try await world.device(), try await world.device())
        (near, far) = (try await publisher.publish("near"), try await publisher.publish("far"))
        subscription = try await subscriber.subscribe()
        try await subscriber.hear(near.token)
        world.sqlite.pool.add(transactionObserver: commit, extent: .databaseLifetime)
    }

    func renewPublication() async throws {
        _ = try await world.service.renewPublication(near.id, for: publisher.session)
    }

    func inject(_ fault: Fault) async throws {
        guard case .statement(let verb, let table) = fault else { return commit.refuse(true) }
        try await world.sqlite.pool.writeWithoutTransaction { database in
            try database.execute(
                sql: """
                    CREATE TEMP TRIGGER injected BEFORE \(verb) ON main.\(table) BEGIN
                        SELECT RAISE(ABORT, 'injected');
                    END
                    """)
        }
    }

    func removeFaults() async throws {
        commit.refuse(false)
        try await world.sqlite.pool.writeWithoutTransaction {
            try $0.execute(sql: "DROP TRIGGER IF EXISTS temp.injected")
        }
    }

    /// Holds the next commit back.
    func holdCommits() -> CommitFault {
        commit.hold()
        return commit
    }

    func rowsInMemory() -> [String] { world.sqlite.live.withLock { Self.rows($0) } }

    func rowsOnDisk() async throws -> [String] {
        let now = world.clock.now
        return try await world.sqlite.pool.read { Self.rows(Live(try LiveRows($0), isRestart: false, now: now)) }
    }

    /// Everything in memory that has a row, one line each.
    static func rows(_ live: Live) -> [String] {
        var lines: [String] = []
        for (row, device) in live.devices {
            var device = device
            device.heard = [:]
            let items = (device.publications.sorted(), device.subscriptions.sorted())
            (device.publications, device.subscriptions) = ([], [])
            lines.append("device \(row) \(device) \(items) \(live.sessions[device.hash] ?? 0)")
        }
        for (row, offer) in live.offers {
            let found = offer.subscriptions.sorted()
            lines.append(
                "offer \(row) \(offer.current) \(offer.device) \(offer.ended as Any) \(offer.tokens) \(found) "
                    + "\(live.offerRows[offer.publication.identifier] as Any)")
        }
        for (row, wish) in live.wishes {
            let found = wish.publications.sorted()
            lines.append(
                "wish \(row) \(wish.current) \(wish.device) \(wish.tokens) \(found) "
                    + "\(live.wishRows[wish.subscription.identifier] as Any)")
        }
        for (row, token) in live.tokens { lines.append("token \(row) \(token) \(live.tokenRows[token.name] ?? 0)") }
        for (pair, delivery) in live.deliveries { lines.append("delivery \(pair) \(delivery)") }
        for (key, items) in live.keys {
            lines.append("key \(key) \(items.devices.sorted()) \(items.publications) \(items.subscriptions)")
        }
        lines.append(
            "names \(live.sessions.count) \(live.offerRows.count) \(live.wishRows.count) \(live.tokenRows.count)")
        return lines.sorted()
    }
}

/// Refuses commits, or holds them back.
final class CommitFault: TransactionObserver, Sendable {
    struct Failure: Error {}

    private struct State {
        var isRefusing = false
        var isHolding = false
    }

    private let state = Mutex(State())
    private let gate = DispatchSemaphore(value: 0)
    private let (held, holding) = AsyncStream.makeStream(of: Void.self)

    func refuse(_ isRefusing: Bool) { state.withLock { $0.isRefusing = isRefusing } }

    func hold() { state.withLock { $0.isHolding = true } }

    /// Returns when a commit waits.
    func begin() async { for await _ in held { return } }

    func end(isRefused: Bool) {
        state.withLock { $0 = State(isRefusing: isRefused) }
        gate.signal()
    }

    func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool { false }
    func databaseDidChange(with event: DatabaseEvent) {}

    func databaseWillCommit() throws {
        if state.withLock({ $0.isHolding }) {
            holding.yield()
            gate.wait()
            // Refuse only this commit.
            defer { refuse(false) }
            if state.withLock({ $0.isRefusing }) { throw Failure() }
            return
        }
        if state.withLock({ $0.isRefusing }) { throw Failure() }
    }

    func databaseDidCommit(_ database: Database) {}
    func databaseDidRollback(_ database: Database) {}
}

/// Whether a call has returned.
private final class Finished: Sendable {
    private let flag = Atomic(false)

    var isFinished: Bool { flag.load(ordering: .acquiring) }

    func after<Value: Sendable>(_ body: @Sendable () async throws -> Value) async throws -> Value {
        defer { flag.store(true, ordering: .releasing) }
        return try await body()
    }
}
