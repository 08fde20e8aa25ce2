import EarshotBasics
import EarshotCoding
import EarshotDSP
import TestSupport
import Testing

@testable import EarshotModem

/// The candidates that wait, the time that they wait, and their outcomes.
@Suite(.optimized) struct WaitingCandidatesTests {
    private let format = BasebandFormat(profile: .standard)

    private func cells(_ random: inout SeededGenerator, blockCount: Int, isSettled: Bool = true) -> SearchCells {
        let cells = SearchCells(binCount: 2 * 31 + 2 * format.maximumOffsetHalfSpacings + 1)
        addBlocks(blockCount, to: cells, isSettled: isSettled, &random)
        return cells
    }

    /// Blocks of noise, without any frame.
    private func addBlocks(_ count: Int, to cells: SearchCells, isSettled: Bool = true, _ random: inout SeededGenerator)
    {
        for _ in 0..<count {
            cells.beginBlock()
            for bin in 0..<2 * 31 + 2 * format.maximumOffsetHalfSpacings + 1 {
                for row in 0..<SyncSearch.blockRowCount {
                    let x = Float.random(in: 0...2, using: &random)
                    cells.values[bin * SearchCells.stride + cells.latestRow + row] = x / (1 + x / SyncSearch.saturation)
                }
            }
            cells.setHeldShares([Float](repeating: 1, count: SyncSearch.blockRowCount))
            cells.endBlock(isSettled: isSettled)
        }
    }

    private func candidate(block: Int, dominance: Float) -> Candidate {
        let blockLength = SyncSearch.blockSymbolCount * format.samplesPerSymbol
        return Candidate(start: Double(block * blockLength), offsetHertz: 0, score: 10, dominance: dominance)
    }

    /// Those that are neither rejected nor clear wait, if the noise is settled.
    @Test func onlyDoubtfulCandidatesWait() {
        var random = SeededGenerator(seed: 31)
        let dominances: [Float] = [0.2, 0.5, 0.8, 0.95]
        for (isSettled, kept) in [(true, [Float(0.2), 0.95]), (false, dominances)] {
            var waiting = WaitingCandidates(
                format: format, cells: [cells(&random, blockCount: 5, isSettled: isSettled)])
            // A candidate of an earlier block is not judged again.
            var candidates = [candidate(block: 1, dominance: 0.6)]
            candidates += dominances.map { candidate(block: 2, dominance: $0) }
            waiting.holdBack(&candidates, from: 1, 2)
            #expect(candidates.map(\.dominance) == [0.6] + kept, "settled: \(isSettled)")
        }
    }

    /// Noise is rejected once its symbols are there. After a restart its cells are gone,
    /// and the candidate is passed on.
    @Test func noiseIsRejectedAndTheUnknownPassedOn() {
        for restarts in [false, true] {
            var random = SeededGenerator(seed: 32)
            let cells = cells(&random, blockCount: 5)
            var waiting = WaitingCandidates(format: format, cells: [cells])
            var candidates = [candidate(block: 2, dominance: 0.6)]
            waiting.holdBack(&candidates, from: 0, 2)
            #expect(candidates.isEmpty)
            if restarts { cells.restart(block: 4) }
            for _ in 0..<SearchCells.waitCount + 1 {
                addBlocks(1, to: cells, &random)
                waiting.judge(into: &candidates)
            }
            #expect(candidates.count == (restarts ? 1 : 0), "restarts: \(restarts), seed 32")
            #expect(waiting.rejectedCount == (restarts ? 0 : 1), "restarts: \(restarts), seed 32")
        }
    }

    /// Candidates that wait for lost samples are forgotten.
    @Test func nothingIsLeftBehindAHole() {
        var random = SeededGenerator(seed: 33)
        let cells = cells(&random, blockCount: 5)
        var waiting = WaitingCandidates(format: format, cells: [cells])
        var candidates = [candidate(block: 2, dominance: 0.6)]
        waiting.holdBack(&candidates, from: 0, 2)
        waiting.removeAll()
        cells.restart(block: 4)
        waiting.judge(into: &candidates)
        #expect(candidates.isEmpty && waiting.rejectedCount == 0)
    }
}
