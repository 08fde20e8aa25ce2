import CEarshotKernels
import EarshotCoding
import EarshotDSP
import RealModule

/// Λ of `FrameLikelihood` for the first symbols of a frame, on the search's own grid: whether a candidate is worth
/// refining.
///
///     Λ = Σ_sync ln φ(x[k][syncTone]) + Σ_data ln (1/M·Σₘ φ(x[k][m])),   x = c/(1 − c/C)
///
/// of the cells c of `SyncSearch`, at the candidate's place and its four neighbours on the grid: of the three with the
/// likeliest sync symbols, the largest Λ counts. In a frame with a length header the header's tones count like data.
///
/// With several channels φ is the product of theirs, each at its share of ρ, r_a/(Σ r)^0.66, in steps of an eighth; the mean of
/// the product in noise is 1 as well, if the channels' noise is independent.
///
/// The cells are divided by the noise of single bins. Before that has settled, Λ is unreliable: used in the first
/// second of the sound, it lost 7 % of `far`'s frames at the SNR at which 90 % are decoded.
///
/// Cost: M table look-ups a symbol, place and channel; 0.3 µs a candidate with AVX-512. No allocation after `init`.
struct GridLikelihood {
    /// The minimum of Λ for one channel, and for several. Of tokens at the SNR at which 86 % are decoded −5 loses 0.3 %, 0 loses 3
    /// %; with two channels −2.5 loses 1 %, −5 0.4 %, but −5 takes 14 % more time in noise (`fast`, `standard`, `far` together,
    /// 1,900 and 1,250 tokens).
    private static let minimumLogRatios: (alone: Float, several: Float) = (-5, -2.5)
    /// The increase of the minimum Λ for a drifting pattern; see `FrameDetection.driftLogRatio`.
    private static let driftLogRatio: Float = 5
    /// The maximum number of symbols that count.
    static let maximumSymbolCount = 32
    /// The number of the five places for which all symbols are used.
    private static let triedCount = 3
    /// The examined places relative to a candidate, in rows and half spacings.
    private static let steps = [(0, 0), (-1, 0), (1, 0), (0, -1), (0, 1)]
    private static let symbolsAtOnce = Int(EARSHOT_GRID_SYMBOL_COUNT)
    private static let tableCount = Int(EARSHOT_GRID_TABLE_COUNT)
    private static let cellsPerUnit = Float(EARSHOT_GRID_TABLE_COUNT) / SyncSearch.saturation
    /// Two channels that hear a frame equally well gain 2 dB and four 4, so at the limit of decoding each has ρ/2^0.66
    /// or ρ/4^0.66.
    private static let gainExponent: Float = 0.66
    /// The steps of a share.
    private static let shareSteps = 8
    /// The number of cells after those of its symbols that `isLikely` may read.
    static let overreach = symbolsAtOnce * SyncSearch.rowsPerSymbol

    private let profile: Profile
    private let form: KernelForm
    private let minimumLogRatio: Float
    /// φ by c, for each share: the last one is for a single channel.
    private let tables: [[Float]]
    private var sums = [Float](repeating: 0, count: symbolsAtOnce)
    /// The products over channels of φ; shape [M][symbolsAtOnce]. Empty for one channel.
    private var products: [Float]
    /// Each channel's table; nil for an ignored channel.
    private var levels = InlineArray<8, Int?>(repeating: nil)

    init(profile: Profile, channelCount: Int = 1, form: KernelForm = .best) {
        self.profile = profile
        self.form = form
        minimumLogRatio =
            channelCount > 1 ? GridLikelihood.minimumLogRatios.several : GridLikelihood.minimumLogRatios.alone
        tables = channelCount > 1 ? GridLikelihood.sharedTables : GridLikelihood.aloneTables
        let productCount = channelCount > 1 ? profile.toneCount * GridLikelihood.symbolsAtOnce : 0
        products = [Float](repeating: 1, count: productCount)
    }

    /// The tables for several channels, and for one, which uses only the last; the same for all profiles.
    private static let sharedTables = (1...shareSteps).map { table(share: Double($0) / Double(shareSteps)) }
    private static let aloneTables = [[Float]](repeating: [], count: shareSteps - 1) + [table(share: 1)]

    private static func table(share: Double) -> [Float] {
        let likelihood = FrameLikelihood(designRatio: share * FrameLikelihood.designRatio)
        return (0..<tableCount).map { index in
            let c = (Float(index) + 0.5) / cellsPerUnit
            return likelihood.ratio(c / (1 - c / SyncSearch.saturation))
        }
    }

    /// Whether Λ at a place or beside it reaches the minimum.
    /// - Parameters:
    ///   - cells: the cells of each channel.
    ///   - shares: the share of each channel.
    ///   - row: the place's row, with another row before and after all symbols.
    ///   - offset: the offset of the place's first group of sync tones, in half spacings above the lowest.
    ///   - drift: the difference between the offsets of its second and first group, in half spacings.
    ///   - offsetCount: the number of offsets.
    ///   - symbolCount: the number of symbols to use, `FrameLayout.syncSpanToneCount` ... `maximumSymbolCount`.
    mutating func isLikely(
        _ cells: [SearchCells], _ shares: ChannelShares, row: Int, offset: Int, drift: Int = 0, offsetCount: Int,
        symbolCount: Int
    ) -> Bool {
        prepare(shares)
        let minimumLogRatio = minimumLogRatio + (drift == 0 ? 0 : GridLikelihood.driftLogRatio)
        var firsts = InlineArray<5, Int>(repeating: 0)
        var syncRatios = InlineArray<5, Float>(repeating: -.infinity)
        for (index, (rowStep, offsetStep)) in GridLikelihood.steps.enumerated()
        where (max(0, -drift)..<min(offsetCount, offsetCount - drift)).contains(offset + offsetStep) {
            firsts[index] = (offset + offsetStep) * SearchCells.stride + row + rowStep
            syncRatios[index] = syncLogRatio(cells, from: firsts[index], drift: drift)
        }
        for _ in 0..<GridLikelihood.triedCount {
            var best = 0
            for index in syncRatios.indices where syncRatios[index] > syncRatios[best] {
                best = index
            }
            // Most of the data tones come after the second group.
            let first = firsts[best] + drift * SearchCells.stride
            let ratio = syncRatios[best] + dataLogRatio(cells, from: first, symbolCount: symbolCount)
            if ratio >= minimumLogRatio { return true }
            syncRatios[best] = -.infinity
        }
        return false
    }

    /// Chooses the tables for these shares.
    mutating func prepare(_ shares: ChannelShares) {
        let sum = Float.pow(shares.values.sum(), GridLikelihood.gainExponent)
        for channel in levels.indices {
            let share = Int((shares.values[channel] / sum * Float(GridLikelihood.shareSteps)).rounded())
            levels[channel] = share > 0 ? share - 1 : nil
        }
        if levels.indices.allSatisfy({ levels[$0] == nil }) {
            levels[shares.best] = 0
        }
    }

    /// Λ of the sync symbols at the place whose first cell is `first`, for the latest shares of `prepare`.
    func syncLogRatio(_ cells: [SearchCells], from first: Int, drift: Int = 0) -> Float {
        let held = heldSymbols(cells, row: first % SearchCells.stride, count: FrameLayout.syncSpanToneCount)
        var bits: Float = 0
        for channel in cells.indices {
            guard let level = levels[channel] else { continue }
            let (table, values) = (tables[level], cells[channel].values)
            for (index, tone) in profile.syncTones.enumerated() {
                let symbol = FrameLayout.syncPlace(index)
                guard held & (1 << UInt32(symbol)) != 0 else { continue }
                let bin = 2 * tone + (index < FrameLayout.syncGroupToneCount ? 0 : drift)
                let cell = values[first + bin * SearchCells.stride + SyncSearch.rowsPerSymbol * symbol]
                bits += fastLog2(table[Int(min(max(cell, 0) * GridLikelihood.cellsPerUnit, Float(table.count - 1)))])
            }
        }
        return 0.693_147_2 * bits
    }

    /// Λ of the other symbols: those between the two groups of sync tones, and those after the second.
    mutating func dataLogRatio(_ cells: [SearchCells], from first: Int, symbolCount: Int) -> Float {
        precondition(
            first >= 0 && (FrameLayout.syncSpanToneCount...GridLikelihood.maximumSymbolCount).contains(symbolCount),
            "\(symbolCount) symbols from \(first) on")
        let held = heldSymbols(cells, row: first % SearchCells.stride, count: symbolCount)
        var bits: Float = 0
        for start in stride(from: FrameLayout.syncGroupToneCount, to: symbolCount, by: GridLikelihood.symbolsAtOnce) {
            sumRatios(cells, from: first + SyncSearch.rowsPerSymbol * start)
            for symbol in start..<min(symbolCount, start + GridLikelihood.symbolsAtOnce)
            where held & (1 << UInt32(symbol)) != 0 && FrameLayout.syncIndex(at: symbol) == nil {
                bits += fastLog2(sums[symbol - start] / Float(profile.toneCount))
            }
        }
        return 0.693_147_2 * bits
    }

    /// Sums φ over all tones, for `symbolsAtOnce` symbols.
    private mutating func sumRatios(_ cells: [SearchCells], from first: Int) {
        let tonesEnd = first + 2 * (profile.toneCount - 1) * SearchCells.stride + GridLikelihood.overreach
        for index in products.indices { products[index] = 1 }
        for channel in cells.indices {
            guard let level = levels[channel] else { continue }
            let (values, isOne) = (cells[channel].values, products.isEmpty)
            precondition(first >= 0 && tonesEnd <= values.count, "\(values.count) cells")
            values.withUnsafeBufferPointer { values in
                products.withUnsafeMutableBufferPointer { products in
                    earshot_grid_ratios(
                        form.number, values.baseAddress! + first, 2 * SearchCells.stride, profile.toneCount,
                        tables[level], GridLikelihood.cellsPerUnit, isOne ? nil : products.baseAddress, &sums)
                }
            }
        }
    }

    /// The symbols, from a row on, of which no part was lost in a used channel; bit k for symbol k.
    private func heldSymbols(_ cells: [SearchCells], row: Int, count: Int) -> UInt32 {
        var held: UInt32 = .max
        for channel in cells.indices where levels[channel] != nil {
            let shares = cells[channel].heldShares
            for symbol in 0..<count where shares[row + SyncSearch.rowsPerSymbol * symbol] < 1 {
                held &= ~(1 << UInt32(symbol))
            }
        }
        return held
    }
}
