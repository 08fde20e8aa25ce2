import TestSupport
import Testing

@testable import EarshotModem

/// The cells keep what candidates wait for, however many blocks go by.
@Suite(.optimized) struct SearchCellsTests {
    /// A cell is found again, by the row of its block, as long as candidates wait for it.
    @Test func rowsStayAsLongAsCandidatesWait() {
        let cells = SearchCells(binCount: 3)
        let keptBlockCount = SyncSearch.patternBlockCount + SearchCells.waitCount
        for block in 0..<40 {
            cells.beginBlock()
            cells.fillBlock(Float(block))
            cells.add(0.5, row: 7)
            cells.setHeldShares([Float](repeating: 1, count: SyncSearch.blockRowCount))
            cells.endBlock(isSettled: block >= 10)
            for bin in 0..<3 where block >= keptBlockCount {
                for before in 0...keptBlockCount {
                    let row = cells.latestRow - before * SyncSearch.blockRowCount
                    let first = bin * SearchCells.stride + row
                    #expect(cells.values[first] == Float(block - before), "block \(block), bin \(bin)")
                    #expect(cells.values[first + 7] == Float(block - before) + 0.5, "block \(block), bin \(bin)")
                    #expect(cells.heldShares[row] == 1, "block \(block)")
                }
            }
            #expect(cells.blockCount == block + 1 && cells.settledBlock == min(block + 1, 10))
            #expect(cells.scoredRow == cells.latestRow - 2 * SyncSearch.blockRowCount)
        }
        #expect(!cells.hasRestarted)
        cells.restart(block: 12)
        #expect(cells.hasRestarted && cells.blockCount == 12 && cells.settledBlock == 12)
        cells.rewind(blockCount: 2)
        #expect(cells.blockCount == 10 && cells.settledBlock == 10)
    }

    /// A block of which nothing was held counts for nothing.
    @Test func aLostBlockIsNotHeld() {
        let cells = SearchCells(binCount: 1)
        cells.beginBlock()
        cells.setHeldShares([Float](repeating: 1, count: SyncSearch.blockRowCount))
        cells.endBlock(isSettled: true)
        cells.beginBlock()
        cells.fillBlock(0.64)
        cells.endBlock(isSettled: true)
        #expect(
            cells.heldShares[cells.latestRow - SyncSearch.blockRowCount] == 1 && cells.heldShares[cells.latestRow] == 0)
    }

    /// The floor rises by 20 bits after digital silence: a row that was 10 bits louder than silence is then 10 bits below it, and a lost
    /// block counts as at the floor of its time.
    @Test func aRowsLevelIsComparedWithTheFloorOfNow() {
        let format = BasebandFormat(profile: .standard)
        let cells = SearchCells(binCount: 1)
        var loud = [Float](repeating: 0, count: SyncSearch.blockRowCount)
        loud[4] = 10
        for (floor, deviations) in [(-40, loud), (-20, nil)] as [(Float, [Float]?)] {
            cells.beginBlock()
            cells.setLevels(floor: floor, deviations: deviations)
            cells.endBlock(isSettled: true)
        }
        let candidate = Candidate(start: 0, offsetHertz: 0, score: 0)
        let perBlock = SyncSearch.blockRowCount / SyncSearch.rowsPerSymbol
        #expect(cells.inverseLevel(of: candidate, symbol: 0, format) == 1 << 20)
        #expect(cells.inverseLevel(of: candidate, symbol: 4 / SyncSearch.rowsPerSymbol, format) == 1 << 10)
        #expect(cells.inverseLevel(of: candidate, symbol: perBlock, format) == 1)
        cells.beginBlock()
        cells.fillBlock(0)
        cells.endBlock(isSettled: true)
        #expect(cells.inverseLevel(of: candidate, symbol: 2 * perBlock, format) == 1)
    }
}
