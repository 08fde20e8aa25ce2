import EarshotBasics
import TestSupport
import Testing

@testable import EarshotModem

/// A set of symbols against `Set`.
@Suite(.optimized) struct ErasedSymbolsTests {
    @Test func equalsASet() {
        var random = SeededGenerator(seed: 60)
        var (erased, twin) = (ErasedSymbols(), Set<Int>())
        for _ in 0..<120 {
            let symbol = Int.random(in: 0..<ErasedSymbols.capacity, using: &random)
            erased.insert(symbol)
            twin.insert(symbol)
            let first = Int.random(in: 0...ErasedSymbols.capacity, using: &random)
            let range = first..<Int.random(in: first...ErasedSymbols.capacity, using: &random)
            #expect(erased.heldCount(range) == range.count { !twin.contains($0) }, "seed 60")
        }
        #expect((0..<ErasedSymbols.capacity).allSatisfy { erased.contains($0) == twin.contains($0) })
    }

    /// The longest frame and its echo fit.
    @Test func theLongestFrameFits() {
        #expect(ErasedSymbols.capacity >= 8 + 6 + 140 + ToneMetrics.echoSymbolCount)
    }
}
