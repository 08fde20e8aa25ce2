import EarshotCoding
import EarshotDSP
import RealModule

/// Whether there is a burst at a place, and where exactly: all frames are asked together.
///
///     Λ = Σⱼ ln (ε + (1 − ε)·e^{Λⱼ}),   ε = 0.0025,   j = 0 ..< R
///
/// with Λⱼ of `FrameLikelihood`. ε is how often a repeat is missing: a burst of fewer frames, or one that came in halfway,
/// costs 6 a frame. Λ is a likelihood ratio like each Λⱼ: noise exceeds it once in e^Λ places at most. Each frame has its own
/// noise, since seconds lie between them.
///
/// Cost: 54·R transforms for the noise, 52·R for each of nine looks, and 30 more looks where there may be something. No
/// allocation after `init`.
struct RepeatDetection: ~Copyable {
    static let symbolCount = FrameLayout.token.toneCount

    /// What Λ must reach before the place was moved to its best, and afterwards.
    private static let minimumUnalignedLogRatio: Float = -8
    private static let minimumLogRatio: Float = 3
    /// What the sync symbols must add to it by having their own tones rather than any.
    private static let minimumSyncLogRatio: Float = 6
    /// ε.
    private static let missingShare: Float = 0.0025
    /// How far beyond the largest offset alignment may find a burst.
    private static let offsetSlack: Float = 1.1
    private static let roundCount = 3
    private static let measuredCount = symbolCount + ToneMetrics.echoSymbolCount

    /// 1/N of all frames; shape [R][M].
    private(set) var inverseNoises: [Float]

    private let repeatCount: Int
    private let likelihood: FrameLikelihood
    private var metrics: ToneMetrics
    private var energies: [Float]
    private var inverseNoise: [Float]
    /// Λⱼ of the latest place.
    private var logRatios = InlineArray<8, Float>(repeating: 0)
    private var syncLogRatio: Float = 0

    init(profiles: [Profile], repeatCount: Int, likelihood: FrameLikelihood) {
        let toneCount = profiles.map(\.toneCount).max() ?? 0
        self.repeatCount = repeatCount
        self.likelihood = likelihood
        metrics = ToneMetrics(maximumSymbolCount: RepeatDetection.measuredCount, maximumToneCount: toneCount)
        energies = [Float](repeating: 0, count: RepeatDetection.measuredCount * toneCount)
        inverseNoises = [Float](repeating: 0, count: repeatCount * toneCount)
        inverseNoise = [Float](repeating: 0, count: toneCount)
    }

    /// Moves a candidate to where the burst is likeliest.
    /// - Returns: whether it is more than noise has there. Then `weight` is that of the place.
    mutating func detect(
        _ place: inout Candidate, _ stages: ProfileStages, _ history: borrowing BasebandHistory
    ) -> Bool {
        measureNoise(place, stages, history)
        var ratio = glance(&place, stages, history)
        guard ratio >= RepeatDetection.minimumUnalignedLogRatio else { return false }
        ratio = align(&place, ratio, stages, history)
        let maximumHertz = Float(stages.profile.maximumOffset) * Float(stages.profile.centreHertz)
        return ratio >= RepeatDetection.minimumLogRatio && syncLogRatio >= RepeatDetection.minimumSyncLogRatio
            && abs(place.offsetHertz) <= RepeatDetection.offsetSlack * maximumHertz
    }

    /// wⱼ = (1 − ε)·e^{Λⱼ}/(ε + (1 − ε)·e^{Λⱼ}): how likely it is that there is a frame.
    func weight(_ index: Int) -> Float {
        1 / (1 + RepeatDetection.missingShare / (1 - RepeatDetection.missingShare) * .exp(-logRatios[index]))
    }

    /// Measures the noise of all frames.
    private mutating func measureNoise(
        _ place: Candidate, _ stages: ProfileStages, _ history: borrowing BasebandHistory
    ) {
        let toneCount = stages.profile.toneCount
        for index in 0..<repeatCount {
            stages.energies.measure(
                history, start: RepeatDecoder.start(index, of: place, stages.format), offsetHertz: place.offsetHertz,
                symbolCount: RepeatDetection.measuredCount, into: &energies)
            metrics.prepare(
                energies, erased: stages.energies.erased, toneCount: toneCount,
                frameSymbolCount: RepeatDetection.symbolCount)
            let inverses = metrics.inverses
            for tone in 0..<toneCount {
                inverseNoises[index * toneCount + tone] = inverses[tone]
            }
        }
    }

    /// Λ at a place, and Λⱼ.
    private mutating func logRatio(
        _ place: Candidate, _ stages: ProfileStages, _ history: borrowing BasebandHistory
    ) -> Float {
        let toneCount = stages.profile.toneCount
        var sum: Float = 0
        syncLogRatio = 0
        for index in 0..<repeatCount {
            stages.energies.measure(
                history, start: RepeatDecoder.start(index, of: place, stages.format), offsetHertz: place.offsetHertz,
                symbolCount: RepeatDetection.symbolCount, into: &energies)
            for tone in 0..<toneCount {
                inverseNoise[tone] = inverseNoises[index * toneCount + tone]
            }
            let ratio = likelihood.logRatio(
                energies, inverseNoise: inverseNoise, profile: stages.profile, symbols: 0..<RepeatDetection.symbolCount,
                erased: stages.energies.erased)
            logRatios[index] = ratio
            sum +=
                ratio > 60
                ? ratio : .log(RepeatDetection.missingShare + (1 - RepeatDetection.missingShare) * .exp(ratio))
            syncLogRatio +=
                weight(index)
                * likelihood.syncLogRatio(energies, inverseNoise: inverseNoise, profile: stages.profile)
        }
        return sum
    }

    /// Moves a place to the best of nine around it: the search's grid is a quarter symbol and half a spacing wide.
    private mutating func glance(
        _ place: inout Candidate, _ stages: ProfileStages, _ history: borrowing BasebandHistory
    ) -> Float {
        let middle = place
        let timeStep = Double(stages.format.samplesPerSymbol) / 8
        let offsetStep = 0.2 * Float(stages.profile.toneSpacingHertz)
        var best = -Float.infinity
        for offset in -1...1 {
            let tuned = moved(middle, by: Double(offset), false, timeStep, offsetStep, stages.format)
            for time in -1...1 {
                let other = moved(tuned, by: Double(time), true, timeStep, offsetStep, stages.format)
                let ratio = logRatio(other, stages, history)
                if ratio > best {
                    (best, place) = (ratio, other)
                }
            }
        }
        return best
    }

    /// Moves a place to where the whole burst is likeliest. Where the offset changes, the burst's middle stays.
    private mutating func align(
        _ place: inout Candidate, _ logRatio: Float, _ stages: ProfileStages, _ history: borrowing BasebandHistory
    ) -> Float {
        var best = logRatio
        let spacing = Float(stages.profile.toneSpacingHertz)
        for round in 0..<RepeatDetection.roundCount {
            let timeStep = Double(stages.format.samplesPerSymbol) / (round == 0 ? 12 : 24)
            let offsetStep = (round == 0 ? 0.1 : 0.05) * spacing
            for isTime in [true, false] {
                let middle = place
                var values = InlineArray<5, Float>(repeating: best)
                var bestIndex = 2
                for index in 0..<5 where index != 2 {
                    let other = moved(middle, by: Double(index - 2), isTime, timeStep, offsetStep, stages.format)
                    values[index] = self.logRatio(other, stages, history)
                    if values[index] > values[bestIndex] {
                        bestIndex = index
                    }
                }
                var step = Double(bestIndex - 2)
                if bestIndex > 0 && bestIndex < 4 {
                    let (left, right) = (values[bestIndex - 1], values[bestIndex + 1])
                    let curvature = left - 2 * values[bestIndex] + right
                    step += curvature < 0 ? Double(0.5 * (left - right) / curvature) : 0
                }
                place = moved(middle, by: step, isTime, timeStep, offsetStep, stages.format)
                best = self.logRatio(place, stages, history)
            }
        }
        return best
    }

    private func moved(
        _ place: Candidate, by steps: Double, _ isTime: Bool, _ timeStep: Double, _ offsetStep: Float,
        _ format: BasebandFormat
    ) -> Candidate {
        var other = place
        guard !isTime else {
            other.start += steps * timeStep
            return other
        }
        other.offsetHertz += Float(steps) * offsetStep
        let middle = Double(repeatCount * FrameLayout.burstSpacingToneCount) / 2
        other.start +=
            middle
            * (format.symbolLength(offsetHertz: place.offsetHertz)
                - format.symbolLength(offsetHertz: other.offsetHertz))
        return other
    }
}
