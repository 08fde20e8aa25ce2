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

    /// What a device does while others pass by, each heard `talkCount` times, every four slots, and then a crowd stays that talks in rounds of
    /// 15 slots.
    /// - Returns: its talks in a slot in the second half of the passers' time, its neighbours at the end of that, and the slots until it
    ///   counts three quarters of the crowd, nil if it never does.
    private func passers(
        perSlot: Double, talkCount: Int, slotCount: Int, crowd: Int, seed: UInt64
    ) throws -> (talksPerSlot: Double, neighbourCount: Int, slotsToCrowd: Int?) {
        var (policy, generator) = (TalkPolicy(timing: timing), SeededGenerator(seed: seed))
        func token() throws -> Payload { try Payload((0..<8).map { _ in UInt8(truncatingIfNeeded: generator.next()) }) }
        var (now, slot, lateTalkCount, neighbourCount) = (0.0, 0, 0, 0)
        var (due, heard): ([(slot: Int, token: Payload)], [TalkPolicy.Heard]) = ([], [])
        let members = try (0..<crowd).map { _ in try token() }
        while slot < slotCount + (crowd > 0 ? 300 : 0) {
            switch policy.step(nowSeconds: now, heard: heard, band: .init(), using: &generator) {
            case .listen(let until): now = until
            case .talk(let at):
                now = at + timing.tokenSeconds
                if slot > slotCount / 2, slot < slotCount { lateTalkCount += 1 }
            }
            heard = []
            // Tokens come once a slot, of 0.8 s, and are those of the slot that has ended.
            guard Int(now / 0.8) > slot else { continue }
            slot = Int(now / 0.8)
            if slot < slotCount {
                neighbourCount = policy.neighbourCount
                if Double(generator.next() >> 11) * 0x1p-53 < perSlot {
                    let new = try token()
                    due += (0..<talkCount).map { (slot + 4 * $0, new) }
                }
            } else {
                if slot % 15 == 0 { due += members.map { (slot + Int(generator.next() % 15), $0) } }
                if policy.crowdCount >= 0.75 * Double(crowd) {
                    return (2 * Double(lateTalkCount) / Double(slotCount), neighbourCount, slot - slotCount)
                }
            }
            heard = due.filter { $0.slot <= slot }.map { .init(token: $0.token, startSeconds: now - 0.7) }
            due.removeAll { $0.slot <= slot }
        }
        return (2 * Double(lateTalkCount) / Double(slotCount), neighbourCount, nil)
    }

    /// Passers must not count as a crowd that grows, in which this device would rarely talk. More than 0.4 of those heard eight times, in 28
    /// slots, would be more at once than a receiver decodes.
    @Test(arguments: [(0.1, 1), (0.9, 1), (0.9, 2), (0.9, 4), (0.4, 8)])
    func `passers do not silence a device`(perSlot: Double, talkCount: Int) throws {
        let result = try passers(perSlot: perSlot, talkCount: talkCount, slotCount: 4_500, crowd: 0, seed: 29)
        // The limit is 5 for passers, so G = 3 or 4; 11 of those heard eight times are there at once, and G = 5.
        #expect(result.talksPerSlot > 1.0 / 8, "\(result)")
        // Each counts for its stay and at most 64 slots, four periods of G = 4.
        #expect(result.neighbourCount <= 100, "\(result)")
    }

    @Test(arguments: [10, 60, 120]) func `a crowd is counted after passers too`(crowd: Int) throws {
        let result = try passers(perSlot: 0.9, talkCount: 1, slotCount: 2_250, crowd: crowd, seed: 29)
        // 15 seeds, none of them this: 34 to 63 slots, and 22 to 29 without passers.
        #expect(try #require(result.slotsToCrowd) < 100)
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
