import EarshotBasics
import EarshotCoding
import EarshotDiscovery
import EarshotSealing
import Foundation
import MessagesTestSupport
import TestSupport
import Testing

@testable import EarshotMessages

/// Tokens of a device whose wall clock is wrong by an hour, or is set by an hour while it
/// runs. The service counts its own time.
@Suite struct WrongClockTests {
    @Test(arguments: [0.0, 3_600, -3_600]) func `no token is played beyond its end, and none is missing`(
        offset: Double
    ) async throws {
        for seed in 0..<100 as Range<UInt64> {
            // Other tests wait for answers on the same few threads.
            await Task.yield()
            var generator = SeededGenerator(seed: seed)
            let life = Duration.seconds(Double.random(in: 40...240, using: &generator))
            var now = Duration.seconds(Double.random(in: 0..<10_000, using: &generator))
            let setAt = now + .seconds(Double.random(in: 0..<2_000, using: &generator))
            let move = Bool.random(using: &generator) ? 3_600.0 : -3_600
            // By the service's clock: the end of each token, and the time for which it was played.
            var (ends, played): ([Payload: Duration], [Payload: Duration]) = ([:], [:])
            var (token, issued) = (Payload.drawnToken(), now)
            ends[token] = now + life
            var lease: Lease?
            for _ in 0..<20 {
                if now >= issued + life / 2 {
                    (token, issued) = (Payload.drawnToken(), now)
                    ends[token] = now + life
                }
                let registration = Registration(
                    name: RegistrationName(.publication, "p"), expiresIn: .seconds(300), token: token,
                    tokenExpiresIn: issued + life - now, rotateIn: issued + life / 2 - now)
                let wall = 1.8e9 + now / .seconds(1) + offset + (now >= setAt ? move : 0)
                let next = Lease(registration, playsToken: true, now: now, after: lease, worldTime: .seconds(wall))
                let step = Duration.seconds(2)
                // A renewal may come late.
                let end = next.renewsAt + .seconds(Double.random(in: 0...10, using: &generator))
                while now < end {
                    let present = try #require(next.token(now: now), "seed \(seed)")
                    let left = try #require(ends[present]) - now
                    try #require(left > .zero, "seed \(seed): the service no longer knows what is played")
                    // Other devices report a token after they have heard it.
                    if present != token { try #require(left >= Lease.reportTime, "seed \(seed)") }
                    played[present, default: .zero] += step
                    now += step
                }
                lease = next
            }
            #expect(played.values.allSatisfy { $0 <= life }, "seed \(seed)")
            #expect(played.count > 2, "seed \(seed): the tokens change")
        }
    }
}

/// The same from end to end, with the real service and sealed messages.
@Suite(.apart, .enabled(if: Daemon.program != nil, "'make test-server' sets EARSHOTD"), .serialized)
struct WrongClockEarshotdTests {
    /// A device that publishes and one that finds, in a room of their own.
    private struct Pair {
        let publisher: Device
        let subscriber: Device
        let events: Collected<MessageEvent>
        let publication: Publication

        let strategies: (DiscoveryStrategy, DiscoveryStrategy)

        /// - Parameters:
        ///   - offsets: the errors of the two wall clocks, in seconds.
        ///   - lease: the devices renew their registrations after half of it.
        init(
            _ daemon: Daemon, key: String, _ offsets: (Double, Double), _ modes: (DiscoveryMode, DiscoveryMode),
            lease: Duration = .seconds(300)
        ) throws {
            let air = Air()
            func device(_ offset: Double) -> Device {
                Device(in: air, FakeService(), key: key) { configuration in
                    configuration.internals.service = nil
                    configuration.serviceURL = daemon.url
                    configuration.internals.pace.lease = lease
                    configuration.internals.timeline = {
                        Timeline(calendar: { Date().timeIntervalSince1970 + offset })
                    }
                }
            }
            func strategy(_ mode: DiscoveryMode) -> DiscoveryStrategy {
                var strategy = DiscoveryStrategy()
                strategy.mode = mode
                return strategy
            }
            (publisher, subscriber) = (device(offsets.0), device(offsets.1))
            self.strategies = (strategy(modes.0), strategy(modes.1))
            events = Collected(try subscriber.manager.subscribe(type: "t", strategy: self.strategies.1))
            publication = try publisher.manager.publish(Message("hello", type: "t"), strategy: self.strategies.0)
        }

        /// The messages that were found and are not lost.
        var near: Set<String> {
            events.all.reduce(into: []) { near, event in
                switch event {
                case .found(let message): near.insert(message.message.text)
                case .lost(let message): near.remove(message.message.text)
                }
            }
        }

        /// The tokens that both devices have played, in order.
        var tokens: [[Payload]] { [publisher.medium.tokens, subscriber.medium.tokens] }
    }

    /// Pairs with one or two wrong clocks, each with both devices heard, the publisher alone, and the subscriber alone.
    private static func pairs(_ daemon: Daemon, lease: Duration = .seconds(300)) throws -> [Pair] {
        let key = try daemon.key()
        let hour = 3_600.0
        let offsets = [(hour, 0), (-hour, 0), (0, hour), (0, -hour), (hour, -hour), (-hour, hour)]
        let modes: [(DiscoveryMode, DiscoveryMode)] = [(.both, .both), (.broadcast, .scan), (.scan, .broadcast)]
        var pairs: [Pair] = []
        for offsets in offsets {
            for modes in modes { pairs.append(try Pair(daemon, key: key, offsets, modes, lease: lease)) }
        }
        return pairs
    }

    /// With `EARSHOT_LONG_TESTS=1`, 200 s, in which each token ends.
    @Test func `devices with wrong clocks find and lose each other`() async throws {
        let daemon = try Daemon()
        let pairs = try Self.pairs(daemon)
        #expect(await eventually { pairs.allSatisfy { $0.events.found.map(\.message.text) == ["hello"] } })
        if TestLength.isLong {
            let start = ContinuousClock.now
            var seen: [Payload: (first: ContinuousClock.Instant, last: ContinuousClock.Instant)] = [:]
            while ContinuousClock.now < start + .seconds(200) {
                for token in pairs.flatMap(\.tokens).compactMap(\.last) {
                    seen[token, default: (.now, .now)].last = .now
                }
                try await Task.sleep(for: .milliseconds(200))
            }
            #expect(pairs.allSatisfy { $0.events.all.count == 1 }, "neither lost nor found again")
            // The service issues a token for 120 s.
            #expect(seen.values.allSatisfy { $0.last - $0.first < .seconds(120) })
            #expect(
                pairs.flatMap(\.tokens).allSatisfy { $0.isEmpty || $0.count > 2 },
                "each that plays has changed its token")
        }
        for pair in pairs { pair.publication.stop() }
        #expect(await eventually { pairs.allSatisfy { $0.events.lost.count == 1 } })
    }

    /// The service ends, the clock of its machine is set by an hour, and the service starts again.
    ///
    /// Setting the clock back changes nothing. Setting it forward ends all leases; when the devices
    /// renew them, they publish and subscribe again.
    @Test(.enabled(if: Repository.hasPython), arguments: [-3_600, 0, 3_600])
    func `the service's clock is set between two runs`(seconds: Int) async throws {
        let daemon = try Daemon()
        let pairs = try Self.pairs(daemon, lease: .seconds(6))
        #expect(await eventually { pairs.allSatisfy { $0.events.found.count == 1 } })
        daemon.kill()
        try daemon.setCalendar(by: seconds)
        try daemon.start()
        let later = try pairs.map {
            try $0.publisher.manager.publish(Message("later", type: "t"), strategy: $0.strategies.0)
        }
        #expect(
            await eventually { pairs.allSatisfy { $0.near == ["hello", "later"] && $0.publication.status == .active } })
        if seconds <= 0 { #expect(pairs.allSatisfy { $0.events.all.count == 2 }, "neither lost nor found again") }
        let other = try Pair(daemon, key: try daemon.key(), (0, 0), (.both, .both))
        #expect(await eventually { other.near == ["hello"] })
        // No device shows a message for ever that the service has forgotten.
        for publication in (pairs + [other]).map(\.publication) + later { publication.stop() }
        #expect(await eventually { (pairs + [other]).allSatisfy { $0.near == [] } })
    }
}
