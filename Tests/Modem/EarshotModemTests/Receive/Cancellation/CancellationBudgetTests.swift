import EarshotBasics
import TestSupport
import Testing

@testable import EarshotModem

/// 24 at once and 8 more a second, and never more than 24.
@Suite(.optimized) struct CancellationBudgetTests {
    private func spendAll(_ budget: inout CancellationBudget, at index: Int) -> Int {
        var count = 0
        while budget.spend(at: index) { count += 1 }
        return count
    }

    @Test func aBudgetRefills() {
        var budget = CancellationBudget(basebandRateHertz: 3_000)
        #expect(spendAll(&budget, at: 0) == 24)
        #expect(spendAll(&budget, at: 374) == 0)
        #expect(spendAll(&budget, at: 376) == 1)
        #expect(spendAll(&budget, at: 3_376) == 8)
        #expect(spendAll(&budget, at: 300_000) == 24)
    }

    /// Indices go back by a ring in long holes. That gives nothing and takes nothing.
    @Test func anIndexThatGoesBackGivesNothing() {
        var budget = CancellationBudget(basebandRateHertz: 3_000)
        #expect(spendAll(&budget, at: 10_000) == 24)
        #expect(spendAll(&budget, at: 4_000) == 0)
        #expect(spendAll(&budget, at: 7_000) == 8)
    }

    /// In any run of n seconds at most 24 + 8·n searches happen, whatever the spending looks like.
    @Test func noPatternSpendsMore() {
        var random = SeededGenerator(seed: 59)
        for _ in 0..<50 {
            var budget = CancellationBudget(basebandRateHertz: 3_000)
            var (index, spent) = (0, 0)
            for _ in 0..<2_000 {
                index += Int.random(in: 0...200, using: &random)
                if budget.spend(at: index) { spent += 1 }
            }
            #expect(Double(spent) <= 24 + 8 * Double(index) / 3_000 + 1e-6, "seed 59")
        }
    }
}
