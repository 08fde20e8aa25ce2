import EarshotCoding
import EarshotDSP
import RealModule

/// Λ of each symbol of a frame at each offset near a candidate's, and of each tone there.
///
///     x[k][j][m] = E/N at s_k = s + k·N', tone m, offset f + j·Δ,   Δ = a quarter of a tone spacing,   j = −J ... J
///     λ[k][j]    = ln φ(x[k][j][syncTone]) of a sync symbol,   ln(1/M·Σₘ φ(x[k][j][m])) of a data symbol
///
/// with φ of `FrameLikelihood`. λ of a symbol that was lost is 0. Of several channels it looks at the best.
///
/// Cost: four FFTs of N points a symbol, and (2J + 1)·M additions. No allocation after `init`.
struct MotionTable: ~Copyable {
    static let stepsPerSpacing = 4
    /// An offset changes by no more than this within a frame: from 1.4 m/s towards the receiver to 1.4 m/s away from it.
    private static let maximumChangeHertz = 160.0
    /// The energy over noise that a tone may have, 10.8 dB: in a louder frame the noise counts as more. φ is flat where tones are loud, and
    /// half a spacing beside its place a tone is hardly quieter.
    private static let highestRatio: Float = 30
    /// J.
    let reach: Int
    /// λ; shape [longest frame][2J + 1].
    private(set) var values: [Float]

    private let format: BasebandFormat
    private let likelihood: FrameLikelihood
    private var mixer: ToneCorrelator
    private var transform: FFTPlan
    /// φ(x) of each bin, a spacing wide; shape [longest frame][stepsPerSpacing][M + 2·spacingReach].
    private var ratios: [Float]
    /// The reach in whole spacings.
    private let spacingReach: Int
    private let binCount: Int
    /// The energies of a symbol's bins.
    private var powers: [Float]
    private var inverseNoise: [Float]
    /// What divides the energies of a loud frame, so that they are within `highestRatio` of noise, 0 ... 1.
    private var inverseLoudness: Float = 1

    init(format: BasebandFormat, likelihood: FrameLikelihood) {
        self.format = format
        self.likelihood = likelihood
        let step = format.profile.toneSpacingHertz / Double(MotionTable.stepsPerSpacing)
        reach = Int((MotionTable.maximumChangeHertz / step).rounded(.up))
        values = [Float](repeating: 0, count: FrameLayout.longest.toneCount * (2 * reach + 1))
        mixer = ToneCorrelator(length: format.samplesPerSymbol)
        transform = FFTPlan(length: format.samplesPerSymbol, hasInverse: false)
        spacingReach = (reach + MotionTable.stepsPerSpacing - 1) / MotionTable.stepsPerSpacing
        binCount = format.profile.toneCount + 2 * spacingReach
        ratios = [Float](
            repeating: 1, count: FrameLayout.longest.toneCount * MotionTable.stepsPerSpacing * binCount)
        powers = [Float](repeating: 0, count: binCount)
        inverseNoise = [Float](repeating: 0, count: format.profile.toneCount)
    }

    var width: Int { 2 * reach + 1 }
    /// Δ in hertz.
    var stepHertz: Float { Float(format.profile.toneSpacingHertz) / Float(MotionTable.stepsPerSpacing) }

    /// Measures λ around a view's place.
    mutating func measure(_ view: FrameView, _ measurer: borrowing FrameMeasurer) {
        let history = measurer.histories[view.place.shares.best]
        measurer.writeInverseNoise(view, into: &inverseNoise)
        inverseLoudness = 1 / max(syncRatio(view, history) / MotionTable.highestRatio, 1)
        for quarter in 0..<MotionTable.stepsPerSpacing {
            mixer.tune(
                cyclesPerSample: format.cyclesPerSample(
                    offsetHertz: view.place.offsetHertz + Float(quarter) * stepHertz)
                    + 0.5 / Float(format.samplesPerSymbol))
            for symbol in 0..<view.layout.toneCount {
                measure(symbol, quarter, view, history)
            }
        }
    }

    /// The mean of x over the sync tones at the view's place.
    private mutating func syncRatio(_ view: FrameView, _ history: BasebandHistory) -> Float {
        var (sum, count) = (Float(0), Float(0))
        for (index, tone) in format.profile.syncTones.enumerated() {
            let symbol = FrameLayout.syncPlace(index)
            let first = Int((view.place.start + Double(symbol) * view.symbolLength).rounded())
            guard history.holds(from: first, count: mixer.length) else { continue }
            mixer.tune(
                cyclesPerSample: format.cyclesPerSample(tone: tone)
                    + format.cyclesPerSample(offsetHertz: view.place.offsetHertz(atSymbol: symbol)))
            sum += history.withSamples(from: first, count: mixer.length) { mixer.energy($0) } * inverseNoise[tone]
            count += 1
        }
        return count > 0 ? sum / count : 0
    }

    /// λ of one symbol at the offsets of one quarter.
    private mutating func measure(
        _ symbol: Int, _ quarter: Int, _ view: FrameView, _ history: BasebandHistory
    ) {
        let (length, toneCount) = (format.samplesPerSymbol, format.profile.toneCount)
        let first = Int((view.place.start + Double(symbol) * view.symbolLength).rounded())
        let heldShare = history.holds(from: first, count: length) ? history.heldShare(from: first, count: length) : 0
        let isHeld = heldShare >= NoiseFloor.minimumHeldShare
        let firstRatio = (symbol * MotionTable.stepsPerSpacing + quarter) * binCount
        if isHeld {
            measureRatios(history, from: first, heldShare: heldShare, at: firstRatio)
        } else {
            for bin in firstRatio..<firstRatio + binCount { ratios[bin] = 1 }
        }
        for spacing in -spacingReach...spacingReach {
            let step = MotionTable.stepsPerSpacing * spacing + quarter
            guard abs(step) <= reach else { continue }
            let firstBin = firstRatio + spacingReach + spacing
            var ratio: Float = 0
            if let index = FrameLayout.syncIndex(at: symbol) {
                ratio = ratios[firstBin + format.profile.syncTones[index]]
            } else {
                for tone in 0..<toneCount { ratio += ratios[firstBin + tone] }
                ratio /= Float(toneCount)
            }
            values[symbol * width + reach + step] = 0.693_147_2 * fastLog2(ratio)
        }
    }

    /// φ(x) of each bin of a symbol, at the offset to which the mixer is tuned; written from `place` on.
    private mutating func measureRatios(_ history: BasebandHistory, from first: Int, heldShare: Float, at place: Int) {
        let (length, toneCount) = (format.samplesPerSymbol, format.profile.toneCount)
        history.withSamples(from: first, count: length) { samples in
            transform.withMutableSamples { mixer.mix(samples, into: &$0) }
        }
        transform.forward()
        // Half a spacing was mixed away, so that tone m is in bin m − M/2.
        let lowest = -toneCount / 2 - spacingReach
        transform.copyPowers(ofBins: lowest..<lowest + binCount, into: &powers)
        var scale = 1 / (heldShare * Float(length * length))
        for bin in powers.indices { powers[bin] *= scale }
        scale = inverseLoudness * SymbolLevel.inverse(powers.span, from: spacingReach, inverseNoise.span, toneCount)
        for bin in powers.indices {
            let tone = min(max(bin - spacingReach, 0), toneCount - 1)
            ratios[place + bin] = likelihood.ratio(powers[bin] * scale * inverseNoise[tone])
        }
    }

    // MARK: Tones

    /// Writes ln Σ_j w[j]·φ(x[k][j][m]) of each tone m of a symbol.
    /// - Parameters:
    ///   - symbol: k.
    ///   - weights: w, by offset; shape [2J + 1].
    ///   - metrics: receives the logarithms, from `place` on.
    func writeToneLikelihoods(_ symbol: Int, _ weights: [Float], into metrics: inout [Float], at place: Int) {
        let toneCount = format.profile.toneCount
        var sums = metrics.mutableSpan
        for tone in place..<place + toneCount { sums[tone] = 1e-12 }
        let cells = ratios.span
        for step in -reach...reach {
            let weight = weights[reach + step]
            guard weight > 1e-4 else { continue }
            let first = firstRatio(symbol, step)
            for tone in 0..<toneCount { sums[place + tone] += weight * cells[first + tone] }
        }
        for tone in place..<place + toneCount { sums[tone] = fastLog(sums[tone]) }
    }

    /// Sets λ of a symbol to that of one tone: ln φ(x[k][j][tone]).
    mutating func setTone(_ tone: Int, of symbol: Int) {
        for step in -reach...reach {
            values[symbol * width + reach + step] = fastLog(ratios[firstRatio(symbol, step) + tone])
        }
    }

    /// The place in `ratios` of tone 0 of a symbol at an offset.
    private func firstRatio(_ symbol: Int, _ step: Int) -> Int {
        let quarter = step & (MotionTable.stepsPerSpacing - 1)
        return (symbol * MotionTable.stepsPerSpacing + quarter) * binCount + spacingReach
            + (step - quarter) / MotionTable.stepsPerSpacing
    }
}
