import Foundation
import Testing

@testable import EarshotServer

/// Devices that end without a message: the service detects a crash as soon as a walk out of earshot.
@Suite struct SilenceTests {
    /// The time between two signs of life of a device, as our client sends them.
    private let pause = Duration.seconds(5)
    /// The minimum time after which sound counts as lost.
    private let patience = Duration.seconds(14)

    /// Both devices hear each other, and the publisher is killed. Its own report must not outlive it.
    ///
    /// - Parameter age: the seconds between the publisher's report and its end.
    @Test(arguments: [0, 4, 29, 59], StoreKind.all)
    func aKilledPublisherIsLost(age: Int, kind: StoreKind) async throws {
        let world = try World(kind) { $0.silence = .seconds(15) }
        let (publisher, subscriber) = (try await world.device(), try await world.device())
        let (publication, subscription) = (try await publisher.publish("hello"), try await subscriber.subscribe())
        try await subscriber.hear(publication.token)
        try await publisher.hear(subscription.token)
        try await pass(.seconds(age), world, living: [publisher, subscriber])
        #expect(try await subscriber.near() == ["hello"])
        try await pass(patience, world, living: [subscriber])
        try await subscriber.lose(publication.token)
        #expect(try await subscriber.near() == ["hello"])
        try await pass(.seconds(2), world, living: [subscriber])
        #expect(try await subscriber.news() == ["-hello"])
    }

    /// Only the publisher hears the other, so that no device can report it as lost.
    @Test(arguments: StoreKind.all) func aKilledPublisherThatNobodyHearsIsLost(_ kind: StoreKind) async throws {
        let world = try World(kind) { $0.silence = .seconds(15) }
        let (publisher, subscriber) = (try await world.device(), try await world.device())
        _ = try await publisher.publish("hello")
        try await publisher.hear(try await subscriber.subscribe().token)
        try await world.pass(.milliseconds(14_999))
        #expect(try await subscriber.near() == ["hello"])
        try await world.pass(.milliseconds(1))
        #expect(try await subscriber.news() == ["-hello"])
        // The publisher is found again as soon as it reports.
        try await publisher.hear(try await subscriber.subscribe().token)
        #expect(try await subscriber.near() == ["hello"])
    }

    /// An empty report prolongs no sighting; it only says that the device still listens.
    @Test(arguments: StoreKind.all) func anEmptyReportIsASignOfLife(_ kind: StoreKind) async throws {
        let world = try World(kind) { $0.silence = .seconds(15) }
        let (publisher, subscriber) = (try await world.device(), try await world.device())
        let publication = try await publisher.publish("hello")
        _ = try await subscriber.subscribe()
        try await subscriber.hear(publication.token)
        try await pass(world.service.limits.sightingLifetime - .milliseconds(1), world, living: [subscriber])
        #expect(try await subscriber.near() == ["hello"])
        try await world.pass(.milliseconds(1))
        #expect(try await subscriber.near() == [])
    }

    /// A restart forgets sightings, but finds and loses nothing: messages that were near count as near until their
    /// devices report otherwise.
    @Test func aNewProcessFindsAndLosesNothingTwice() async throws {
        let world = try World { $0.silence = .seconds(15) }
        let (publisher, subscriber) = (try await world.device(), try await world.device())
        let (one, two) = (try await publisher.publish("one"), try await publisher.publish("two"))
        _ = try await subscriber.subscribe()
        try await subscriber.hear(one.token, two.token)
        let service = try await world.restarted()
        defer { try? service.store.close() }
        func news() async throws -> [Int64] {
            try await service.store.changes(of: subscriber.session, ChangeQuery(after: 0, limit: 9)).changes
                .map { $0.isFound ? $0.sequence : -$0.sequence }
        }
        #expect((service.store as? SQLiteStore)?.counts().sightings == 0)
        #expect(try await news() == [1, 2])
        // The next report finds it again, without an event. The other one counts as near for the lifetime of a sighting.
        _ = try await service.report(heard: [one.token], lost: [], for: subscriber.session)
        #expect(try await news() == [1, 2])
        for _ in 0..<17 {
            world.clock.advance(by: .seconds(5))
            _ = try await service.report(heard: [one.token], lost: [], for: subscriber.session)
            try await service.sweep()
            #expect(try await news() == [1, 2])
        }
        world.clock.advance(by: .seconds(5))
        _ = try await service.report(heard: [one.token], lost: [], for: subscriber.session)
        try await service.sweep()
        #expect(try await news() == [1, -3])
    }

    /// A report that arrives while the sweep ends the device's sightings counts.
    @Test func aReportDuringTheSweepCounts() async throws {
        let world = try World { $0.silence = .seconds(15) }
        let (publisher, subscriber) = (try await world.device(), try await world.device())
        let publication = try await publisher.publish("hello")
        _ = try await subscriber.subscribe()
        try await subscriber.hear(publication.token)
        let then = world.clock.now
        world.clock.advance(by: .seconds(15))
        let presence = world.sqlite.engine.presence
        #expect(presence.silent(since: then, limit: 9) == [subscriber.session.device])
        try await subscriber.live()
        let woken = try await world.sqlite.engine.endSightings(of: [subscriber.session.device]) {
            presence.isSilent($0, since: then)
        }
        presence.forget([subscriber.session.device], since: then)
        #expect(woken == Woken())
        try await world.service.sweep()
        #expect(try await subscriber.near() == ["hello"])
    }

    /// Moves the clock in small steps, in which the living devices give signs of life.
    private func pass(_ duration: Duration, _ world: World, living devices: [Device]) async throws {
        var left = duration
        while left > .zero {
            let step = min(left, pause)
            try await world.pass(step)
            for device in devices { try await device.live() }
            left -= step
        }
    }
}
