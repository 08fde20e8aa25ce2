import EarshotBasics
import EarshotChannel
import EarshotCoding
import EarshotDiscovery
import EarshotSound
import Testing

@Suite struct TalkPolicyTests {
    private let timing = TalkTiming(tokenSeconds: 0.5, spreadSeconds: 0.2, guardSeconds: 0.1)

    /// The talks of a device that is alone, and hears the given band.
    private func talks(
        mode: DiscoveryMode = .both, seed: UInt64, untilSeconds end: Double,
        band: (Double) -> TalkPolicy.Band = { _ in TalkPolicy.Band() }
    ) -> (times: [Double], policy: TalkPolicy) {
        var policy = TalkPolicy(mode: mode, timing: timing)
        var generator = SeededGenerator(seed: seed)
        var (now, times) = (0.0, [Double]())
        while now < end {
            switch policy.step(nowSeconds: now, heard: [], band: band(now), using: &generator) {
            case .listen(let until):
                #expect(until > now)
                now = until
            case .talk(let at):
                times.append(at)
                now = at + timing.tokenSeconds
            }
        }
        return (times, policy)
    }

    @Test func `a device listens for a slot first and begins anywhere in the round after it`() {
        let first = (0..<60).map { talks(seed: $0, untilSeconds: 4).times[0] }
        #expect(first.allSatisfy { (0.8..<0.8 * 4).contains($0) })
        for slot in 1...3 {
            // A third of 60 is 20, with a deviation of 3.7.
            #expect(first.count { Int($0 / 0.8) == slot } >= 9)
        }
    }

    @Test func `once a round, and never faster than a slot`() {
        let times = talks(seed: 1, untilSeconds: 240).times
        // 240 s are 300 slots of 0.8 s, or 100 rounds without the first slot.
        #expect((98...100).contains(times.count))
        #expect(zip(times, times.dropFirst()).allSatisfy { $1 - $0 > timing.tokenSeconds })
    }

    @Test func `a device that only scans never talks`() {
        #expect(talks(mode: .scan, seed: 1, untilSeconds: 100).times.isEmpty)
    }

    @Test func `a device that hears nothing talks half as often`() {
        // 300 slots, rounds of 6.
        #expect((48...50).contains(talks(mode: .broadcast, seed: 1, untilSeconds: 240).times.count))
    }

    @Test func `slots follow the tokens heard`() throws {
        var policy = TalkPolicy(timing: timing)
        var generator = SeededGenerator(seed: 1)
        _ = policy.step(nowSeconds: 0, heard: [], band: .init(), using: &generator)
        let token = try Payload(hex: "0123456789abcdef")
        // A token begins 0.3 s into a slot, 0.1 s after the spread, so slots are later by that from now on.
        let action = policy.step(
            nowSeconds: 0.85, heard: [.init(token: token, startSeconds: 0.3)], band: .init(), using: &generator)
        guard case .listen(let until) = action else {
            Issue.record("\(action)")
            return
        }
        #expect(abs(until - 0.9) < 1e-9)
        #expect(policy.neighbourCount == 1)
    }

    @Test func `a talk waits a slot for sound on the air`() {
        let free = talks(seed: 5, untilSeconds: 40).times
        let busy = talks(seed: 5, untilSeconds: 40) { _ in .init(isBusy: true) }.times
        #expect(busy.count > free.count / 2)
        #expect(zip(free, busy).contains { $1 - $0 > 0.4 })
    }

    /// Where people pass by, each device is heard once. They must not count as a crowd, in which this device would rarely talk.
    @Test(arguments: [0.1, 0.3, 0.9]) func `passers do not silence a device`(perSlot: Double) throws {
        var policy = TalkPolicy(timing: timing)
        var generator = SeededGenerator(seed: 29)
        var (now, lateTalkCount) = (0.0, 0)
        let end = 7_200.0
        var heard: [TalkPolicy.Heard] = []
        while now < end {
            switch policy.step(nowSeconds: now, heard: heard, band: .init(), using: &generator) {
            case .listen(let until): now = until
            case .talk(let at):
                now = at + timing.tokenSeconds
                if now > end / 2 { lateTalkCount += 1 }
            }
            // A stranger in the slot that has ended.
            let passes = Double(generator.next() >> 11) * 0x1p-53 < perSlot
            heard =
                passes
                ? [
                    .init(
                        token: try Payload((0..<8).map { _ in UInt8(truncatingIfNeeded: generator.next()) }),
                        startSeconds: now - 0.7)
                ] : []
        }
        // u is almost 0, so n is about 5, G = 3, and a period has 15 slots. Chance may double G: 6 slots of 0.8 s.
        #expect(
            lateTalkCount > Int(end / 2 / (6 * 0.8)),
            "\(lateTalkCount) talks in \(end / 2) s, crowd \(policy.crowdCount)")
        // Each counts for four periods: 0.9·60, and again twice as many.
        #expect(policy.neighbourCount <= 108, "\(policy.neighbourCount) neighbours")
    }

    @Test func `busy slots without a token make rounds longer, until there is quiet`() {
        // Steps come once a slot.
        let (times, policy) = talks(seed: 2, untilSeconds: 80) { _ in .init(busySeconds: 0.6) }
        #expect(times.count < 100 / 3 / 2)
        #expect(policy.periodSeconds > 30)
        #expect(!policy.isBandOccupied)
    }

    @Test func `interference is noticed, and silences a device only as long as it may be a crowd`() {
        let (times, policy) = talks(seed: 2, untilSeconds: 160) { _ in .init(isBusy: true, busySeconds: 0.8) }
        #expect(policy.isBandOccupied)
        // 200 slots. 16 quiet ones, and two or three in which the device talks, show that there is no crowd.
        #expect(times.count >= (200 - 19) / 3 - 3)
        #expect(policy.crowdCount == 1)
    }
}
