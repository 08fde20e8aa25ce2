import EarshotBasics
import EarshotCoding
import TestSupport
import Testing

@testable import EarshotModem

/// Sums of scores a burst spacing apart, and their peaks, against sums written out.
@Suite(.optimized) struct RepeatSearchTests {
    private static let format = BasebandFormat(profile: .standard)
    private static let repeatCount = 3
    private static let blockCount = 30

    /// Gives a search the scores of all blocks, one after the other.
    /// - Parameter scores: shape [blockCount · blockRowCount][offsetCount].
    private func candidates(_ scores: [Float], _ grid: ScoreGrid) -> [Candidate] {
        var search = RepeatSearch(format: Self.format, repeatCount: Self.repeatCount, keptCount: 40_000)
        let blockSize = SyncSearch.blockRowCount * grid.offsetCount
        for block in 0..<Self.blockCount {
            search.take(filled(grid, with: Array(scores[block * blockSize..<(block + 1) * blockSize])), block: block)
            search.pickPeaks()
        }
        return search.candidates
    }

    /// A grid with the scores of one block; shape [blockRowCount][offsetCount].
    private func filled(_ grid: ScoreGrid, with scores: [Float]) -> ScoreGrid {
        var grid = grid
        for (place, score) in scores.enumerated() {
            let (row, offset) = place.quotientAndRemainder(dividingBy: grid.offsetCount)
            grid.scores[grid.index(row: ScoreGrid.carriedRowCount + row, offset: offset)] = score
        }
        return grid
    }

    /// The row of a repeat: 4 rows a tone and 56 tones of a spacing, shorter for a higher offset.
    private func row(_ first: Int, repeat index: Int, column: Int, _ grid: ScoreGrid) -> Int {
        let hertz = Double(column - grid.offsetCount / 2) * 23.4375
        return first + Int((Double(224 * index) / (1 + hertz / 19_250)).rounded())
    }

    /// Random scores like those of noise, with bursts at some places. Each candidate has the sum of its place, which no
    /// place within four rows and three columns exceeds, and no such place with a sum of 17 or more is missing.
    @Test(arguments: [UInt64(61), 62, 63]) func agreesWithASlowTwin(seed: UInt64) {
        let grid = ScoreGrid(offsetCount: 2 * Self.format.maximumOffsetHalfSpacings + 1)
        let rowCount = Self.blockCount * SyncSearch.blockRowCount
        var random = SeededGenerator(seed: seed)
        var scores = (0..<rowCount * grid.offsetCount).map { _ in Float.random(in: 4...6, using: &random) }
        for _ in 0..<12 {
            let column = Int.random(in: 0..<grid.offsetCount, using: &random)
            let first = Int.random(in: 10..<400, using: &random)
            for index in 0..<Self.repeatCount {
                scores[row(first, repeat: index, column: column, grid) * grid.offsetCount + column] += 5
            }
        }
        // A block's sums are complete when the last repeats of all offsets are, rounded up to blocks; the last four rows wait.
        let lag = (row(0, repeat: 2, column: 0, grid) + 31) / 32
        let judgedRows = 0..<(Self.blockCount - lag) * SyncSearch.blockRowCount - 4
        func sum(_ first: Int, _ column: Int) -> Float {
            (0..<Self.repeatCount).reduce(0) {
                $0 + scores[row(first, repeat: $1, column: column, grid) * grid.offsetCount + column]
            }
        }
        var expected: [Candidate] = []
        for first in judgedRows {
            for column in 0..<grid.offsetCount {
                let own = sum(first, column)
                guard own >= 24 * SyncSearch.meanOfNoise + 3.2 * 0.455 * Float(24).squareRoot() else { continue }
                let isPeak = (max(first - 4, 0)...first + 4).allSatisfy { row in
                    (max(column - 3, 0)...min(column + 3, grid.offsetCount - 1)).allSatisfy { sum(row, $0) <= own }
                }
                guard isPeak else { continue }
                expected.append(
                    Candidate(
                        start: Double(first * 16), offsetHertz: Float(column - grid.offsetCount / 2) * 23.4375,
                        score: own))
            }
        }
        let found = candidates(scores, grid)
        #expect(expected.count >= 6, "seed \(seed)")
        for candidate in expected {
            #expect(found.contains(candidate), "\(candidate), seed \(seed)")
        }
        #expect(found.count == expected.count, "\(found.count), not \(expected.count), seed \(seed)")
    }

    /// After its indices went back, a search continues as if they had always been low.
    @Test func rewindingMovesPlaces() {
        let grid = ScoreGrid(offsetCount: 2 * Self.format.maximumOffsetHalfSpacings + 1)
        let middle = grid.offsetCount / 2
        let quiet = [Float](repeating: 5, count: SyncSearch.blockRowCount * grid.offsetCount)
        var search = RepeatSearch(format: Self.format, repeatCount: Self.repeatCount, keptCount: 40_000)
        for block in 0..<100 { search.take(filled(grid, with: quiet), block: block) }
        search.rewind(blockCount: 90)
        for block in 10..<40 {
            var scores = quiet
            for index in 0..<Self.repeatCount where (640 + 224 * index) / 32 == block {
                scores[(640 + 224 * index) % 32 * grid.offsetCount + middle] = 8
            }
            search.take(filled(grid, with: scores), block: block)
            search.pickPeaks()
        }
        #expect(search.candidates == [Candidate(start: 640 * 16, offsetHertz: 0, score: 24)])
        search.removeCandidates()
        #expect(search.candidates.isEmpty)
    }
}
