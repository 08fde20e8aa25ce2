import EarshotCoding
import EarshotDSP
import RealModule

/// A burst that may be on the air.
struct BurstDetection {
    /// ε: the probability that a repeat is missing.
    static let missingShare: Float = 0.0025

    /// The burst's first frame.
    var view: FrameView
    /// Λ; see `RepeatDetection`.
    var logRatio: Float = 0
    /// Λⱼ of each frame.
    var logRatios = InlineArray<8, Float>(repeating: 0)
    /// The sum of `FrameLikelihood.syncLogRatio`, weighted by wⱼ.
    var syncLogRatio: Float = 0

    /// wⱼ = (1 − ε)·e^{Λⱼ}/(ε + (1 − ε)·e^{Λⱼ}): the probability that frame j is there.
    func weight(_ index: Int) -> Float {
        1 / (1 + BurstDetection.missingShare / (1 - BurstDetection.missingShare) * .exp(-logRatios[index]))
    }
}

/// Decides whether there is a burst at a place, and finds its exact place, from all its frames together.
///
///     Λ = Σⱼ ln (ε + (1 − ε)·e^{Λⱼ}),   ε = 0.0025,   j = 0 ..< R
///
/// with Λⱼ of `FrameLikelihood`. ε is the probability that a repeat is missing: each missing frame, of a shorter burst
/// or one that the receiver joins halfway, costs 6. Λ is a likelihood ratio like each Λⱼ: noise exceeds it in at most
/// one place of e^Λ. Each frame has its own noise, because they are seconds apart.
///
/// Cost: 54·R transforms for the noise, 52·R for each of nine measurements, and 30 more measurements if there may be a
/// burst. No allocation after `init`.
struct RepeatDetection: ~Copyable {
    static let symbolCount = FrameLayout.token.toneCount

    /// The minimum of Λ before alignment, and after it.
    private static let minimumUnalignedLogRatio: Float = -8
    private static let minimumLogRatio: Float = 3
    /// The minimum that the sync symbols add because they have their own tones rather than any.
    private static let minimumSyncLogRatio: Float = 6
    /// The maximum offset after alignment, relative to the maximum offset of the search.
    private static let offsetSlack: Float = 1.1
    private static let roundCount = 3
    private static let measuredCount = symbolCount + ToneMetrics.echoSymbolCount

    private let repeatCount: Int
    private let likelihood: FrameLikelihood
    private var metrics: ToneMetrics
    private var energies: [Float]
    private var inverseNoise: [Float]

    init(profiles: [Profile], repeatCount: Int, likelihood: FrameLikelihood) {
        let toneCount = profiles.map { $0.toneCount }.max() ?? 0
        self.repeatCount = repeatCount
        self.likelihood = likelihood
        metrics = ToneMetrics(maximumSymbolCount: RepeatDetection.measuredCount, maximumToneCount: toneCount)
        energies = [Float](repeating: 0, count: RepeatDetection.measuredCount * toneCount)
        inverseNoise = [Float](repeating: 0, count: toneCount)
    }

    /// Looks for a burst near a candidate.
    /// - Parameters:
    ///   - view: the burst's first frame.
    ///   - measurer: measures the frames.
    ///   - inverseNoises: receives 1/N of all frames; shape [R][M].
    /// - Returns: the burst at its likeliest place; nil if Λ there does not exceed that of noise.
    mutating func detect(
        _ view: FrameView, _ measurer: inout FrameMeasurer, inverseNoises: inout [Float]
    ) -> BurstDetection? {
        measureNoise(view, &measurer, into: &inverseNoises)
        var found = glance(view, &measurer, inverseNoises)
        guard found.logRatio >= RepeatDetection.minimumUnalignedLogRatio else { return nil }
        align(&found, &measurer, inverseNoises)
        let maximumHertz = Float(view.profile.maximumOffset) * Float(view.profile.centreHertz)
        let isBurst =
            found.logRatio >= RepeatDetection.minimumLogRatio
            && found.syncLogRatio >= RepeatDetection.minimumSyncLogRatio
            && abs(found.view.place.offsetHertz) <= RepeatDetection.offsetSlack * maximumHertz
        return isBurst ? found : nil
    }

    /// Measures the noise of all frames.
    private mutating func measureNoise(
        _ view: FrameView, _ measurer: inout FrameMeasurer, into inverseNoises: inout [Float]
    ) {
        let toneCount = view.profile.toneCount
        for index in 0..<repeatCount {
            let erased = measurer.measure(
                view.burstFrame(index), 0..<RepeatDetection.measuredCount, into: &energies)
            metrics.prepare(
                energies, erased: erased, toneCount: toneCount, frameSymbolCount: RepeatDetection.symbolCount)
            let inverses = metrics.inverses
            for tone in 0..<toneCount {
                inverseNoises[index * toneCount + tone] = inverses[tone]
            }
        }
    }

    /// The likelihood of a burst at a place.
    private mutating func look(
        _ view: FrameView, _ measurer: inout FrameMeasurer, _ inverseNoises: [Float]
    ) -> BurstDetection {
        let (toneCount, symbols) = (view.profile.toneCount, 0..<RepeatDetection.symbolCount)
        var found = BurstDetection(view: view)
        for index in 0..<repeatCount {
            let erased = measurer.measure(view.burstFrame(index), symbols, into: &energies)
            for tone in 0..<toneCount {
                inverseNoise[tone] = inverseNoises[index * toneCount + tone]
            }
            let ratio = likelihood.logRatio(
                energies, inverseNoise: inverseNoise, profile: view.profile, symbols: symbols, erased: erased)
            found.logRatios[index] = ratio
            found.logRatio +=
                ratio > 60
                ? ratio : .log(BurstDetection.missingShare + (1 - BurstDetection.missingShare) * .exp(ratio))
            found.syncLogRatio +=
                found.weight(index)
                * likelihood.syncLogRatio(energies, inverseNoise: inverseNoise, profile: view.profile)
        }
        return found
    }

    /// The best of nine places around a view: the search's grid is a quarter symbol and half a spacing wide.
    private mutating func glance(
        _ view: FrameView, _ measurer: inout FrameMeasurer, _ inverseNoises: [Float]
    ) -> BurstDetection {
        var best = BurstDetection(view: view, logRatio: -.infinity)
        let timeStep = Double(view.format.samplesPerSymbol) / 8
        let offsetStep = 0.2 * Float(view.profile.toneSpacingHertz)
        for offset in -1...1 {
            let tuned = tuned(view, by: Float(offset) * offsetStep)
            for time in -1...1 {
                let other = look(tuned.moved(by: Double(time) * timeStep), &measurer, inverseNoises)
                if other.logRatio > best.logRatio { best = other }
            }
        }
        return best
    }

    /// Moves a burst to the place at which the whole burst is likeliest. When the offset changes, the burst's middle
    /// does not move.
    private mutating func align(
        _ found: inout BurstDetection, _ measurer: inout FrameMeasurer, _ inverseNoises: [Float]
    ) {
        let format = found.view.format
        let spacing = Float(format.profile.toneSpacingHertz)
        for round in 0..<RepeatDetection.roundCount {
            let timeStep = Double(format.samplesPerSymbol) / (round == 0 ? 12 : 24)
            let offsetStep = (round == 0 ? 0.1 : 0.05) * spacing
            climb(&found, &measurer, inverseNoises, timeStep: timeStep, offsetStep: 0)
            climb(&found, &measurer, inverseNoises, timeStep: 0, offsetStep: offsetStep)
        }
    }

    /// Moves a burst to the best of five places along a line, refined by a parabola.
    private mutating func climb(
        _ found: inout BurstDetection, _ measurer: inout FrameMeasurer, _ inverseNoises: [Float], timeStep: Double,
        offsetStep: Float
    ) {
        let middle = found.view
        let steps = lineSearch(middle: found.logRatio) { steps in
            look(moved(middle, by: steps, timeStep: timeStep, offsetStep: offsetStep), &measurer, inverseNoises)
                .logRatio
        }
        found = look(
            moved(middle, by: steps, timeStep: timeStep, offsetStep: offsetStep), &measurer, inverseNoises)
    }

    /// A view some steps later and higher. When the offset changes, the burst's middle does not move.
    private func moved(_ view: FrameView, by steps: Float, timeStep: Double, offsetStep: Float) -> FrameView {
        tuned(view.moved(by: Double(steps) * timeStep), by: steps * offsetStep)
    }

    /// A view that is `hertz` higher. The burst's middle does not move.
    private func tuned(_ view: FrameView, by hertz: Float) -> FrameView {
        var other = view.moved(by: 0, offsetHertz: hertz)
        let middle = Double(repeatCount * FrameLayout.burstSpacingToneCount) / 2
        other.place.start += middle * (view.symbolLength - other.symbolLength)
        return other
    }
}
