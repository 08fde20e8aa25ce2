import EarshotCoding
import TestSupport
import Testing

@testable import EarshotModem

/// The cells remain while candidates wait for them, however many blocks pass.
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

    /// A completely lost block does not count.
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

    /// A row's level is the floor at its time plus its own level over that floor, however often
    /// the rows move; a row at the floor has 0.
    @Test func rowsKeepTheirLevels() {
        let cells = SearchCells(binCount: 1)
        for block in 0..<40 {
            var deviations = [Float](repeating: 0, count: SyncSearch.blockRowCount)
            deviations[4] = 10
            cells.beginBlock()
            cells.setLevels(floor: -0.5 - Float(block), deviations: block % 2 == 0 ? deviations : nil)
            cells.endBlock(isSettled: true)
            guard block >= SyncSearch.patternBlockCount else { continue }
            let levels = cells.noiseLevels(from: cells.scoredRow)
            for index in levels.indices {
                let row = SyncSearch.rowsPerSymbol * FrameLayout.syncPlace(index)
                let source = block - SyncSearch.patternBlockCount + row / SyncSearch.blockRowCount
                let isLoud = source % 2 == 0 && row % SyncSearch.blockRowCount == 4
                #expect(levels[index] == (isLoud ? 9.5 - Float(source) : 0), "block \(block), sync tone \(index)")
            }
        }
    }
}
