import Foundation
import NearbyWire
import Testing

@testable import EarshotServer

/// The conditions under which messages are found and lost.
@Suite struct MatchingTests {
    @Test(arguments: StoreKind.all) func subscriberHearsPublisher(_ kind: StoreKind) async throws {
        let world = try World(kind)
        let (publisher, subscriber) = (try await world.device(), try await world.device())
        let publication = try await publisher.publish("hello")
        let subscription = try await subscriber.subscribe()
        #expect(try await subscriber.news() == [])
        #expect(try await subscriber.hear(publication.token) == [.valid])
        let changes = try await subscriber.changes()
        #expect(changes.map(\.isFound) == [true])
        #expect(changes.first?.subscription == subscription.id)
        #expect(changes.first?.publication == publication.id)
        #expect(changes.first?.message.content == Data("hello".utf8))
        #expect(try await publisher.news() == [])
    }

    @Test(arguments: StoreKind.all) func publisherHearsSubscriber(_ kind: StoreKind) async throws {
        let world = try World(kind)
        let (publisher, subscriber) = (try await world.device(), try await world.device())
        let subscription = try await subscriber.subscribe()
        try await publisher.hear(subscription.token)
        _ = try await publisher.publish("hello")
        #expect(try await subscriber.news() == ["+hello"])
    }

    @Test(arguments: StoreKind.all) func subscriptionMadeAfterHearing(_ kind: StoreKind) async throws {
        let world = try World(kind)
        let (publisher, subscriber) = (try await world.device(), try await world.device())
        try await subscriber.hear(try await publisher.publish("hello").token)
        _ = try await subscriber.subscribe()
        #expect(try await subscriber.news() == ["+hello"])
    }

    @Test(arguments: StoreKind.all) func unpublishedIsLostAtOnce(_ kind: StoreKind) async throws {
        let world = try World(kind)
        let (publisher, subscriber) = (try await world.device(), try await world.device())
        let publication = try await publisher.publish("hello")
        _ = try await subscriber.subscribe()
        try await subscriber.hear(publication.token)
        try await world.service.unpublish(publication.id, for: publisher.session)
        #expect(try await subscriber.news() == ["-hello"])
    }

    @Test(arguments: StoreKind.all) func noLongerHeardIsLost(_ kind: StoreKind) async throws {
        let world = try World(kind)
        let (publisher, subscriber) = (try await world.device(), try await world.device())
        let publication = try await publisher.publish("hello")
        _ = try await subscriber.subscribe()
        try await subscriber.hear(publication.token)
        #expect(try await subscriber.lose(publication.token) == [.valid])
        #expect(try await subscriber.news() == ["-hello"])
        try await subscriber.hear(publication.token)
        #expect(try await subscriber.news() == ["+hello"])
    }

    /// If both devices hear each other, one direction is enough.
    @Test(arguments: StoreKind.all) func oneDirectionIsEnough(_ kind: StoreKind) async throws {
        let world = try World(kind)
        let (publisher, subscriber) = (try await world.device(), try await world.device())
        let (publication, subscription) = (try await publisher.publish("hello"), try await subscriber.subscribe())
        try await subscriber.hear(publication.token)
        try await publisher.hear(subscription.token)
        try await subscriber.lose(publication.token)
        #expect(try await subscriber.near() == ["hello"])
        try await publisher.lose(subscription.token)
        #expect(try await subscriber.near() == [])
    }

    @Test(arguments: StoreKind.all) func onlyHeardTokensMatch(_ kind: StoreKind) async throws {
        let world = try World(kind)
        let (publisher, subscriber) = (try await world.device(), try await world.device())
        let first = try await publisher.publish("first")
        _ = try await publisher.publish("second")
        _ = try await subscriber.subscribe()
        try await subscriber.hear(first.token)
        #expect(try await subscriber.near() == ["first"])
    }

    @Test(
        arguments: [
            (type: "", namespace: "", found: ["of a type", "plain"]),
            (type: "t", namespace: "", found: ["of a type"]),
            (type: "", namespace: "n", found: ["elsewhere"]), (type: "u", namespace: "", found: []),
        ] as [(type: String, namespace: String, found: [String])], StoreKind.all)
    func filters(_ filter: (type: String, namespace: String, found: [String]), _ kind: StoreKind) async throws {
        let (type, namespace, found) = filter
        let world = try World(kind)
        let (publisher, subscriber) = (try await world.device(), try await world.device())
        _ = try await subscriber.subscribe(type: type, namespace: namespace)
        let plain = try await publisher.publish("plain")
        let typed = try await publisher.publish("of a type", type: "t")
        let elsewhere = try await publisher.publish("elsewhere", type: "t", namespace: "n")
        try await subscriber.hear(plain.token, typed.token, elsewhere.token)
        #expect(try await subscriber.near() == found)
    }

    @Test(arguments: StoreKind.all) func noDeviceFindsItself(_ kind: StoreKind) async throws {
        let world = try World(kind)
        let device = try await world.device()
        let (publication, subscription) = (try await device.publish("mine"), try await device.subscribe())
        #expect(try await device.hear(publication.token, subscription.token) == [.valid, .valid])
        #expect(try await device.news() == [])
    }

    @Test(arguments: StoreKind.all) func expiredIsLost(_ kind: StoreKind) async throws {
        let world = try World(kind)
        let (publisher, subscriber) = (try await world.device(), try await world.device())
        let publication = try await publisher.publish("hello", for: .seconds(30))
        _ = try await subscriber.subscribe()
        try await subscriber.hear(publication.token)
        try await world.pass(.milliseconds(29_999))
        #expect(try await subscriber.near() == ["hello"])
        try await world.pass(.milliseconds(1))
        #expect(try await subscriber.news() == ["-hello"])
    }

    @Test(arguments: StoreKind.all) func renewedIsNot(_ kind: StoreKind) async throws {
        let world = try World(kind)
        let (publisher, subscriber) = (try await world.device(), try await world.device())
        let publication = try await publisher.publish("hello", for: .seconds(30))
        _ = try await subscriber.subscribe()
        try await subscriber.hear(publication.token)
        try await world.pass(.seconds(20))
        _ = try await world.service.renewPublication(publication.id, for: publisher.session, timeToLive: .seconds(30))
        try await world.pass(.seconds(29))
        #expect(try await subscriber.near() == ["hello"])
        try await world.pass(.seconds(1))
        #expect(try await subscriber.near() == [])
    }

    /// A device may fall silent without reporting a lost token.
    @Test(arguments: StoreKind.all) func reportsLapse(_ kind: StoreKind) async throws {
        let world = try World(kind)
        let (publisher, subscriber) = (try await world.device(), try await world.device())
        let publication = try await publisher.publish("hello")
        _ = try await subscriber.subscribe()
        try await subscriber.hear(publication.token)
        try await world.pass(.seconds(60))
        try await subscriber.hear(publication.token)
        try await world.pass(world.service.limits.sightingLifetime - .milliseconds(1))
        #expect(try await subscriber.near() == ["hello"])
        try await world.pass(.milliseconds(1))
        #expect(try await subscriber.news() == ["-hello"])
    }

    @Test(arguments: StoreKind.all) func endedSessionTakesItsMessages(_ kind: StoreKind) async throws {
        let world = try World(kind)
        let (publisher, subscriber) = (try await world.device(), try await world.device())
        let publication = try await publisher.publish("hello")
        _ = try await subscriber.subscribe()
        try await subscriber.hear(publication.token)
        try await world.service.endSession(publisher.session)
        #expect(try await subscriber.news() == ["-hello"])
        #expect(try await problem { try await publisher.publish("more") }?.code == "bad_session")
    }

    @Test(arguments: StoreKind.all) func revokedKeyTakesItsMessages(_ kind: StoreKind) async throws {
        let world = try World(kind)
        let (publisher, subscriber) = (try await world.device(), try await world.device())
        let publication = try await publisher.publish("hello")
        _ = try await subscriber.subscribe()
        try await subscriber.hear(publication.token)
        _ = try await world.store.revokeKey(id: publisher.session.key)
        try await world.service.sweep()
        #expect(try await subscriber.news() == ["-hello"])
    }

    @Test(arguments: StoreKind.all) func unsubscribedHearsNoMore(_ kind: StoreKind) async throws {
        let world = try World(kind)
        let (publisher, subscriber) = (try await world.device(), try await world.device())
        let publication = try await publisher.publish("hello")
        let subscription = try await subscriber.subscribe()
        try await subscriber.hear(publication.token)
        try await world.service.unsubscribe(subscription.id, for: subscriber.session)
        #expect(try await subscriber.news() == [])
        try await world.service.unpublish(publication.id, for: publisher.session)
        #expect(try await subscriber.news() == [])
    }
}
