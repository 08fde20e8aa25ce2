import Foundation
import Testing

@testable import EarshotServer

/// The time of leases when the calendar is set.
@Suite struct ClockTests {
    @Test func theCalendarIsReadOnce() {
        let (calendar, steady) = (MovedClock(), MovedClock())
        let begin = calendar.now
        let clock = SystemClock(calendar: { calendar.now }) {
            .milliseconds(steady.now.milliseconds - begin.milliseconds)
        }
        for days in [1, -2] {
            calendar.advance(by: .seconds(days * 86_400))
            steady.advance(by: .seconds(3))
        }
        #expect(clock.now == begin + .seconds(6))
    }

    @Test func theProcessHasOneClock() {
        let before = SystemClock.shared.now
        let now = Date().timeIntervalSince1970 * 1_000
        let after = SystemClock.shared.now
        #expect(before <= after)
        // The calendar may have been adjusted since the tests began, but by less than an hour.
        #expect(abs(now - Double(after.milliseconds)) < 3_600_000)
    }

    /// A session ends with its lease, before a sweep removes it.
    @Test(arguments: StoreKind.all) func aSessionEndsWithItsLease(_ kind: StoreKind) async throws {
        let world = try World(kind)
        let secret = try await world.service.openSession(key: try await world.key()).secret
        world.clock.advance(by: world.service.limits.sessionLifetime - .milliseconds(1))
        #expect(try await world.store.session(hash: Secret.hash(secret), now: world.clock.now) != nil)
        world.clock.advance(by: .milliseconds(1))
        #expect(try await problem { try await world.service.session(secret: secret) } == .badSession)
    }

    /// More items end together than one write can end. One sweep still ends them all.
    @Test func oneSweepEndsAllThatIsDue() async throws {
        let world = try World { $0.sessionsPerKey = RateLimit(perSecond: 1e6, burst: 1e6) }
        let key = try await world.key()
        for _ in 0..<1_100 { _ = try await world.service.openSession(key: key) }
        #expect(try await world.store.counts().devices == 1_100)
        world.clock.advance(by: world.service.limits.sessionLifetime)
        let first = try await world.store.sweep(world.service.limits)
        #expect(first.hasMore)
        #expect(try await world.rowCount("device") == 600, "one write ends at most 500 devices")
        try await world.service.sweep()
        #expect(try await world.rowCount("device") == 0)
        #expect(try await world.store.sweep(world.service.limits) == Swept())
    }

    /// The calendar was set back by a year between two runs. No lease lasts longer than a new one could.
    @Test func storedLeasesAreBounded() async throws {
        let world = try World()
        let (publisher, subscriber) = (try await world.device(), try await world.device())
        let publication = try await publisher.publish("hello", for: .seconds(86_400))
        _ = try await subscriber.subscribe(for: .seconds(86_400))
        try await subscriber.hear(publication.token)
        world.clock.advance(by: .seconds(-365 * 86_400))
        try await world.service.begin()
        let limits = world.service.limits
        // A token with a time of issue in the future would never be replaced.
        world.clock.advance(by: limits.tokenLifetime / 2)
        let renewed = try await world.service.renewPublication(publication.id, for: publisher.session)
        #expect(renewed.1.bytes != publication.token)
        world.clock.advance(by: limits.sightingLifetime - limits.tokenLifetime / 2)
        try await world.service.sweep()
        #expect(try await subscriber.news() == ["-hello"])
        try await world.pass(limits.maximumTimeToLive)
        #expect(try await world.store.counts().subscriptions == 0)
        try await world.pass(limits.sessionLifetime)
        #expect(try await world.store.counts().devices == 0)
    }
}
