import EarshotBasics
import EarshotChannel
import EarshotDiscovery
import EarshotSound
import Testing

@testable import EarshotSound

@Suite struct TalkPatternTests {
    @Test func `rounds have few lengths, and periods are not shorter than 15 slots by much`() {
        let limits = TalkLimits()
        #expect(
            [0.5, 3.4, 3.6, 7.1, 27, 1e6].map { RoundLength.nearest($0, limits: limits) } == [3, 3, 4, 8, 24, 3_072])
        for (roundSlots, roundCount) in [(3, 5), (4, 3), (5, 3), (6, 3), (100, 3)] {
            #expect(RoundLength.roundCount(roundSlots: roundSlots, limits: limits) == roundCount)
        }
        #expect(RoundLength.periods(around: 15, limits: limits) == [15, 12, 15, 18, 24, 30])
    }

    @Test func `a talk moves out of the round in which a neighbour is missed, and not onto one hardly heard`() {
        for seed in UInt64(1)...20 {
            var generator = SeededGenerator(seed: seed)
            let pattern = TalkPattern(roundSlots: 3, roundCount: 5, using: &generator)
            let free = (0..<15).filter { !pattern.talks(in: $0) }
            // One neighbour is heard only in rounds 0 and 1. The others are heard three
            // times, once of these in round 2.
            let rare = [free[0], free[2]]
            let hardly = [free[1], free[3], free[4]]
            var need = PatternNeed(pattern, soughtCount: 3)
            #expect(!need.isCalledFor)
            need.add(hardly)
            #expect(!need.isCalledFor)
            need.add(rare.map { $0 + 15 })
            #expect(need.isCalledFor)
            #expect(need.gains == [0, 0, 1, 1, 1])
            var other = pattern
            other.change(need, using: &generator)
            let moved = pattern.positions.indices.filter { pattern.positions[$0] != other.positions[$0] }
            #expect(moved.count == 1 && (2...4).contains(moved[0]), "seed \(seed)")
            #expect(!other.talks(in: free[4]), "seed \(seed)")
        }
    }
}
