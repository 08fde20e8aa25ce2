import EarshotBasics
import EarshotChannel
import EarshotCoding
import EarshotDiscovery
import EarshotModem
import EarshotSound
import Testing

@testable import EarshotSound

/// A conversation in the time of a test: a loop asks it and passes levels every 10 ms, as devices do.
@Suite struct SoundConversationTests {
    private static let token = payload(1)
    private static let timing = TalkTiming(.fast)
    private static let leadSeconds = 0.17

    private static func payload(_ byte: UInt8) -> Payload {
        guard let payload = try? Payload([UInt8](repeating: byte, count: 8)) else {
            preconditionFailure("8 bytes are a payload")
        }
        return payload
    }

    private static func conversation(_ mode: DiscoveryMode = .both, seed: UInt64 = 1)
        -> SoundConversation<SeededGenerator>
    {
        var made = SoundConversation(
            mode: mode, profile: .fast, leadSeconds: leadSeconds, generator: SeededGenerator(seed: seed))
        made.own(token)
        return made
    }

    private static func hearing(_ payload: Payload, from start: Double) -> SoundHearing {
        SoundHearing(
            payload: payload, startSeconds: start, endSeconds: start + timing.tokenSeconds, snrDecibels: 20,
            soundSeconds: start..<start + timing.tokenSeconds)
    }

    /// Advances the time.
    /// - Returns: for each talk when it begins, and when that was decided.
    @discardableResult
    private func run(
        _ conversation: inout SoundConversation<SeededGenerator>, _ range: Range<Double>,
        level: (Double) -> Double = { _ in -70 }
    ) -> [(begin: Double, decided: Double)] {
        var talks: [(Double, Double)] = []
        for tick in Int(100 * range.lowerBound)..<Int(100 * range.upperBound) {
            let now = Double(tick) / 100
            conversation.take(levelDecibels: level(now), soundSeconds: now, nowSeconds: now)
            guard conversation.isDue(nowSeconds: now) else { continue }
            if let begin = conversation.step(nowSeconds: now) { talks.append((begin, now)) }
        }
        return talks
    }

    @Test func `a talk is decided a lead before its begin`() {
        var conversation = Self.conversation()
        let talks = run(&conversation, 0..<60)
        // One in three slots of 0.805 s.
        #expect((23...26).contains(talks.count))
        for (begin, decided) in talks {
            // The decision is at most one step of the loop late, and within the spread.
            #expect(begin - decided >= Self.leadSeconds - 0.011)
            #expect(begin - decided <= Self.leadSeconds + Self.timing.spreadSeconds + 0.001)
        }
        for (one, next) in zip(talks, talks.dropFirst()) {
            #expect(next.begin - one.begin >= Self.timing.tokenSeconds)
        }
    }

    @Test func `own tokens are no sightings, also earlier ones`() {
        var conversation = Self.conversation()
        conversation.own(Self.payload(2))
        for own in [Self.token, Self.payload(2)] {
            let sighting = conversation.hear(Self.hearing(own, from: 1), nowSeconds: 1.6)
            #expect(sighting == nil)
        }
        let sighting = conversation.hear(Self.hearing(Self.payload(3), from: 1), nowSeconds: 1.6)
        #expect(sighting?.token == Self.payload(3))
        #expect(conversation.token == Self.payload(2))
    }

    @Test func `a token's age counts from its end, and patience too`() throws {
        var conversation = Self.conversation()
        let now = 1 + Self.timing.tokenSeconds + 0.1
        let heard = conversation.hear(Self.hearing(Self.payload(3), from: 1), nowSeconds: now)
        let sighting = try #require(heard)
        #expect(abs((sighting.age - .seconds(0.1)) / .seconds(1)) < 1e-6)
        var policy = TalkPolicy(timing: Self.timing)
        var chance = SeededGenerator(seed: 1)
        _ = policy.step(nowSeconds: 0, heard: [], band: .init(), using: &chance)
        // A token heard once has three periods, whatever the grid, by the policy's rule, minus the token itself.
        let expected = policy.patienceSeconds(ofNext: 1, from: Self.payload(3)) - Self.timing.tokenSeconds
        #expect(abs(sighting.patience / .seconds(1) - expected) < 1e-6)
    }

    @Test func `a token has the level of the band`() {
        var conversation = Self.conversation(.scan)
        run(&conversation, 0..<1.6) { (1.0..<1.5).contains($0) ? -30 : -70 }
        let sighting = conversation.hear(Self.hearing(Self.payload(3), from: 1), nowSeconds: 1.6)
        #expect(sighting?.levelDecibels == -30)
        // Before the first level has arrived.
        var deaf = Self.conversation()
        let early = deaf.hear(Self.hearing(Self.payload(3), from: 1), nowSeconds: 1.6)
        #expect(early != nil && early?.levelDecibels == nil)
    }

    @Test func `sound without a pause occupies the band until it ends`() {
        var conversation = Self.conversation()
        run(&conversation, 0..<10)
        #expect(!conversation.isBandOccupied)
        run(&conversation, 10..<25) { _ in -50 }
        #expect(conversation.isBandOccupied)
        // Four slots without the sound.
        run(&conversation, 25..<32)
        #expect(!conversation.isBandOccupied)
    }

    /// Otherwise a device would take its own token for interference.
    @Test func `the own token is not heard`() {
        var conversation = Self.conversation()
        var own = 0.0..<0.0
        for tick in 0..<6_000 {
            let now = Double(tick) / 100
            conversation.take(levelDecibels: own.contains(now) ? -20 : -70, soundSeconds: now, nowSeconds: now)
            if conversation.isDue(nowSeconds: now), let begin = conversation.step(nowSeconds: now) {
                // It arrives 50 ms late, and its echo lasts as long.
                own = begin..<begin + Self.timing.tokenSeconds + 0.1
            }
            #expect(!conversation.isBusy, "\(now)")
        }
    }

    @Test func `a device that only scans says nothing and follows its neighbours`() {
        var conversation = Self.conversation(.scan)
        for slot in 0..<40 {
            let begin = Double(slot) * Self.timing.slotSeconds
            let talks = run(&conversation, begin..<begin + Self.timing.slotSeconds)
            #expect(talks.isEmpty)
            if slot % 3 == 0 {
                let now = begin + Self.timing.slotSeconds
                let sighting = conversation.hear(Self.hearing(Self.payload(3), from: begin), nowSeconds: now)
                #expect(sighting != nil)
            }
        }
        #expect(conversation.neighbourCount == 1)
        run(&conversation, 37..<90)
        #expect(conversation.neighbourCount == 0)
    }
}

@Suite struct BusyBandTests {
    /// Noise in stretches of 40 ms of 60 numbers each: a standard deviation of 0.56 dB, here uniform over ±1 dB.
    @Test func `noise is not busy, and a sound 10 dB louder is, for ten minutes`() {
        var band = BusyBand()
        var generator = SeededGenerator(seed: 1)
        func noise() -> Double { -71 + 2 * Double(generator.uniform()) }
        var vain = 0
        for tick in 0..<15_000 where band.take(noise(), atSeconds: 0.04 * Double(tick)) { vain += 1 }
        // 7 dB above the quietest.
        #expect(vain == 0)
        var missed = 0
        for tick in 0..<13_500 where !band.take(noise() + 10, atSeconds: 600 + 0.04 * Double(tick)) { missed += 1 }
        #expect(missed == 0)
        // A sound that lasts longer than the memory becomes the floor.
        for tick in 0..<3_000 { _ = band.take(noise() + 10, atSeconds: 1_140 + 0.04 * Double(tick)) }
        let isStillBusy = band.take(noise() + 10, atSeconds: 1_260)
        #expect(!isStillBusy)
    }

    @Test func `a level that is no number is ignored`() {
        var band = BusyBand()
        let busy = [.nan, -.infinity, -70, -60].enumerated().map { band.take($1, atSeconds: Double($0)) }
        #expect(busy == [false, false, false, true])
    }
}
