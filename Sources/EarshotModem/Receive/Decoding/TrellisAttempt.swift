import EarshotCoding
import EarshotDSP
import RealModule

/// One walk through the trellis, and whether to believe where it leads.
///
/// 1. `prepare`: energies and metrics at a place (`ToneEnergies`, `ToneMetrics`; `InterferenceMetrics` where a crowd is tried).
/// 2. `attempt`: the trellis, the evidence, the CRC, the decoy; or `attemptCoherently` with what `CoherentMetrics` has learned.
/// 3. The SNR of what is believed.
///
/// Whatever comes of it, `codeTones` is the path found: a wrong one is right in most places, and `IterativeDecoder` learns from it.
/// Cost: one FFT a symbol to prepare, one walk an attempt, one more where the CRC matches. No allocation after `init`.
struct TrellisAttempt: ~Copyable {
    /// The bandwidth that SNR refers to: the band's.
    static let referenceHertz: Float = 1_500
    /// Where in the scrambler's sequence the decoy starts; no frame is so long.
    static let decoyScramblerStart = 10_000
    /// What share of its data tones must be left of a frame with a hole in it: 13 of a token's 44 may be lost, and the code
    /// bridges six in a row.
    private static let minimumHeldShare: Float = 0.7
    /// What a fitted channel must carry of a tone's energy, over the noise: 1.8 dB. It takes the place of the evidence, which
    /// asks for tones that are loud by themselves. A frame at the limit has 5.8 dB (`FrameLikelihood`) less the taps that
    /// do not stand out.
    private static let minimumCoherentRatio: Float = 1.5

    /// E at the place prepared; shape [frame and echo][M].
    private(set) var energies: [Float]
    /// What the energies say.
    private(set) var metrics: ToneMetrics
    /// The tones of the path found last, not scrambled; shape [dataToneCount or more].
    private(set) var codeTones: [UInt8]

    private var trellis: TrellisDecoder
    private var interference: InterferenceMetrics
    private var meter = EvidenceMeter()
    private var branchMetrics: [Float]
    private var pairs: [UInt8]

    init(profiles: [Profile]) {
        let toneCount = profiles.map(\.toneCount).max() ?? 0
        let symbolCount = FrameLayout.longest.toneCount + ToneMetrics.echoSymbolCount
        let stepCount = FrameLayout.longest.dataToneCount
        trellis = TrellisDecoder(
            memoryBits: profiles.map(\.code.memoryBits).max() ?? 0, longestStepCount: stepCount)
        metrics = ToneMetrics(maximumSymbolCount: symbolCount, maximumToneCount: toneCount)
        interference = InterferenceMetrics(maximumSymbolCount: symbolCount, maximumToneCount: toneCount)
        energies = [Float](repeating: 0, count: symbolCount * toneCount)
        branchMetrics = [Float](repeating: 0, count: stepCount * toneCount)
        pairs = [UInt8](repeating: 0, count: stepCount)
        codeTones = [UInt8](repeating: 0, count: stepCount)
    }

    // MARK: Preparing

    /// Measures the frame at a place.
    mutating func prepare(_ view: FrameView) {
        view.measureEnergies(0..<view.layout.toneCount + ToneMetrics.echoSymbolCount, into: &energies)
        prepareMetrics(view)
    }

    /// Measures the frame along the track of its profile's stages, whose offset changes.
    mutating func prepareMoving(_ view: FrameView) {
        view.stages.energies.measure(
            view.history, along: view.stages.track,
            symbolCount: view.layout.toneCount + ToneMetrics.echoSymbolCount, into: &energies)
        prepareMetrics(view)
    }

    private mutating func prepareMetrics(_ view: FrameView) {
        metrics.prepare(
            energies, erased: view.stages.energies.erased, toneCount: view.profile.toneCount,
            frameSymbolCount: view.layout.toneCount)
    }

    /// Prepares `EchoTreatment.interference` of the energies measured.
    mutating func prepareInterference(_ view: FrameView) {
        interference.prepare(
            energies, erased: metrics.erased, view.profile, symbolCount: view.layout.toneCount)
    }

    /// See `ToneMetrics.echoWeights`.
    func echoWeights(_ profile: Profile) -> SIMD2<Float> {
        metrics.echoWeights(energies, syncTones: profile.syncTones, toneCount: profile.toneCount)
    }

    // MARK: Attempts

    /// Decodes what was prepared of this view.
    mutating func attempt(_ echo: EchoTreatment, _ view: FrameView) -> DecodingOutcome {
        let (code, layout) = (view.profile.code, view.layout)
        guard isHeld(layout) else { return .pathMetricOfNoise }
        writeBranchMetrics(layout, code, echo)
        let isTailBiting = walk(code, layout.dataToneCount)
        let evidence = meter.measure(codeTones, energies, metrics, layout, view.profile)
        guard evidence.isBelievable else { return .pathMetricOfNoise }
        guard isTailBiting, let payload = payload(layout) else { return .checkMismatch }
        guard evidence.isClear || fitsBetterThanDecoy(layout, code, evidence) else { return .pathMetricOfNoise }
        return .decoded(frame(payload, evidence, view))
    }

    /// Decodes with the channel that `CoherentMetrics` has estimated.
    /// - Parameters:
    ///   - tones: what it was estimated from; shape [layout.toneCount or more].
    ///   - view: at the offset that it knew before; what it found remained of it is added.
    mutating func attemptCoherently(_ tones: [Int], _ view: FrameView) -> DecodedFrame? {
        let (stages, layout, code) = (view.stages, view.layout, view.profile.code)
        stages.coherent.writeBranchMetrics(
            view, tones: tones, metrics: metrics, symbol: &stages.products, into: &branchMetrics)
        guard walk(code, layout.dataToneCount), let payload = payload(layout),
            stages.coherent.coherentRatio >= TrellisAttempt.minimumCoherentRatio
        else { return nil }
        let evidence = meter.measure(codeTones, energies, metrics, layout, view.profile)
        guard evidence.isBelievableMended, fitsBetterThanDecoy(layout, code, share: FrameEvidence.minimumMendedMargin)
        else {
            return nil
        }
        return frame(payload, evidence, view.moved(by: 0, offsetHertz: stages.coherent.offsetHertz))
    }

    /// Finds the best path.
    /// - Returns: whether it ends in the state it began in.
    private mutating func walk(_ code: TrellisCode, _ stepCount: Int) -> Bool {
        let isTailBiting = trellis.decode(code, branchMetrics, stepCount: stepCount, into: &pairs)
        var state = code.tailBitingState(pairs, count: stepCount)
        for step in 0..<stepCount {
            let register = state << 2 | Int(pairs[step])
            state = register & (code.stateCount - 1)
            codeTones[step] = code.tones[register]
        }
        return isTailBiting
    }

    private mutating func writeBranchMetrics(
        _ layout: FrameLayout, _ code: TrellisCode, _ echo: EchoTreatment
    ) {
        if echo.isForInterference {
            interference.writeBranchMetrics(
                layout: layout, toneBits: code.toneBits, into: &branchMetrics)
        } else {
            metrics.writeBranchMetrics(
                layout: layout, toneBits: code.toneBits, echo: echo, into: &branchMetrics)
        }
    }

    /// The path's payload, if its CRC matches.
    private func payload(_ layout: FrameLayout) -> Payload? {
        FrameBits.payload(in: pairs.span.extracting(0..<layout.dataToneCount), byteCount: layout.payloadByteCount)
    }

    // MARK: Belief

    /// Whether the decoded path fits clearly better than the best path under a scrambling that nobody sends.
    ///
    /// That decoy is what the decoder finds where there is no frame, in just these energies. It is asked only after the CRC has
    /// matched, so it costs one more walk through the trellis a frame.
    private mutating func fitsBetterThanDecoy(
        _ layout: FrameLayout, _ code: TrellisCode, _ evidence: FrameEvidence
    ) -> Bool {
        fitsBetterThanDecoy(
            layout, code, share: evidence.minimumMarginOverDecoy(fit: meanBranchMetric(layout, code)))
    }

    /// Whether the path fits better than the decoy by a share of its own fit.
    private mutating func fitsBetterThanDecoy(_ layout: FrameLayout, _ code: TrellisCode, share: Float) -> Bool {
        let own = meanBranchMetric(layout, code)
        for step in 0..<layout.dataToneCount {
            let first = step * code.toneCount
            let mask =
                ToneScrambler.mask(step: step, toneBits: code.toneBits)
                ^ ToneScrambler.mask(step: TrellisAttempt.decoyScramblerStart + step, toneBits: code.toneBits)
            for tone in 0..<code.toneCount where tone < tone ^ mask {
                branchMetrics.swapAt(first + tone, first + (tone ^ mask))
            }
        }
        _ = walk(code, layout.dataToneCount)
        return own - meanBranchMetric(layout, code) >= share * own
    }

    /// The mean of the branch metrics along the path, over the tones that were not lost.
    private func meanBranchMetric(_ layout: FrameLayout, _ code: TrellisCode) -> Float {
        var sum: Float = 0
        for step in 0..<layout.dataToneCount {
            sum += branchMetrics[step * code.toneCount + Int(codeTones[step])]
        }
        return sum / Float(heldDataToneCount(layout))
    }

    /// Whether enough of the frame prepared was not lost.
    func isHeld(_ layout: FrameLayout) -> Bool {
        Float(heldDataToneCount(layout)) / Float(layout.dataToneCount) >= TrellisAttempt.minimumHeldShare
    }

    private func heldDataToneCount(_ layout: FrameLayout) -> Int {
        metrics.erased.heldCount(layout.firstDataTone..<layout.toneCount)
    }

    private mutating func frame(_ payload: Payload, _ evidence: FrameEvidence, _ view: FrameView) -> DecodedFrame {
        DecodedFrame(
            payload: payload, place: view.place, snrDecibels: snrDecibels(evidence.meanToneEnergy, view),
            pathMetric: evidence.pathMetric)
    }

    /// Signal power over noise power in the reference bandwidth: E of noise is its power in one tone's width, 1/T.
    /// Overwrites the energies.
    private mutating func snrDecibels(_ meanToneEnergy: Float, _ view: FrameView) -> Float {
        view.measureEnergies(0..<view.layout.toneCount, windowed: true, into: &energies)
        let quietest = metrics.quietestNoise(
            energies, toneCount: view.profile.toneCount, symbolCount: view.layout.toneCount)
        let noise = quietest / ToneEnergies.windowedNoisePower
        // A thousandth of the noise stands for no signal: −30 dB.
        let perTone = max(meanToneEnergy - noise, 1e-3 * noise) / noise
        return 10 * .log10(perTone * Float(view.profile.toneSpacingHertz) / TrellisAttempt.referenceHertz)
    }
}
