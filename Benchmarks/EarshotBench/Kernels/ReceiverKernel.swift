import EarshotChannel
import EarshotCoding
import EarshotDSP
import EarshotModem

/// The sync search is internal. Its narrowest public entry is a receiver for one profile in noise, which does little
/// more than convert and search. The result is the number of its candidates.
let receiverKernels = [
    KernelMeasurement(name: "receiver up to its candidates, `standard`") { measureSearch() }
]

private func measureSearch() -> KernelResult {
    var noise = WhiteNoise(seed: 12)
    let samples = (0..<20 * 48_000).map { _ in 0.01 * noise.next() }
    guard var receiver = try? Receiver(sampleRateHertz: 48_000, profiles: [.standard]) else {
        preconditionFailure("48 kHz carries the band")
    }
    // Later runs hear the same sound again after that of earlier ones; the twin always begins at the start.
    var candidateCount: Int?
    var naiveCount = 0
    // The receiver's logarithm has an error of half a per cent, so scores close to the threshold may fall on either side.
    return compare(
        unit: "input sample", unitCount: samples.count, minimumRatio: 4.6, tolerance: 0.1,
        kernel: {
            for first in stride(from: 0, to: samples.count, by: 1_024) {
                let end = min(first + 1_024, samples.count)
                receiver.push(samples.span.extracting(first..<end)) { _ in }
            }
            candidateCount = candidateCount ?? receiver.statistics.candidates
        },
        twin: { naiveCount = naiveCandidateCount(samples, .standard) },
        difference: {
            naiveCount > 10
                ? Double(abs((candidateCount ?? 0) - naiveCount)) / Double(naiveCount) : .infinity
        })
}

/// Downconverter, spectrogram, noise floor, the sums over the sync pattern's cells, and their peaks: see `SyncSearch`.
private func naiveCandidateCount(_ samples: [Float], _ profile: Profile) -> Int {
    let baseband = NaiveDownconverter(inputRateHertz: 48_000, outputRateHertz: 3_000, centreHertz: 19_250)
        .convert(samples)
    let window = 2 * profile.toneCount
    let hop = window / 4
    let maximumOffset = Int((2 * profile.maximumOffset * 19_250 / profile.toneSpacingHertz).rounded(.up))
    // Beyond 0.5 % a pattern needs a higher score.
    let usualOffset = Int((2 * 0.005 * 19_250 / profile.toneSpacingHertz).rounded(.up))
    let highestBin = profile.toneCount - 1 + maximumOffset
    let (binCount, offsetCount) = (2 * highestBin + 1, 2 * maximumOffset + 1)
    let blockRowCount = 32
    let blockCount = ((baseband.count - window) / hop + 1) / blockRowCount
    let rowCount = blockCount * blockRowCount
    var cells = naiveSpectrum(baseband, window: window, hop: hop, rowCount: rowCount, highestBin: highestBin)
    var floor = NaiveNoiseFloor(binCount: binCount)
    for block in 0..<blockCount {
        let first = block * blockRowCount * binCount
        // Every other row.
        floor.update(cells, from: first, rowCount: blockRowCount / 2, rowStride: 2 * binCount)
        for row in 0..<blockRowCount {
            for bin in 0..<binCount {
                let x = cells[first + row * binCount + bin] * floor.inverse[bin]
                cells[first + row * binCount + bin] = x / (1 + x / 3)
            }
        }
    }
    let scoredRowCount = rowCount - 2 * blockRowCount
    // The sums of the two groups of sync tones.
    var groups = [[Float]](repeating: [Float](repeating: 0, count: scoredRowCount * offsetCount), count: 2)
    for row in 0..<scoredRowCount {
        for offset in 0..<offsetCount {
            for (index, tone) in profile.syncTones.enumerated() {
                let symbol = FrameLayout.syncPlace(index)
                groups[index / FrameLayout.syncGroupToneCount][row * offsetCount + offset] +=
                    cells[(row + 4 * symbol) * binCount + 2 * tone + offset]
            }
        }
    }
    let scores = zip(groups[0], groups[1]).map(+)
    // The second group half a spacing lower or higher, for which `standard` also searches.
    var drifting = scores
    for place in scores.indices {
        let offset = place % offsetCount
        if offset + 1 < offsetCount {
            let (up, down) = (groups[0][place] + groups[1][place + 1], groups[0][place + 1] + groups[1][place])
            drifting[place] = max(scores[place], up - 1, down - 1)
        }
    }
    let peakCount = naivePeakCount(scores, scoredRowCount, offsetCount, usualOffset) { _ in true }
    return peakCount
        + naivePeakCount(drifting, scoredRowCount, offsetCount, usualOffset) { drifting[$0] > scores[$0] }
}

private func naivePeakCount(
    _ scores: [Float], _ rowCount: Int, _ offsetCount: Int, _ usualOffset: Int, where counts: (Int) -> Bool
) -> Int {
    (0..<(rowCount - 4) * offsetCount).count { place in
        let (row, offset) = (place / offsetCount, place % offsetCount)
        let score = scores[place]
        guard counts(place), score >= (abs(offset - offsetCount / 2) > usualOffset ? 9.8 : 9) else { return false }
        return (max(0, row - 4)...row + 4).allSatisfy { otherRow in
            (max(0, offset - 3)...min(offsetCount - 1, offset + 3)).allSatisfy { otherOffset in
                let other = scores[otherRow * offsetCount + otherOffset]
                return other < score || (other == score && (otherRow, otherOffset) >= (row, offset))
            }
        }
    }
}
