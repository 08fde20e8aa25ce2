import CEarshotKernels
import EarshotCoding
import EarshotDSP

/// Λ of `FrameLikelihood` for the first symbols of a frame, on the search's own grid: whether a candidate is worth a closer
/// look.
///
///     Λ = Σ_sync ln φ(x[k][syncTone]) + Σ_data ln (1/M·Σₘ φ(x[k][m])),   x = c/(1 − c/C)
///
/// of the cells c of `SyncSearch`, at the candidate's place and its four neighbours on the grid: of the three whose sync
/// symbols are likeliest the largest Λ counts. In a frame with a length header the header's tones count like data.
///
/// The cells are divided by the noise of single bins. Where that is not settled, Λ says too little: asked in the first second
/// of the sound, it lost 7 % of `far`'s frames at the SNR at which 90 % are decoded.
///
/// Cost: M table look-ups a symbol and place; 0.3 µs a candidate with AVX-512. No allocation after `init`.
struct GridLikelihood {
    /// The minimum of Λ.
    static let minimumLogRatio: Float = -5
    /// The most symbols that count.
    static let maximumSymbolCount = 32
    /// The number of places, of five, for which all symbols are looked at.
    private static let triedCount = 3
    /// From a candidate to the places that are asked, in rows and half spacings.
    private static let steps = [(0, 0), (-1, 0), (1, 0), (0, -1), (0, 1)]
    private static let symbolsAtOnce = Int(EARSHOT_GRID_SYMBOL_COUNT)
    private static let cellsPerUnit = Float(EARSHOT_GRID_TABLE_COUNT) / SyncSearch.saturation

    private let profile: Profile
    private let form: KernelForm
    /// The distance from one bin's cells to the next one's.
    private let binStride: Int
    /// φ by c.
    private let table: [Float]
    private var sums = [Float](repeating: 0, count: symbolsAtOnce)

    init(profile: Profile, binStride: Int, form: KernelForm = .best) {
        self.profile = profile
        self.form = form
        self.binStride = binStride
        let likelihood = FrameLikelihood()
        table = (0..<Int(EARSHOT_GRID_TABLE_COUNT)).map { index in
            let c = (Float(index) + 0.5) / GridLikelihood.cellsPerUnit
            return likelihood.ratio(c / (1 - c / SyncSearch.saturation))
        }
    }

    /// How many cells behind those of its symbols `isLikely` may read.
    static let overreach = symbolsAtOnce * SyncSearch.rowsPerSymbol

    /// Whether Λ at a place or beside it has the minimum.
    /// - Parameters:
    ///   - cells: c; shape [binCount][binStride], and `overreach` more.
    ///   - shares: h of each row; shape [binStride]. Symbols of which a part was lost do not count.
    ///   - row: the place's row, with another one before and behind all symbols.
    ///   - offset: the place's offset, in half spacings above the lowest.
    ///   - offsetCount: the number of offsets.
    ///   - symbolCount: the number of symbols to look at, `FrameLayout.syncToneCount` ... `maximumSymbolCount`.
    mutating func isLikely(
        _ cells: [Float], shares: [Float], row: Int, offset: Int, offsetCount: Int, symbolCount: Int
    ) -> Bool {
        var firsts = InlineArray<5, Int>(repeating: 0)
        var syncRatios = InlineArray<5, Float>(repeating: -.infinity)
        for (index, (rowStep, offsetStep)) in GridLikelihood.steps.enumerated()
        where (0..<offsetCount).contains(offset + offsetStep) {
            firsts[index] = (offset + offsetStep) * binStride + row + rowStep
            syncRatios[index] = syncLogRatio(cells, shares: shares, from: firsts[index])
        }
        for _ in 0..<GridLikelihood.triedCount {
            var best = 0
            for index in syncRatios.indices where syncRatios[index] > syncRatios[best] {
                best = index
            }
            let ratio =
                syncRatios[best]
                + dataLogRatio(cells, shares: shares, from: firsts[best], symbolCount: symbolCount)
            if ratio >= GridLikelihood.minimumLogRatio { return true }
            syncRatios[best] = -.infinity
        }
        return false
    }

    /// Λ of the sync symbols at the place whose first cell is `first`.
    func syncLogRatio(_ cells: [Float], shares: [Float], from first: Int) -> Float {
        let row = first % binStride
        var bits: Float = 0
        for (symbol, tone) in profile.syncTones.enumerated()
        where shares[row + SyncSearch.rowsPerSymbol * symbol] == 1 {
            let cell = cells[first + 2 * tone * binStride + SyncSearch.rowsPerSymbol * symbol]
            bits += fastLog2(table[min(Int(max(cell, 0) * GridLikelihood.cellsPerUnit), table.count - 1)])
        }
        return 0.693_147_2 * bits
    }

    /// Λ of the symbols behind them.
    mutating func dataLogRatio(_ cells: [Float], shares: [Float], from first: Int, symbolCount: Int) -> Float {
        let syncCount = FrameLayout.syncToneCount
        let tonesEnd = first + 2 * (profile.toneCount - 1) * binStride + SyncSearch.rowsPerSymbol * syncCount
        precondition(
            first >= 0 && (syncCount...GridLikelihood.maximumSymbolCount).contains(symbolCount),
            "\(symbolCount) symbols from \(first) on")
        var bits: Float = 0
        for start in stride(from: 0, to: symbolCount - syncCount, by: GridLikelihood.symbolsAtOnce) {
            let rows = SyncSearch.rowsPerSymbol * start
            precondition(tonesEnd + rows + GridLikelihood.overreach <= cells.count, "\(cells.count) cells")
            cells.withUnsafeBufferPointer { cells in
                earshot_grid_ratios(
                    form.number, cells.baseAddress! + first + SyncSearch.rowsPerSymbol * syncCount + rows,
                    2 * binStride, profile.toneCount, table, GridLikelihood.cellsPerUnit, &sums)
            }
            let row = first % binStride + SyncSearch.rowsPerSymbol * syncCount + rows
            for symbol in 0..<min(symbolCount - syncCount - start, GridLikelihood.symbolsAtOnce)
            where shares[row + SyncSearch.rowsPerSymbol * symbol] == 1 {
                bits += fastLog2(sums[symbol] / Float(profile.toneCount))
            }
        }
        return 0.693_147_2 * bits
    }
}
