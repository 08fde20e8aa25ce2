import Foundation
import NearbyWire
import Testing

@testable import EarshotServer

/// The meaning of a token, and its lifetime.
@Suite struct TokenTests {
    @Test(arguments: StoreKind.all) func eightBytesEachAnother(_ kind: StoreKind) async throws {
        let world = try World(kind)
        let device = try await world.device()
        var tokens: Set<Data> = []
        for _ in 0..<20 { tokens.insert(try await device.publish("x").token) }
        #expect(tokens.count == 20)
        #expect(tokens.allSatisfy { $0.count == 8 })
        // 160 bytes in which every bit has the probability 1/2: the mean of 1280 is 640, σ = √1280/2 = 17.9;
        // 6 σ = 107 is exceeded once in 5·10⁸ runs.
        let ones = tokens.joined().reduce(0) { $0 + $1.nonzeroBitCount }
        #expect(abs(ones - 640) < 107)
    }

    @Test(arguments: StoreKind.all) func rotates(_ kind: StoreKind) async throws {
        let world = try World(kind)
        let (publisher, subscriber) = (try await world.device(), try await world.device())
        let publication = try await publisher.publish("hello")
        _ = try await subscriber.subscribe()
        let half = world.service.limits.tokenLifetime / 2
        try await world.pass(half - .milliseconds(1))
        #expect(try await renew(publication.id, publisher).bytes == publication.token)
        try await world.pass(.milliseconds(1))
        let second = try await renew(publication.id, publisher)
        #expect(second.bytes != publication.token)
        // Both tokens are on the air for a while.
        #expect(try await subscriber.hear(publication.token, second.bytes) == [.valid, .valid])
        try await subscriber.lose(publication.token)
        #expect(try await subscriber.near() == ["hello"])
        try await world.pass(half)
        #expect(try await subscriber.hear(publication.token, second.bytes) == [.expired, .valid])
    }

    /// An expired token brings no devices near, even while its message is alive.
    @Test(arguments: StoreKind.all) func expiredTokenFindsNothing(_ kind: StoreKind) async throws {
        let world = try World(kind)
        let (publisher, subscriber) = (try await world.device(), try await world.device())
        let publication = try await publisher.publish("hello", for: .seconds(3_600))
        _ = try await subscriber.subscribe()
        try await world.pass(world.service.limits.tokenLifetime)
        #expect(try await subscriber.hear(publication.token) == [.expired])
        #expect(try await subscriber.near() == [])
    }

    @Test(arguments: StoreKind.all) func tokensOfEndedItemsAreExpired(_ kind: StoreKind) async throws {
        let world = try World(kind)
        let (publisher, other) = (try await world.device(), try await world.device())
        let publication = try await publisher.publish("hello")
        let subscription = try await publisher.subscribe()
        try await world.service.unpublish(publication.id, for: publisher.session)
        try await world.service.unsubscribe(subscription.id, for: publisher.session)
        #expect(try await other.hear(publication.token, subscription.token) == [.expired, .expired])
    }

    @Test(arguments: StoreKind.all) func forgottenInTheEnd(_ kind: StoreKind) async throws {
        let world = try World(kind)
        let (publisher, other) = (try await world.device(), try await world.device())
        let publication = try await publisher.publish("hello", for: .seconds(1))
        try await world.pass(world.service.limits.tokenLifetime + world.service.limits.memory)
        #expect(try await other.hear(publication.token) == [.expired])
        try await world.pass(.milliseconds(1))
        #expect(try await other.hear(publication.token) == [.invalid])
    }

    @Test(arguments: StoreKind.all) func guessedIsInvalid(_ kind: StoreKind) async throws {
        let world = try World(kind)
        let device = try await world.device()
        #expect(try await device.hear(Data(repeating: 7, count: 8), Data()) == [.invalid, .invalid])
    }

    private func renew(_ id: String, _ device: Device) async throws -> IssuedToken {
        try await device.world.service.renewPublication(id, for: device.session, timeToLive: nil).1
    }
}
