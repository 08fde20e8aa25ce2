import EarshotCoding
import EarshotDSP

/// Looks for the sync pattern at every time and frequency offset.
///
///     c[row][bin] = x / (1 + x/C),   x = E[row][bin]/floor[bin],   C = 3
///     score[s][f] = Σᵢ c[s + 4·i][2·syncTone[i] + f],   i = 0 ..< 8
///
/// on a grid of a quarter symbol and half a tone spacing. Energies saturate at C, so that a few loud ones, the data of
/// another frame, do not look like a pattern; smoothly, so that a loud frame still has one best place.
///
/// Where a share 1 − h of a row's window was lost, what is missing counts as noise's mean, c + (1 − h)·c̄: a hole neither
/// helps nor hurts a pattern, and in a hole there is none. The floor is told: noise is known behind a hole as before.
///
/// Works through blocks of eight symbols; block b is scored when block b + 1 is there, and a pattern found 9 to 17 symbols
/// behind its start, which is before the shortest frame is over. Local maxima above the threshold are candidates. No
/// allocation after `init`.
struct SyncSearch: ~Copyable {
    /// Rows a symbol.
    static let rowsPerSymbol = 4
    /// The symbols after which the ring of rows is full, and begins again.
    static let ringSymbolCount = ringBlockCount * FrameLayout.syncToneCount
    /// Rows of one block: the length of the sync pattern.
    static let blockRowCount = rowsPerSymbol * FrameLayout.syncToneCount
    /// C: where energy over noise saturates. At 5 dB of tone energy over noise 3 misses 10 % of patterns at a false-alarm
    /// rate of 10⁻⁴ a place; no saturation 10.6 %, C = 8 8.9 %, C = 2 11.5 % (10⁵ trials).
    static let saturation: Float = 3
    /// c̄, the mean of c in noise: C − C²·e^C·E₁(C).
    static let meanOfNoise: Float = 0.64
    /// What a candidate's score must reach.
    static let threshold: Float = 9.6
    /// At most so many candidates a block: bounds the work that hostile input can ask for.
    static let largestCandidateCount = 12

    private static let ringBlockCount = 3
    /// A peak has to stand out among so many rows on either side.
    private static let peakReach = 4
    /// Rows of scores kept from the block before, so that peaks at a block's edge are judged with both their sides.
    private static let carriedRowCount = 2 * peakReach

    private let format: BasebandFormat
    private let syncTones: [Int]
    private let offsetCount: Int
    private let scoreStride: Int
    private var spectrum: ShortTimeSpectrum
    private var floor: NoiseFloor
    private var rows: [Float]
    private var rowsMade = 0
    /// h of each row of the block that is being made, see `BasebandHistory`.
    private var heldShares = [Float](repeating: 1, count: blockRowCount)
    private var hasLostRows = false
    private var scores: [Float]

    init(format: BasebandFormat) {
        self.format = format
        syncTones = format.profile.syncTones
        let largestOffset = format.largestOffsetHalfSpacings
        offsetCount = 2 * largestOffset + 1
        scoreStride = (offsetCount + 7) / 8 * 8
        let hop = format.samplesPerSymbol / SyncSearch.rowsPerSymbol
        spectrum = ShortTimeSpectrum(
            windowLength: format.samplesPerSymbol, hop: hop,
            rowCount: max(1, Receiver.quantum / hop), highestBin: format.profile.toneCount - 1 + largestOffset)
        floor = NoiseFloor(binCount: 2 * spectrum.highestBin + 1)
        // Scores read a few columns beyond the last bin of the last row.
        rows = [Float](
            repeating: 0,
            count: SyncSearch.ringBlockCount * SyncSearch.blockRowCount * spectrum.rowStride + scoreStride)
        scores = [Float](
            repeating: 0, count: (SyncSearch.carriedRowCount + SyncSearch.blockRowCount) * scoreStride)
    }

    /// 1/noise power in each half-spacing bin, as of the latest block; bin of tone m at offset f (half spacings):
    /// 2m + f + largest offset.
    var inverseFloor: [Float] { floor.inverseFloor }

    /// Takes in what is new in the history, and appends the candidates it completes.
    mutating func process(_ history: borrowing BasebandHistory, into candidates: inout [Candidate]) {
        while true {
            let first = rowsMade * spectrum.hop
            guard history.endIndex >= first + spectrum.inputCount else { return }
            makeRows(history, from: first)
            if rowsMade % SyncSearch.blockRowCount == 0 {
                finishBlock(rowsMade / SyncSearch.blockRowCount - 1, into: &candidates)
            }
        }
    }

    private mutating func makeRows(_ history: borrowing BasebandHistory, from first: Int) {
        let ringRow = rowsMade % (SyncSearch.ringBlockCount * SyncSearch.blockRowCount)
        let stride = spectrum.rowStride
        let count = spectrum.rowCount
        if first < history.lostEndIndex {
            noteLost(history, from: first)
        }
        if hasLostRows && history.heldShare(from: first, count: spectrum.inputCount) == 0 {
            for index in ringRow * stride..<(ringRow + count) * stride {
                rows[index] = 0
            }
        } else {
            history.withSamples(from: first, count: spectrum.inputCount) { samples in
                spectrum.process(samples, into: &rows, from: ringRow * stride)
            }
        }
        rowsMade += count
    }

    /// Notes what is held of the windows of the rows that are about to be made.
    private mutating func noteLost(_ history: borrowing BasebandHistory, from first: Int) {
        for row in 0..<spectrum.rowCount {
            let share = history.heldShare(from: first + row * spectrum.hop, count: spectrum.windowLength)
            heldShares[(rowsMade + row) % SyncSearch.blockRowCount] = share
            hasLostRows = hasLostRows || share < 1
        }
    }

    /// Moves the indices back with the history's. All rows are lost, and `sampleCount` is a multiple of the ring's length.
    mutating func rewind(_ sampleCount: Int) {
        rowsMade -= sampleCount / spectrum.hop
    }

    /// Makes the rows again whose baseband from `index` on was cleaned, whole blocks of them, and learns the noise from them.
    /// Patterns found in them are found again.
    mutating func relearn(from index: Int) {
        let blockLength = SyncSearch.blockRowCount * spectrum.hop
        // The ring holds what came before the block that was finished last.
        let block = max((index + blockLength / 4) / blockLength, rowsMade / SyncSearch.blockRowCount - 1)
        rowsMade = min(rowsMade, block * SyncSearch.blockRowCount)
        for row in heldShares.indices {
            heldShares[row] = 1
        }
        hasLostRows = false
        floor.forget()
        for place in scores.indices {
            scores[place] = 0
        }
    }

    private mutating func finishBlock(_ block: Int, into candidates: inout [Candidate]) {
        let blockSize = SyncSearch.blockRowCount * spectrum.rowStride
        let base = block % SyncSearch.ringBlockCount * blockSize
        floor.update(
            rows, from: base, rowCount: SyncSearch.blockRowCount, rowStride: spectrum.rowStride,
            heldShares: heldShares)
        normalise(from: base, floor.inverseFloor)
        if hasLostRows {
            fillLost(from: base)
        }
        if block > 0 {
            score(block - 1)
            pickPeaks(block - 1, into: &candidates)
        }
    }

    private mutating func normalise(from base: Int, _ inverseFloor: [Float]) {
        let stride = spectrum.rowStride
        // x / (1 + x/C) = C − C² / (C + x).
        let c = SyncSearch.saturation
        var all = rows.mutableSpan
        let inverse = inverseFloor.span
        for row in 0..<SyncSearch.blockRowCount {
            var energies = all._mutatingExtracting(base + row * stride..<base + row * stride + inverse.count)
            for bin in inverse.indices {
                energies[bin] = c - c * c / (c + energies[bin] * inverse[bin])
            }
        }
    }

    /// Adds noise's mean for what was lost, to the block's cells.
    private mutating func fillLost(from base: Int) {
        let stride = spectrum.rowStride
        for row in 0..<SyncSearch.blockRowCount where heldShares[row] < 1 {
            for cell in base + row * stride..<base + (row + 1) * stride {
                rows[cell] += (1 - heldShares[row]) * SyncSearch.meanOfNoise
            }
            heldShares[row] = 1
        }
        hasLostRows = false
    }

    private mutating func score(_ block: Int) {
        for index in 0..<SyncSearch.carriedRowCount * scoreStride {
            scores[index] = scores[SyncSearch.blockRowCount * scoreStride + index]
        }
        let stride = spectrum.rowStride
        let ringRowCount = SyncSearch.ringBlockCount * SyncSearch.blockRowCount
        for row in 0..<SyncSearch.blockRowCount {
            let sums = (SyncSearch.carriedRowCount + row) * scoreStride
            for offset in 0..<scoreStride {
                scores[sums + offset] = 0
            }
            for symbol in 0..<FrameLayout.syncToneCount {
                let patternRow = block * SyncSearch.blockRowCount + row + SyncSearch.rowsPerSymbol * symbol
                let first = patternRow % ringRowCount * stride + 2 * syncTones[symbol]
                addCells(rows, from: first, into: &scores, from: sums, count: scoreStride)
            }
        }
    }

    private mutating func pickPeaks(_ block: Int, into candidates: inout [Candidate]) {
        let already = candidates.count
        let reach = SyncSearch.peakReach
        let firstRow = block * SyncSearch.blockRowCount - SyncSearch.carriedRowCount
        for row in reach..<SyncSearch.carriedRowCount + SyncSearch.blockRowCount - reach {
            for offset in 0..<offsetCount {
                let score = scores[row * scoreStride + offset]
                guard score >= SyncSearch.threshold, isPeak(row: row, offset: offset) else { continue }
                let candidate = Candidate(
                    start: Double((firstRow + row) * spectrum.hop),
                    offsetHertz: Float(offset - offsetCount / 2) * Float(format.profile.toneSpacingHertz / 2),
                    score: score)
                if candidates.count - already < SyncSearch.largestCandidateCount {
                    candidates.append(candidate)
                    continue
                }
                var weakest = already
                for index in already..<candidates.count where candidates[index].score < candidates[weakest].score {
                    weakest = index
                }
                if candidates[weakest].score < score {
                    candidates[weakest] = candidate
                }
            }
        }
    }

    /// Whether no cell within a symbol and one and a half tone spacings scores more. Of equals the first one wins.
    private func isPeak(row: Int, offset: Int) -> Bool {
        let score = scores[row * scoreStride + offset]
        for otherRow in row - SyncSearch.peakReach...row + SyncSearch.peakReach {
            for otherOffset in max(0, offset - 3)...min(offsetCount - 1, offset + 3) {
                let other = scores[otherRow * scoreStride + otherOffset]
                if other > score || (other == score && (otherRow, otherOffset) < (row, offset)) {
                    return false
                }
            }
        }
        return true
    }
}

/// sums[b + i] += cells[a + i] for i in 0 ..< count, a multiple of eight: the inner loop of the sync search.
@inline(__always)
private func addCells(_ cells: [Float], from a: Int, into sums: inout [Float], from b: Int, count: Int) {
    let terms = cells.span.extracting(a..<a + count)
    var all = sums.mutableSpan
    var totals = all._mutatingExtracting(b..<b + count)
    for index in terms.indices {
        totals[index] += terms[index]
    }
}
