import EarshotCoding
import EarshotDSP
import RealModule

/// Decides whether there is a burst at a place, and where exactly, from all its frames together.
///
///     Λ = Σⱼ ln (ε + (1 − ε)·e^{Λⱼ}),   ε = 0.0025,   j = 0 ..< R
///
/// with Λⱼ of `FrameLikelihood`. ε is the probability that a repeat is missing: a burst of fewer frames, or one that the
/// receiver joins halfway, costs 6 a frame. Λ is a likelihood ratio like each Λⱼ: noise exceeds it at one place in e^Λ at
/// most. Each frame has its own noise, since seconds lie between them.
///
/// Cost: 54·R transforms for the noise, 52·R for each of nine looks, and 30 more looks if there may be a burst. No allocation
/// after `init`.
struct RepeatDetection: ~Copyable {
    static let symbolCount = FrameLayout.token.toneCount

    /// The minimum of Λ before alignment, and after it.
    private static let minimumUnalignedLogRatio: Float = -8
    private static let minimumLogRatio: Float = 3
    /// The minimum that the sync symbols add by having their own tones rather than any.
    private static let minimumSyncLogRatio: Float = 6
    /// ε.
    private static let missingShare: Float = 0.0025
    /// Alignment may find a burst this far beyond the maximum offset, relative to it.
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
        let toneCount = profiles.map { $0.toneCount }.max() ?? 0
        self.repeatCount = repeatCount
        self.likelihood = likelihood
        metrics = ToneMetrics(maximumSymbolCount: RepeatDetection.measuredCount, maximumToneCount: toneCount)
        energies = [Float](repeating: 0, count: RepeatDetection.measuredCount * toneCount)
        inverseNoises = [Float](repeating: 0, count: repeatCount * toneCount)
        inverseNoise = [Float](repeating: 0, count: toneCount)
    }

    /// Moves a candidate to where the burst is likeliest.
    /// - Returns: whether Λ there is more than noise has. Then `weight` is that of the place.
    mutating func detect(_ view: inout FrameView) -> Bool {
        measureNoise(view)
        var ratio = glance(&view)
        guard ratio >= RepeatDetection.minimumUnalignedLogRatio else { return false }
        ratio = align(&view, ratio)
        let maximumHertz = Float(view.profile.maximumOffset) * Float(view.profile.centreHertz)
        return ratio >= RepeatDetection.minimumLogRatio && syncLogRatio >= RepeatDetection.minimumSyncLogRatio
            && abs(view.place.offsetHertz) <= RepeatDetection.offsetSlack * maximumHertz
    }

    /// wⱼ = (1 − ε)·e^{Λⱼ}/(ε + (1 − ε)·e^{Λⱼ}): the probability that frame j is there.
    func weight(_ index: Int) -> Float {
        1 / (1 + RepeatDetection.missingShare / (1 - RepeatDetection.missingShare) * .exp(-logRatios[index]))
    }

    /// Measures the noise of all frames.
    private mutating func measureNoise(_ view: FrameView) {
        let toneCount = view.profile.toneCount
        for index in 0..<repeatCount {
            let erased = view.burstFrame(index).measureEnergies(0..<RepeatDetection.measuredCount, into: &energies)
            metrics.prepare(
                energies, erased: erased, toneCount: toneCount, frameSymbolCount: RepeatDetection.symbolCount)
            let inverses = metrics.inverses
            for tone in 0..<toneCount {
                inverseNoises[index * toneCount + tone] = inverses[tone]
            }
        }
    }

    /// Λ at a place, and Λⱼ.
    private mutating func logRatio(_ view: FrameView) -> Float {
        let (toneCount, symbols) = (view.profile.toneCount, 0..<RepeatDetection.symbolCount)
        var sum: Float = 0
        syncLogRatio = 0
        for index in 0..<repeatCount {
            let erased = view.burstFrame(index).measureEnergies(symbols, into: &energies)
            for tone in 0..<toneCount {
                inverseNoise[tone] = inverseNoises[index * toneCount + tone]
            }
            let ratio = likelihood.logRatio(
                energies, inverseNoise: inverseNoise, profile: view.profile, symbols: symbols, erased: erased)
            logRatios[index] = ratio
            sum +=
                ratio > 60
                ? ratio : .log(RepeatDetection.missingShare + (1 - RepeatDetection.missingShare) * .exp(ratio))
            syncLogRatio +=
                weight(index)
                * likelihood.syncLogRatio(energies, inverseNoise: inverseNoise, profile: view.profile)
        }
        return sum
    }

    /// Moves a view to the best of nine places around it: the search's grid is a quarter symbol and half a spacing wide.
    private mutating func glance(_ view: inout FrameView) -> Float {
        let middle = view
        let timeStep = Double(view.format.samplesPerSymbol) / 8
        let offsetStep = 0.2 * Float(view.profile.toneSpacingHertz)
        var best = -Float.infinity
        for offset in -1...1 {
            let tuned = tuned(middle, by: Float(offset) * offsetStep)
            for time in -1...1 {
                let other = tuned.moved(by: Double(time) * timeStep)
                let ratio = logRatio(other)
                if ratio > best {
                    (best, view) = (ratio, other)
                }
            }
        }
        return best
    }

    /// Moves a view to where the whole burst is likeliest. When the offset changes, the burst's middle stays.
    private mutating func align(_ view: inout FrameView, _ logRatio: Float) -> Float {
        var best = logRatio
        let spacing = Float(view.profile.toneSpacingHertz)
        for round in 0..<RepeatDetection.roundCount {
            let timeStep = Double(view.format.samplesPerSymbol) / (round == 0 ? 12 : 24)
            let offsetStep = (round == 0 ? 0.1 : 0.05) * spacing
            best = climb(&view, best, timeStep: timeStep, offsetStep: 0)
            best = climb(&view, best, timeStep: 0, offsetStep: offsetStep)
        }
        return best
    }

    /// Moves a view to the best of five places along a line, and between them to the top of a parabola.
    /// - Parameter logRatio: Λ in the middle.
    /// - Returns: Λ at the new place.
    private mutating func climb(
        _ view: inout FrameView, _ logRatio: Float, timeStep: Double, offsetStep: Float
    ) -> Float {
        let middle = view
        let steps = lineSearch(middle: logRatio) { steps in
            self.logRatio(moved(middle, by: steps, timeStep: timeStep, offsetStep: offsetStep))
        }
        view = moved(middle, by: steps, timeStep: timeStep, offsetStep: offsetStep)
        return self.logRatio(view)
    }

    /// A view some steps later and higher. When the offset changes, the burst's middle stays.
    private func moved(_ view: FrameView, by steps: Float, timeStep: Double, offsetStep: Float) -> FrameView {
        tuned(view.moved(by: Double(steps) * timeStep), by: steps * offsetStep)
    }

    /// A view that is `hertz` higher. The burst's middle stays.
    private func tuned(_ view: FrameView, by hertz: Float) -> FrameView {
        var other = view.moved(by: 0, offsetHertz: hertz)
        let middle = Double(repeatCount * FrameLayout.burstSpacingToneCount) / 2
        other.place.start += middle * (view.symbolLength - other.symbolLength)
        return other
    }
}
