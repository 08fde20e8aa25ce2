import EarshotBasics
import TestSupport
import Testing

@testable import EarshotModem

/// The budget allows 24 searches at once and 8 more a second, and never saves up more than 24.
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

    /// In long holes, indices go back by a ring. That adds nothing to the budget and takes nothing from it.
    @Test func anIndexThatGoesBackGivesNothing() {
        var budget = CancellationBudget(basebandRateHertz: 3_000)
        #expect(spendAll(&budget, at: 10_000) == 24)
        #expect(spendAll(&budget, at: 4_000) == 0)
        #expect(spendAll(&budget, at: 7_000) == 8)
    }

    /// No pattern of spending gets more than 24 + 8·n searches in n seconds.
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
