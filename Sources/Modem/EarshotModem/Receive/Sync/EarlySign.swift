import CEarshotKernels
import EarshotCoding
import EarshotDSP

/// Detects early that a frame seems to be on the air, for senders that must decide before the whole sync pattern has
/// arrived.
///
///     G[s][f] = Σᵢ c[s + 4·i][2·syncTone[i] + f],   i = 0 ..< 4: the first group
///
/// on the cells of `SyncSearch`. A frame is detected 9 to 17 symbols after its start, if the greatest G of a block is
/// high enough and its tones are about the loudest of their symbols.
///
/// One place of noise in 4·10⁶ reaches a G of 7.5 (2·10⁷ places), and a profile has 7,000 places a second. Of first
/// groups at −3 dB 87 % reach it in `fast`, and all in the other profiles. Cost: that of the search's scores. No
/// allocation after `init`.
struct EarlySign: ~Copyable {
    /// The minimum of G.
    private static let minimumScore: Float = 7.5
    /// The minimum of the group's dominance; see `SyncCheck`.
    private static let minimumDominance: Float = 0.9
    /// A sign is valid for this many symbols from the frame's start. By then the search has found the pattern.
    private static let heldSymbolCount = 32

    private let format: BasebandFormat
    private let form: KernelForm
    /// The distance of each tone's cells from a group's first cell, twice, because the kernel adds eight.
    private let firsts: [Int]
    /// 2·G of a block; shape [offsetCount][blockRowCount].
    private var sums: [Float]
    private var maxima = [Float](repeating: 0, count: SyncSearch.blockRowCount)
    /// The history's end index from which the latest sign is no longer valid.
    private(set) var endIndex = Int.min

    init(format: BasebandFormat, form: KernelForm = .best) {
        self.format = format
        self.form = form
        let group = (0..<FrameLayout.syncGroupToneCount).map { index in
            2 * format.profile.syncTones[index] * SearchCells.stride
                + SyncSearch.rowsPerSymbol * FrameLayout.syncPlace(index)
        }
        firsts = group + group
        let offsetCount = 2 * format.maximumOffsetHalfSpacings + 1
        sums = [Float](repeating: 0, count: offsetCount * SyncSearch.blockRowCount)
    }

    /// Looks for groups that begin in the block before the latest one.
    mutating func look(_ cells: SearchCells) {
        let (block, firstRow) = (cells.blockCount - 2, cells.latestRow - SyncSearch.blockRowCount)
        guard block >= 0 else { return }
        let (offsetCount, rowCount) = (2 * format.maximumOffsetHalfSpacings + 1, SyncSearch.blockRowCount)
        cells.values.withUnsafeBufferPointer { cells in
            earshot_block_patterns(
                form.number, cells.baseAddress! + firstRow, firsts, SearchCells.stride, offsetCount, &sums, rowCount,
                &maxima)
        }
        var best = 0
        for row in 1..<rowCount where maxima[row] > maxima[best] { best = row }
        guard maxima[best] >= 2 * EarlySign.minimumScore else { return }
        for offset in 0..<offsetCount where sums[offset * rowCount + best] == maxima[best] {
            guard
                dominance(cells, first: offset * SearchCells.stride + firstRow + best) >= EarlySign.minimumDominance
            else { continue }
            let hop = format.samplesPerSymbol / SyncSearch.rowsPerSymbol
            endIndex =
                (block * rowCount + best) * hop + EarlySign.heldSymbolCount * format.samplesPerSymbol
        }
    }

    /// Moves the indices back with those of the history.
    mutating func rewind(blockCount: Int) {
        guard endIndex != .min else { return }
        endIndex -= blockCount * SyncSearch.blockSymbolCount * format.samplesPerSymbol
    }

    /// The sum of ln(1 + x) over the group's tones, divided by the sum over the loudest tones of their symbols.
    private func dominance(_ cells: SearchCells, first: Int) -> Float {
        var (own, loudest) = (Float(0), Float(0))
        for index in 0..<FrameLayout.syncGroupToneCount {
            own += likelihood(cells.values[first + firsts[index]])
            let row = first + SyncSearch.rowsPerSymbol * FrameLayout.syncPlace(index)
            var highest: Float = 0
            for tone in 0..<format.profile.toneCount {
                highest = max(highest, cells.values[row + 2 * tone * SearchCells.stride])
            }
            loudest += likelihood(highest)
        }
        return own / loudest
    }

    /// ln(1 + x) of a cell.
    private func likelihood(_ cell: Float) -> Float {
        let c = min(max(cell, 0), 0.999 * SyncSearch.saturation)
        return fastLog(1 + c / (1 - c / SyncSearch.saturation)) + .leastNormalMagnitude
    }
}
