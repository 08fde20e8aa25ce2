import EarshotCoding
import EarshotDSP
import RealModule

/// Measures the evidence for a decoded path: `FrameEvidence`. No allocation after `init`.
struct EvidenceMeter: ~Copyable {
    /// L of the decoded tones that were not lost.
    private var likelihoods = [Float](repeating: 0, count: FrameLayout.longest.dataToneCount)
    private var scratch = [Float](repeating: 0, count: FrameLayout.longest.dataToneCount)

    /// Measures the evidence for a path.
    /// - Parameters:
    ///   - tones: the data tones on the air of the decoded path; shape [layout.dataToneCount or more].
    ///   - energies: E of the frame; shape [layout.toneCount or more][M].
    ///   - metrics: prepared with these energies.
    ///   - layout: the frame's layout.
    ///   - profile: the frame's profile.
    mutating func measure(
        _ tones: [UInt8], _ energies: [Float], _ metrics: borrowing ToneMetrics,
        _ layout: FrameLayout, _ profile: Profile
    ) -> FrameEvidence {
        let toneCount = profile.toneCount
        var sum: Float = 0
        var energy: Float = 0
        var loudest: Float = 0
        var heldCount = 0
        for step in 0..<layout.dataToneCount {
            let symbol = layout.firstDataTone + step
            if metrics.erased.contains(symbol) { continue }
            let cell = symbol * toneCount + Int(tones[step])
            likelihoods[heldCount] = metrics.logLikelihood(cell)
            sum += likelihoods[heldCount]
            heldCount += 1
            energy += energies[cell]
            var highest: Float = 0
            for other in 0..<toneCount {
                highest = max(highest, metrics.logLikelihood(symbol * toneCount + other))
            }
            loudest += highest
        }
        var syncSum: Float = 0
        for (symbol, tone) in profile.syncTones.enumerated() {
            syncSum += metrics.logLikelihood(symbol * toneCount + tone)
        }
        let heldSyncCount = metrics.erased.heldCount(0..<FrameLayout.syncToneCount)
        let pathMetric = sum / Float(heldCount)
        return FrameEvidence(
            pathMetric: pathMetric, pathShare: sum / max(loudest, .leastNormalMagnitude),
            syncRatio: syncSum / Float(max(heldSyncCount, 1)) / max(pathMetric, .leastNormalMagnitude),
            unsteadiness: unsteadiness(heldCount), meanToneEnergy: energy / Float(heldCount))
    }

    /// See `FrameEvidence.unsteadiness`; of the first `count` likelihoods.
    private mutating func unsteadiness(_ count: Int) -> Float {
        for index in 0..<count {
            scratch[index] = likelihoods[index]
        }
        let limit = selectFromScratch(count * 9 / 10, of: count)
        var (sum, logSum, used) = (Float(0), Float(0), Float(0))
        for index in 0..<count where likelihoods[index] < limit {
            sum += .exp(likelihoods[index])
            logSum += likelihoods[index]
            used += 1
        }
        return used > 0 ? .log(sum / used) - logSum / used : 0
    }

    private mutating func selectFromScratch(_ rank: Int, of count: Int) -> Float {
        var all = scratch.mutableSpan
        var values = all._mutatingExtracting(0..<count)
        return select(rank, of: &values)
    }
}
