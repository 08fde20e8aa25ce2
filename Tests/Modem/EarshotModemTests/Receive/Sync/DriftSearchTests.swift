import EarshotBasics
import EarshotCoding
import TestSupport
import Testing

@testable import EarshotModem

@Suite(.optimized) struct DriftSearchTests {
    private static let row = 9

    private func patternFirsts(_ profile: Profile) -> [Int] {
        profile.syncTones.enumerated().map { index, tone in
            2 * tone * SearchCells.stride + SyncSearch.rowsPerSymbol * FrameLayout.syncPlace(index)
        }
    }

    /// In noise, a pattern whose groups have two offsets is the highest place of the grid, in the middle of both, with
    /// its drift. A pattern with a constant offset has no drift.
    @Test(arguments: [
        (Profile.standard, -1), (.standard, 0), (.standard, 1), (.far, -4), (.far, -2), (.far, 0), (.far, 2), (.far, 4),
    ])
    func aPatternIsFoundWithItsDrift(profile: Profile, drift: Int) {
        let format = BasebandFormat(profile: profile)
        let offsetCount = 2 * format.maximumOffsetHalfSpacings + 1
        let firsts = patternFirsts(profile)
        var random = SeededGenerator(seed: 74)
        for offset in [3, offsetCount / 2, offsetCount - 4] {
            let cells = SearchCells(binCount: 2 * (profile.toneCount - 1) + offsetCount)
            for index in cells.values.indices { cells.values[index] = Float.random(in: 0...1.2, using: &random) }
            func place(_ index: Int, _ row: Int) -> Int {
                let own = offset - (drift >> 1) + (index < FrameLayout.syncGroupToneCount ? 0 : drift)
                return own * SearchCells.stride + cells.scoredRow + row + firsts[index]
            }
            for index in firsts.indices { cells.values[place(index, Self.row)] = 2.5 }
            func score(_ offsets: (first: Int, second: Int)) -> Float {
                firsts.enumerated().reduce(0) { sum, tone in
                    let own = tone.offset < FrameLayout.syncGroupToneCount ? offsets.first : offsets.second
                    return sum + cells.values[own * SearchCells.stride + cells.scoredRow + Self.row + tone.element]
                }
            }
            var drifts = DriftSearch(format: format)
            let plain = ScoreGrid(offsetCount: offsetCount)
            drifts.score(cells, firsts, over: plain)
            #expect(drifts.drift(atOffset: offset, score) == drift, "seed 74")
            let own = drifts.grid.scores[drifts.grid.index(row: ScoreGrid.carriedRowCount + Self.row, offset: offset)]
            // Without the plain scores, a constant pattern only shows beside its place.
            guard drift != 0 else { continue }
            #expect(abs(own - (8 * 2.5 - DriftSearch.extraScore)) < 1e-4, "seed 74")
            #expect(drifts.grid.maxima.max() == own, "seed 74")
        }
    }

    /// A pattern of `fast` is too short to drift by a quarter of a spacing, so it has no grid of drifts.
    @Test func shortSymbolsDoNotDrift() {
        var drifts = DriftSearch(format: BasebandFormat(profile: .fast))
        #expect(drifts.grid.offsetCount == 0)
        let cells = SearchCells(binCount: 70)
        drifts.score(cells, patternFirsts(.fast), over: ScoreGrid(offsetCount: 9))
        #expect(drifts.grid.maxima.allSatisfy { $0 == 0 })
        #expect(drifts.drift(atOffset: 4) { _ in 5 } == 0)
    }
}
