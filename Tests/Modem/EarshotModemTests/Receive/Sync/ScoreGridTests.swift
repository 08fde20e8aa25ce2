import EarshotBasics
import TestSupport
import Testing

@testable import EarshotModem

/// Peaks against their definition, and rows that move from block to block.
@Suite(.optimized) struct ScoreGridTests {
    /// A cell is a peak if no other within four rows and three offsets scores more; of equals the first wins.
    @Test func aPeakIsTheHighestOfItsNeighbourhood() {
        var random = SeededGenerator(seed: 56)
        for offsetCount in [5, 8, 17] {
            var grid = ScoreGrid(offsetCount: offsetCount)
            // Few values, so that equals are frequent.
            for index in grid.scores.indices { grid.scores[index] = Float(Int.random(in: 0...12, using: &random)) }
            for row in ScoreGrid.judgedRows {
                for offset in 0..<offsetCount {
                    let own = grid.scores[grid.index(row: row, offset: offset)]
                    var isPeak = true
                    for otherRow in row - 4...row + 4 {
                        for otherOffset in offset - 3...offset + 3
                        where (0..<offsetCount).contains(otherOffset) && (otherRow, otherOffset) != (row, offset) {
                            let other = grid.scores[grid.index(row: otherRow, offset: otherOffset)]
                            let isEarlier = otherRow < row || otherRow == row && otherOffset < offset
                            if other > own || other == own && isEarlier { isPeak = false }
                        }
                    }
                    #expect(grid.isPeak(row: row, offset: offset) == isPeak, "row \(row), offset \(offset), seed 56")
                }
            }
        }
    }

    /// Every row is judged once as blocks go by: the judged rows of neighbouring blocks touch.
    @Test func theLastRowsOfABlockAreTheFirstOfTheNext() {
        #expect(ScoreGrid.judgedRows.count == SyncSearch.blockRowCount)
        var grid = ScoreGrid(offsetCount: 9)
        for index in grid.scores.indices { grid.scores[index] = Float(index) }
        for row in grid.maxima.indices { grid.maxima[row] = Float(row) }
        let (scores, maxima) = (grid.scores, grid.maxima)
        grid.moveBlock()
        let first = SyncSearch.blockRowCount
        for offset in 0..<9 {
            for row in 0..<ScoreGrid.carriedRowCount {
                #expect(
                    grid.scores[grid.index(row: row, offset: offset)]
                        == scores[grid.index(row: row + first, offset: offset)])
            }
        }
        #expect(
            Array(grid.maxima[..<ScoreGrid.carriedRowCount])
                == Array(maxima[first...].prefix(ScoreGrid.carriedRowCount)))
        grid.clear()
        #expect(grid.scores.allSatisfy { $0 == 0 } && grid.maxima.allSatisfy { $0 == 0 })
    }

    /// Scores of two channels against the formula; the order does not matter, and a channel below noise's mean changes nothing
    /// above it.
    @Test func channelsAddUp() {
        var random = SeededGenerator(seed: 57)
        let mean: Float = 5
        func grid() -> ScoreGrid {
            var grid = ScoreGrid(offsetCount: 7)
            for index in grid.scores.indices { grid.scores[index] = Float.random(in: 0...15, using: &random) }
            return grid
        }
        let (first, second) = (grid(), grid())
        var (sum, turned, quiet) = (first, second, first)
        sum.add(second, mean: mean)
        turned.add(first, mean: mean)
        quiet.add(ScoreGrid(offsetCount: 7), mean: mean)
        for row in ScoreGrid.carriedRowCount..<ScoreGrid.rowCount {
            var highest: Float = 0
            for offset in 0..<7 {
                let cell = sum.index(row: row, offset: offset)
                let (a, b) = (max(first.scores[cell] - mean, 0), max(second.scores[cell] - mean, 0))
                let expected = mean + (a * a + b * b).squareRoot()
                #expect(abs(sum.scores[cell] - expected) < 1e-5, "seed 57")
                #expect(abs(turned.scores[cell] - sum.scores[cell]) < 1e-5, "seed 57")
                #expect(abs(quiet.scores[cell] - max(first.scores[cell], mean)) < 1e-5, "seed 57")
                highest = max(highest, sum.scores[cell])
            }
            #expect(sum.maxima[row] == highest, "seed 57")
        }
    }
}
