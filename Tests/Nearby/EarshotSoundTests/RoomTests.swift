import EarshotChannel
import EarshotDiscovery
import EarshotModem
import EarshotSound
import EarshotTrials
import TestSupport
import Testing

/// The goals for rooms of table ears: the median of 21 runs from fixed seeds, in seconds.
///
/// The goals leave a quarter to a third to spare over the measured values (3.2, 5.9, 7.3, 9.6 s): they fail if the policy
/// becomes worse by more than chance, and not before.
@Suite(.optimized) struct RoomTests {
    private static let timing = TalkTiming(.fast)

    private func room(_ plan: RoomPlan, _ table: DecodingTable = .freeAir) -> RoomSimulation<TableEars> {
        RoomSimulation(plan, ears: TableEars(timing: Self.timing, table: table, seed: plan.seed))
    }

    private func median(_ runs: Range<UInt64>, _ seconds: (UInt64) -> Double?) -> Double {
        let sorted = runs.map { seconds($0) ?? .infinity }.sorted()
        return sorted[sorted.count / 2]
    }

    @Test(arguments: [(2, 4.5), (5, 7.5), (10, 9.0), (20, 12.0)])
    func `90 % of all pairs find each other`(deviceCount: Int, goalSeconds: Double) {
        let seconds = median(1_000..<1_021) { seed in
            var room = room(RoomPlan(deviceCount: deviceCount, seed: seed))
            room.run(untilSeconds: 60) { $0.seconds(share: 0.9) != nil }
            return room.findings.seconds(share: 0.9)
        }
        #expect(seconds <= goalSeconds, "\(deviceCount) devices, seeds from 1000")
    }

    /// Measured with 21 runs: 10.5 and 21.6 s; a quarter to spare.
    @Test(arguments: [(10, 13.0), (20, 26.5)])
    func `in a small room it takes longer`(deviceCount: Int, goalSeconds: Double) {
        let seconds = median(1_000..<1_011) { seed in
            var room = room(RoomPlan(deviceCount: deviceCount, seed: seed), .smallRoom)
            room.run(untilSeconds: 90) { $0.seconds(share: 0.9) != nil }
            return room.findings.seconds(share: 0.9)
        }
        #expect(seconds <= goalSeconds, "\(deviceCount) devices, seeds from 1000")
    }

    @Test func `a small room makes fewer talk together, free air does not`() {
        var aims: [Double] = []
        for table in [DecodingTable.freeAir, .smallRoom, .hardRoom] {
            var room = room(RoomPlan(deviceCount: 20, seed: 3), table)
            room.run(untilSeconds: 120)
            aims.append(room.policies.map(\.talkersPerSlot).reduce(0, +) / 20)
        }
        let limits = TalkLimits()
        #expect(aims[0] > 0.9 * limits.talkersPerSlot)
        #expect(aims[1] < 0.75 * limits.talkersPerSlot && aims[2] < 0.75 * limits.talkersPerSlot)
    }

    /// Measured: 53 in five runs of ten minutes. The draft of this policy had several hundred.
    @Test func `a small room has few false losses`() {
        var count = 0
        for seed in UInt64(1_000)..<1_005 {
            var room = room(RoomPlan(deviceCount: 10, seed: seed), .smallRoom)
            room.run(untilSeconds: 600)
            count += room.findings.falseLosses.count
        }
        #expect(count <= 106)
    }

    /// Measured: 88 % after 60 s and 97 % after 80 s in free air, 90 % after 120 s in the room.
    @Test(arguments: [(DecodingTable.freeAir, 90.0), (.smallRoom, 160)])
    func `a hundred that begin at once count themselves and find each other`(table: DecodingTable, seconds: Double) {
        var room = room(RoomPlan(deviceCount: 100, seed: 1_000), table)
        room.run(untilSeconds: seconds)
        #expect(room.findings.seconds(share: 0.9) != nil)
        let counts = room.policies.map(\.crowdCount).sorted()
        #expect((90...170).contains(counts[50]))
        // 2 or 3 of 100 devices talk in a slot: each talks 1.6 % of the time, plus a third of that for the start.
        let before = room.findings.talkSeconds.reduce(0, +)
        room.run(untilSeconds: seconds + 30)
        #expect((room.findings.talkSeconds.reduce(0, +) - before) / 30 / 100 < 0.022)
    }

    private func afterAMinute(_ device: RoomPlan.Device, seed: UInt64) -> RoomPlan {
        RoomPlan([RoomPlan.Device](repeating: .init(), count: 10) + [device], seed: seed)
    }

    @Test func `a latecomer is known to 90 % of ten within 15 s`() {
        for seed in UInt64(1)...10 {
            var room = room(afterAMinute(.init(arrivalSeconds: 60 + 0.31 * Double(seed)), seed: seed))
            room.run(untilSeconds: 80)
            let known = room.findings.seconds(share: 0.9) { talker, _ in talker == 10 } ?? .infinity
            #expect(known - 60 - 0.31 * Double(seed) <= 15, "seed \(seed)")
        }
    }

    @Test func `a device that only scans hears all ten within 20 s, and says nothing`() {
        for seed in UInt64(1)...10 {
            var room = room(afterAMinute(.init(mode: .scan, arrivalSeconds: 60 + 0.31 * Double(seed)), seed: seed))
            room.run(untilSeconds: 90)
            let heard = room.findings.seconds(share: 1) { _, listener in listener == 10 } ?? .infinity
            #expect(heard - 60 - 0.31 * Double(seed) <= 20, "seed \(seed)")
            #expect(room.findings.talkSeconds[10] == 0)
            #expect(room.findings.foundSeconds[10].allSatisfy { $0 == nil })
        }
    }

    @Test func `a device that only broadcasts finds no other and is found`() {
        for seed in UInt64(1)...10 {
            var room = room(afterAMinute(.init(mode: .broadcast, arrivalSeconds: 60), seed: seed))
            // It follows no slots: tokens within 0.555 s of its start, in rounds of 2.4 s, hide it. It
            // talks 24 times in 120 s: 0.46²⁴ is 8e-9.
            room.run(untilSeconds: 180)
            #expect(room.findings.foundSeconds[10].compactMap(\.self).count == 10, "seed \(seed)")
            #expect(room.findings.foundSeconds[..<10].allSatisfy { $0[10] == nil })
        }
    }

    /// Two pairs may still have very similar patterns, which lengthens their patience. So the median of
    /// the runs has a goal, and all runs have a limit: a neighbour heard once in a period of 15 slots
    /// has 45 + 1 slots, 37 s, and a quarter more.
    @Test func `a leaver is lost by all within 15 s of its last token`() {
        var slowest = 0.0
        let seconds = median(1..<22) { seed in
            var room = room(afterAMinute(.init(departureSeconds: 120 + 0.31 * Double(seed)), seed: seed))
            room.run(untilSeconds: 180)
            let lost = room.findings.lostSeconds[10][..<10].compactMap(\.self)
            guard lost.count == 10, let last = lost.max() else { return nil }
            slowest = max(slowest, last - room.findings.lastTalkEndSeconds[10])
            return last - room.findings.lastTalkEndSeconds[10]
        }
        #expect(seconds <= 15)
        #expect(slowest <= 42)
    }

    /// As through a sound card: when a device decides a talk, the talkers of the slot before are still
    /// heard and not yet decoded. Rules that took this for a full slot, or for another grid, caused 74
    /// false losses in seven runs of ten minutes.
    @Test func `devices that decide ahead find and keep each other too`() {
        let seconds = median(1_000..<1_021) { seed in
            var plan = RoomPlan(deviceCount: 10, seed: seed)
            plan.leadSeconds = 0.17
            var room = room(plan)
            room.run(untilSeconds: 60) { $0.seconds(share: 0.9) != nil }
            return room.findings.seconds(share: 0.9)
        }
        #expect(seconds <= 9)
    }

    /// The goal is no false loss in 9 of 10 runs. Devices decide at once, or 0.17 s ahead as through a sound card.
    @Test(arguments: [0, 0.17]) func `ten minutes have no false losses`(leadSeconds: Double) {
        for seed in UInt64(1)...5 {
            var plan = RoomPlan(deviceCount: 10, seed: seed)
            plan.leadSeconds = leadSeconds
            var room = room(plan)
            room.run(untilSeconds: 600)
            #expect(room.findings.falseLosses.isEmpty, "seed \(seed)")
        }
    }

    /// Three devices with the tokens 0…01, 0…02 and 0…03 and the real modem. Before tokens were mixed, recognition took
    /// the two other tokens for that of the leaver, which was never lost. Now it is lost like any other: in 20 rooms
    /// 14.1 s after its last token (median) and at most 23.2 s; with random tokens 14.1 and 23.9 s (`earshot-bench
    /// alike`). The limit of 42 s is that of the test above.
    @Test(arguments: [UInt64(1), 2, 3]) func `a leaver is lost though its token is like the others`(seed: UInt64) throws
    {
        var plan = RoomPlan(
            [.init(), .init(arrivalSeconds: 0.5), .init(arrivalSeconds: 1, departureSeconds: 60)], seed: seed)
        plan.areTokensAlike = true
        var air = Air()
        air.clockSpread = 100e-6
        var room = RoomSimulation(
            plan, ears: try ModemEars(plan, profile: .fast, air: air, snrDecibels: 20, sideMetres: 4))
        room.run(untilSeconds: 120) { $0.lostSeconds[2][..<2].allSatisfy { $0 != nil } }
        let findings = room.findings
        #expect((findings.seconds(share: 1) ?? .infinity) <= 15, "seed \(seed)")
        #expect(findings.falseLosses.isEmpty, "seed \(seed)")
        for lost in findings.lostSeconds[2][..<2] {
            #expect((lost ?? .infinity) - findings.lastTalkEndSeconds[2] <= 42, "seed \(seed)")
        }
    }

    @Test(arguments: [1, 2, 10, 40])
    func `no device talks more than one token a round`(deviceCount: Int) {
        var room = room(RoomPlan(deviceCount: deviceCount, seed: 7))
        room.run(untilSeconds: 300)
        let timing = Self.timing
        // One talk more than the whole rounds.
        let rounds = 300 / (3 * timing.slotSeconds) + 1
        for seconds in room.findings.talkSeconds {
            #expect(seconds <= rounds * timing.tokenSeconds)
            #expect(seconds > 0)
        }
    }

    @Test func `each device of a crowd talks less`() {
        var share: [Double] = []
        for deviceCount in [10, 40] {
            var room = room(RoomPlan(deviceCount: deviceCount, seed: 7))
            room.run(untilSeconds: 120)
            share.append(room.findings.talkSeconds.reduce(0, +) / Double(deviceCount))
        }
        // Four times as many devices make rounds of 12 slots instead of 3, once they have noticed.
        #expect(share[1] < 0.5 * share[0])
    }

    @Test func `the same seed gives the same room`() {
        var findings: [[[Double?]]] = []
        for seed in [UInt64(3), 3, 4] {
            var room = room(RoomPlan(deviceCount: 5, seed: seed))
            room.run(untilSeconds: 30)
            findings.append(room.findings.foundSeconds)
        }
        #expect(findings[0] == findings[1])
        #expect(findings[0] != findings[2])
    }
}
