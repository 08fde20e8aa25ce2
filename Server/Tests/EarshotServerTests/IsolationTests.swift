import Foundation
import GRDB
import NearbyWire
import Testing

@testable import EarshotServer

/// Two projects in one room.
@Suite struct IsolationTests {
    @Test(arguments: StoreKind.all) func foreignTokenLooksLikeAGuess(_ kind: StoreKind) async throws {
        let world = try World(kind)
        let (ours, theirs) = (try await world.device(), try await world.device("theirs"))
        let publication = try await ours.publish("secret")
        let subscription = try await ours.subscribe()
        _ = try await theirs.publish("theirs")
        _ = try await theirs.subscribe()
        let guess = Data(repeating: 9, count: 8)
        #expect(
            try await theirs.hear(publication.token, subscription.token, guess) == [.invalid, .invalid, .invalid])
        #expect(try await theirs.lose(publication.token) == [.invalid])
        #expect(try await theirs.news() == [])
        #expect(try await ours.news() == [])
        // The other project still learns nothing after the token has expired.
        try await world.pass(world.service.limits.tokenLifetime)
        #expect(try await theirs.hear(publication.token, guess) == [.invalid, .invalid])
        #expect(try await ours.hear(publication.token) == [.expired])
    }

    /// A second line of defence: even a sighting across projects, which should not exist, finds nothing.
    @Test func matchingLooksAtTheProjectItself() async throws {
        let world = try World()
        let (ours, theirs) = (try await world.device(), try await world.device("theirs"))
        let publication = try await ours.publish("secret")
        let hearer = theirs.session.device
        let now = world.clock.now
        try world.sqlite.live.withLock { live in
            let name = try #require(Live.TokenName(publication.token, project: ours.session.project))
            let row = try #require(live.tokenRows[name])
            live.devices[hearer]?.heard[row] = Live.Sighting(expires: now + .seconds(60))
            live.hearers[row, default: []].insert(hearer)
        }
        _ = try await theirs.subscribe()
        #expect(try await theirs.news() == [])
    }

    /// Two apps in one hall: the devices of each hear the other's tokens all the time.
    @Test(arguments: StoreKind.all) func foreignTokensBlockNone(_ kind: StoreKind) async throws {
        let world = try World(kind)
        let (publisher, subscriber) = (try await world.device(), try await world.device())
        let publication = try await publisher.publish("hello")
        _ = try await subscriber.subscribe()
        let theirs = try await world.device("theirs")
        var foreign: [Data] = []
        for _ in 0..<20 { foreign.append(try await theirs.publish("theirs").token) }
        for _ in 0..<200 {
            let answer = try await world.service.report(heard: foreign, lost: [], for: subscriber.session)
            try #require(answer.heard.allSatisfy { $0 == .invalid })
        }
        #expect(try await subscriber.hear(publication.token) == [.valid])
        #expect(try await subscriber.near() == ["hello"])
    }

    @Test(arguments: StoreKind.all) func identifiersOfOthersAreUnknown(_ kind: StoreKind) async throws {
        let world = try World(kind)
        let (ours, neighbour) = (try await world.device(), try await world.device())
        let (publication, subscription) = (try await ours.publish("x"), try await ours.subscribe())
        // Another device cannot use the identifiers, not even in the same project.
        for stranger in [neighbour, try await world.device("theirs")] {
            let (service, session) = (world.service, stranger.session)
            #expect(
                try await problem { try await service.unpublish(publication.id, for: session) } == .noSuchPublication)
            #expect(
                try await problem { try await service.renewPublication(publication.id, for: session) }
                    == .noSuchPublication)
            #expect(
                try await problem { try await service.unsubscribe(subscription.id, for: session) }
                    == .noSuchSubscription)
            #expect(
                try await problem { try await service.renewSubscription(subscription.id, for: session) }
                    == .noSuchSubscription)
        }
    }

    @Test(arguments: StoreKind.all) func keysOfOneProjectShare(_ kind: StoreKind) async throws {
        let world = try World(kind)
        let (publisher, subscriber) = (try await world.device("shared"), try await world.device("shared"))
        #expect(publisher.session.key != subscriber.session.key)
        _ = try await subscriber.subscribe()
        try await subscriber.hear(try await publisher.publish("hello").token)
        #expect(try await subscriber.near() == ["hello"])
    }

    @Test(arguments: StoreKind.all) func credentials(_ kind: StoreKind) async throws {
        let world = try World(kind)
        let key = try await world.key()
        let (session, secret) = try await world.service.openSession(key: key)
        #expect(try await world.service.session(secret: secret) == session)
        // A key does not work as a session, and a session does not work as a key.
        #expect(try await problem { try await world.service.session(secret: key) } == .badSession)
        #expect(try await problem { try await world.service.openSession(key: secret) } == .sessionForKey)
        #expect(try await problem { try await world.service.openSession(key: "") } == .badKey)
        _ = try await world.store.revokeKey(id: session.key)
        #expect(try await problem { try await world.service.session(secret: secret) } == .badSession)
        #expect(try await problem { try await world.service.openSession(key: key) } == .badKey)
    }

    @Test(arguments: StoreKind.all) func sessionsEnd(_ kind: StoreKind) async throws {
        let world = try World(kind)
        let (_, secret) = try await world.service.openSession(key: try await world.key())
        world.clock.advance(by: world.service.limits.sessionLifetime - .milliseconds(1))
        let session = try await world.service.session(secret: secret)
        // An active session stays.
        _ = try await Device(world: world, session: session).publish("x")
        world.clock.advance(by: world.service.limits.sessionLifetime - .milliseconds(1))
        _ = try await world.service.session(secret: secret)
        world.clock.advance(by: .milliseconds(1))
        #expect(try await problem { try await world.service.session(secret: secret) } == .badSession)
    }

    /// The content of the database file, as a thief would find it.
    @Test func databaseHoldsNoSecrets() async throws {
        let world = try World()
        let key = try await world.key()
        let (_, secret) = try await world.service.openSession(key: key)
        try world.sqlite.mergeLog()
        let bytes = try Data(contentsOf: world.directory.appendingPathComponent("test.sqlite"))
        #expect(bytes.count > 4_096)
        for text in [key, secret, String(key.dropFirst(12)), String(secret.dropFirst(16))] {
            #expect(bytes.range(of: Data(text.utf8)) == nil)
        }
    }
}
