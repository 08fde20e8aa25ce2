import EarshotCoding

/// Measures the evidence for a decoded path: `FrameEvidence`.
enum EvidenceMeter {
    /// Measures the evidence for a path.
    /// - Parameters:
    ///   - tones: the data tones on the air of the decoded path; shape [layout.dataToneCount or more].
    ///   - energies: E of the frame; shape [layout.toneCount or more][M].
    ///   - metrics: prepared with these energies.
    ///   - layout: the frame's layout.
    ///   - profile: the frame's profile.
    static func measure(
        _ tones: [UInt8], _ energies: [Float], _ metrics: borrowing ToneMetrics,
        _ layout: FrameLayout, _ profile: Profile
    ) -> FrameEvidence {
        let toneCount = profile.toneCount
        var sum: Float = 0
        var energy: Float = 0
        var loudest: Float = 0
        var heldCount = 0
        for step in 0..<layout.dataToneCount {
            let symbol = layout.dataPlace(step)
            if metrics.erased.contains(symbol) { continue }
            let cell = symbol * toneCount + Int(tones[step])
            sum += metrics.logLikelihood(cell)
            heldCount += 1
            energy += energies[cell]
            var highest: Float = 0
            for other in 0..<toneCount {
                highest = max(highest, metrics.logLikelihood(symbol * toneCount + other))
            }
            loudest += highest
        }
        var syncSum: Float = 0
        for (index, tone) in profile.syncTones.enumerated() {
            syncSum += metrics.logLikelihood(FrameLayout.syncPlace(index) * toneCount + tone)
        }
        let heldSyncCount = metrics.erased.heldSyncCount
        let pathMetric = sum / Float(heldCount)
        return FrameEvidence(
            pathMetric: pathMetric, pathShare: sum / max(loudest, .leastNormalMagnitude),
            syncRatio: syncSum / Float(max(heldSyncCount, 1)) / max(pathMetric, .leastNormalMagnitude),
            meanToneEnergy: energy / Float(heldCount))
    }
}
