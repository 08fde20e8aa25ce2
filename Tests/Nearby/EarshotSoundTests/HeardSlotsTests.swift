import EarshotDiscovery
import EarshotSound
import Testing

@testable import EarshotSound

@Suite struct HeardSlotsTests {
    private let limits = TalkLimits()
    private static let period = 15

    /// A neighbour heard in these slots of each period, up to a last slot.
    private func heard(
        in phases: [Int], periodSlots: Int = period, periodCount: Int, comes: (Int) -> Bool = { _ in true }
    ) -> HeardSlots {
        var heard = HeardSlots(phases[0])
        for slot in 1..<periodCount * periodSlots {
            if phases.contains(slot % periodSlots), comes(slot) {
                heard.add(slot, ownPeriodSlots: Self.period, limits: limits)
            }
            _ = heard.finish(slot, ownPeriodSlots: Self.period)
        }
        return heard
    }

    private func patience(_ heard: HeardSlots, expected: Double = 0.98) -> Int {
        heard.patienceSlots(ownPeriodSlots: Self.period, expected: expected)
    }

    @Test func `a neighbour heard surely is gone after a period, one heard once a period after more`() {
        #expect(patience(heard(in: [1, 4, 8], periodCount: 6)) == 15)
        #expect(patience(heard(in: [1, 4], periodCount: 6)) == 15)
        // ln 0.002 / ln 0.02 is 1.6: two misses.
        #expect((25...30).contains(patience(heard(in: [4], periodCount: 6))))
    }

    @Test func `a neighbour missed often gets more patience`() {
        let phases = [1, 4, 8]
        let sure = patience(heard(in: phases, periodCount: 9), expected: 0.9)
        let unsure = patience(heard(in: phases, periodCount: 9) { $0 % 7 != 1 && $0 % 5 != 3 }, expected: 0.7)
        #expect(sure <= 20)
        #expect(unsure >= 30)
        #expect(unsure <= 60)
    }

    @Test func `a new neighbour gets the most patience`() {
        #expect(patience(HeardSlots(3)) == 60)
        #expect(patience(heard(in: [1, 4, 8], periodCount: 1)) == 60)
    }

    @Test func `two tokens a period apart are heard once a period`() {
        // Counted as two, a single miss was a loss: one of 90 pairs in ten minutes (room with seed 4).
        #expect((25...30).contains(patience(heard(in: [4], periodCount: 2))))
    }

    @Test func `a neighbour heard more rarely of late gets more patience`() {
        let rarer = heard(in: [1, 4, 8], periodCount: 6) { $0 < 75 || $0 % 15 == 8 }
        #expect(rarer.latest == 83)
        #expect((20...30).contains(patience(rarer)))
    }

    @Test func `a neighbour's own period is learned, and counts`() {
        let slow = heard(in: [1, 8, 20], periodSlots: 30, periodCount: 5)
        #expect(slow.periodSlots(own: Self.period) == 30)
        #expect(patience(slow) == 30)
        #expect(heard(in: [1, 8, 11], periodCount: 5).periodSlots(own: Self.period) == 15)
    }

    @Test func `misses count when it is heard again, not when it has left`() {
        var heard = heard(in: [1, 8], periodCount: 4)
        for slot in 60..<75 { #expect(heard.finish(slot, ownPeriodSlots: Self.period) == nil) }
        heard = self.heard(in: [1, 8], periodCount: 4)
        // It is heard in slot 68, but not in slot 61.
        var missed: [Int] = []
        for slot in 60..<75 {
            if slot == 68 { heard.add(slot, ownPeriodSlots: Self.period, limits: limits) }
            if let count = heard.finish(slot, ownPeriodSlots: Self.period) { missed.append(count) }
        }
        #expect(missed == [1])
    }

    @Test func `memory ends`() {
        #expect(heard(in: Array(0..<15), periodCount: 10).slots.count == 16)
    }
}
