import EarshotCoding
import EarshotDSP

/// A frame that is likely on the air.
struct Detection {
    /// The frame at its likeliest place.
    var view: FrameView
    /// Λ there; see `FrameLikelihood`.
    var logRatio: Float
    /// See `FrameLikelihood.syncLogRatio`.
    var syncLogRatio: Float
}

/// Decides whether there is a frame at a candidate's place, and finds its exact place, from the whole frame and not
/// only from its sync pattern.
///
/// 1. A glance: Λ (`FrameLikelihood`) of the first symbols; most candidates of noise end here. 2. `ChannelWeights`: the
///    share of each of several channels. 3. Alignment: the place moves to the maximum of Λ of the whole frame. 4. Λ
///    there.
///
/// `Detection.syncLogRatio` measures whether the sync symbols have their own tones rather than any, and determines the
/// decoder's effort: a frame's own tones form sync patterns by chance. It must not reject here: doing so lost the first
/// frames of a crowd that can be decoded (three talkers, each in its own room B: 72 % with a limit of 3 nats, 96 %
/// without).
///
/// One place of noise in e^Λ passes a limit of Λ, so the limits determine how often the trellis runs without a frame.
/// They are low: with a check of 24 bits, they limit the work and not the false tokens. They still reject frames that
/// the code could decode: the sync pattern, which finds the candidates, and this detection are now the bottleneck.
///
/// Per symbol of M = 32 tones Λ grows by (simulated, 2·10⁵ symbols, ideal place and noise; mean ± standard deviation)
///
/// | | data | sync |
/// |---|---|---|
/// | noise | −0.36 ± 0.72 | −1.74 ± 1.49 |
/// | a frame at 5.8 dB per tone | 0.55 ± 1.31 | 2.41 ± 2.45 |
///
/// Cost: one FFT per symbol and measurement; 21 measurements to align a frame. No allocation after `init`.
struct FrameDetection: ~Copyable {
    /// The number of symbols in a glance: the sync pattern and sixteen data tones.
    private static let glanceSymbolCount = 24
    /// The minimum of Λ after a glance. By the table a frame has 28 ± 9 there: the limit is four standard deviations below.
    private static let minimumGlanceLogRatio: Float = -8
    /// The minimum of Λ before alignment. `standard`, −9.2 dB: 0 instead of 4 decodes 0.8 % more of the frames; −5
    /// decodes no more than 0, and costs 100 µs per second of noise.
    private static let minimumUnalignedLogRatio: Float = 0
    /// From this Λ on the place needs no alignment: an aligned frame at the 90 % point has 33 ± 11.
    private static let clearLogRatio: Float = 60
    /// The minimum of Λ after alignment. 5 instead of 9, with 0 instead of 4 halfway: `standard`, −9.7 dB, 77.5 to 82.7 %; `far`,
    /// −12.5 dB, 73.7 to 78.1 % (1,000 trials each), for 7 % more time in noise. −1 decodes another 3 % and takes 70 % more.
    static let minimumLogRatio: Float = 5
    /// The reduction of each of these limits for a frame whose sync tones are in phase, which is separate evidence.
    private static let coherentAllowance: Float = 7
    /// The increase of each of these limits for a frame whose sync tones drift: noise has many such patterns, and
    /// frames that `MotionSearch` decodes exceed it. Six times two minutes of noise took 1.24 times the instructions of
    /// a search without drifting patterns, and 1.05 times with this and `GridLikelihood.driftLogRatio`; of 200 walks
    /// past and 200 hands none was lost (seed 7001).
    private static let driftLogRatio: Float = 5
    /// The minimum of Λ after the first round of alignment: the second one moves by half as much, and Λ grows by far
    /// less than the missing amount.
    private static let minimumHalfAlignedLogRatio: Float = 0
    /// Alignment: in time, then in frequency, then both by half the step. `standard`, −9.2 dB: 84.7 % without it, 90.2 % with it.
    private static let alignmentRoundCount = 2
    /// The steps of the first round; two of them to either side cover the maximum error of the refinement.
    private static let timeStepSymbols = 1.0 / 16
    private static let offsetStepSpacings: Float = 0.08
    /// The maximum offset after alignment, relative to the maximum offset of the search.
    private static let offsetSlack: Float = 1.1

    private let likelihood: FrameLikelihood
    private var channelWeights: ChannelWeights
    private var probabilities: [Float]
    private var energies: [Float]
    private var inverseNoise: [Float]

    init(profiles: [Profile], likelihood: FrameLikelihood) {
        let toneCount = profiles.map { $0.toneCount }.max() ?? 0
        self.likelihood = likelihood
        energies = [Float](repeating: 0, count: FrameLayout.longest.toneCount * toneCount)
        channelWeights = ChannelWeights(profiles: profiles)
        probabilities = [Float](repeating: 0, count: FrameLayout.longest.toneCount * toneCount)
        inverseNoise = [Float](repeating: 0, count: toneCount)
    }

    /// Looks for a frame near a view's place.
    /// - Parameters:
    ///   - view: the frame at its candidate's place.
    ///   - isCoherent: whether its sync tones are in phase; see `StillDecoder.coherence`.
    ///   - measurer: measures frames of its profile.
    /// - Returns: the frame at its likeliest place, nil if Λ does not exceed that of noise; and the work.
    mutating func detect(
        _ view: FrameView, isCoherent: Bool = false, _ measurer: inout FrameMeasurer
    ) -> (detection: Detection?, work: DecodingWork) {
        let work = DecodingWork.symbolDetection * (view.layout.toneCount * measurer.histories.count)
        var allowance = isCoherent ? FrameDetection.coherentAllowance : 0
        if view.place.isDrifting { allowance -= FrameDetection.driftLogRatio }
        return (found(view, allowance, &measurer), work)
    }

    private mutating func found(
        _ candidate: FrameView, _ allowance: Float, _ measurer: inout FrameMeasurer
    ) -> Detection? {
        var view = candidate
        var logRatio = logRatio(view, &measurer)
        guard logRatio >= FrameDetection.minimumUnalignedLogRatio - allowance else { return nil }
        if measurer.histories.count > 1 {
            likelihood.writePosteriors(
                energies, inverseNoise: inverseNoise, view.profile, view.layout, into: &probabilities)
            view.place.shares = channelWeights.measure(view, probabilities: probabilities, &measurer)
            logRatio = self.logRatio(view, &measurer)
        }
        if logRatio < FrameDetection.clearLogRatio {
            logRatio = align(&view, logRatio, allowance, &measurer)
        }
        guard logRatio >= FrameDetection.minimumLogRatio - allowance, FrameDetection.isInReach(view) else { return nil }
        return Detection(
            view: view, logRatio: logRatio,
            syncLogRatio: likelihood.syncLogRatio(energies, inverseNoise: inverseNoise, profile: view.profile))
    }

    /// Whether the offset of a view is valid for a frame.
    static func isInReach(_ view: FrameView) -> Bool {
        let maximumOffsetHertz = Float(view.profile.maximumOffset) * Float(view.profile.centreHertz)
        return abs(view.place.offsetHertz) <= offsetSlack * maximumOffsetHertz
    }

    /// Λ at a place; after a low glance only that of the first symbols.
    private mutating func logRatio(_ view: FrameView, _ measurer: inout FrameMeasurer) -> Float {
        measurer.writeInverseNoise(view, into: &inverseNoise)
        var sum: Float = 0
        var symbols = 0..<FrameDetection.glanceSymbolCount
        while true {
            let erased = measurer.measure(view, symbols, into: &energies)
            sum += likelihood.logRatio(
                energies, inverseNoise: inverseNoise, profile: view.profile, symbols: symbols, erased: erased)
            let end = view.layout.toneCount
            guard symbols.upperBound < end, sum >= FrameDetection.minimumGlanceLogRatio else { return sum }
            symbols = symbols.upperBound..<min(symbols.upperBound + ToneEnergies.batchCount, end)
        }
    }

    /// Moves a view to the place at which the whole frame is likeliest.
    /// - Returns: Λ there.
    private mutating func align(
        _ view: inout FrameView, _ logRatio: Float, _ allowance: Float, _ measurer: inout FrameMeasurer
    ) -> Float {
        var best = logRatio
        for round in 0..<FrameDetection.alignmentRoundCount
        where round == 0 || best >= FrameDetection.minimumHalfAlignedLogRatio - allowance {
            let shrink = Float(1 + round)
            let timeStep = Double(view.format.samplesPerSymbol) * FrameDetection.timeStepSymbols / Double(shrink)
            let offsetStep = FrameDetection.offsetStepSpacings * Float(view.profile.toneSpacingHertz) / shrink
            best = climb(&view, best, &measurer, timeStep: timeStep, offsetStep: 0)
            best = climb(&view, best, &measurer, timeStep: 0, offsetStep: offsetStep)
        }
        return best
    }

    /// Moves a view to the best of five places along a line, refined by a parabola.
    /// - Parameter logRatio: Λ in the middle.
    /// - Returns: Λ at the new place.
    private mutating func climb(
        _ view: inout FrameView, _ logRatio: Float, _ measurer: inout FrameMeasurer, timeStep: Double,
        offsetStep: Float
    ) -> Float {
        let middle = view
        let steps = lineSearch(middle: logRatio) { steps in
            self.logRatio(
                middle.moved(by: Double(steps) * timeStep, offsetHertz: steps * offsetStep), &measurer)
        }
        view = middle.moved(by: Double(steps) * timeStep, offsetHertz: steps * offsetStep)
        return self.logRatio(view, &measurer)
    }
}
