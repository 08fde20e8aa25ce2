import EarshotCoding
import EarshotDSP
import RealModule

/// One walk through the trellis, and the decision whether to accept its path.
///
/// 1. `prepare`: energies and metrics of a view (`ToneEnergies`, `ToneMetrics`).
/// 2. `decode`: the trellis, the evidence, the CRC, the decoy. `decodeInterfered` does the same with `InterferenceMetrics`,
///    and `decodeCoherently` with `CoherentMetrics`.
/// 3. The SNR of an accepted path.
///
/// After each attempt `trellis` has the path: a wrong one is right in most places, and `IterativeDecoder` uses it.
/// After a decoy test that is the decoy's path. Cost: one FFT a symbol to prepare, one walk an attempt, one more if the
/// CRC matches. No allocation after `init`.
struct TrellisAttempt: ~Copyable {
    /// The bandwidth to which the SNR refers: the width of the band.
    static let referenceHertz: Float = 1_500
    /// The minimum share of held data tones in a frame with a hole: 13 of a token's 44 may be lost.
    private static let minimumHeldShare: Float = 0.7
    /// The minimum energy of a tone in a fitted channel, over the noise: 1.8 dB. It replaces the evidence that requires
    /// single loud tones. A frame at the limit has 5.8 dB (`FrameLikelihood`) minus the taps below the limit.
    private static let minimumCoherentRatio: Float = 1.5

    /// E of the prepared view; shape [frame and echo][M].
    private(set) var energies: [Float]
    /// The metrics of these energies.
    private(set) var metrics: ToneMetrics
    /// The last path.
    private(set) var trellis: FrameTrellis

    private var interference: InterferenceMetrics

    init(profiles: [Profile]) {
        let toneCount = profiles.map { $0.toneCount }.max() ?? 0
        let symbolCount = FrameLayout.longest.toneCount + ToneMetrics.echoSymbolCount
        metrics = ToneMetrics(maximumSymbolCount: symbolCount, maximumToneCount: toneCount)
        interference = InterferenceMetrics(maximumSymbolCount: symbolCount, maximumToneCount: toneCount)
        energies = [Float](repeating: 0, count: symbolCount * toneCount)
        trellis = FrameTrellis(profiles: profiles, maximumStepCount: FrameLayout.longest.dataToneCount)
    }

    // MARK: Preparing

    /// Measures a frame.
    /// - Returns: the work.
    @discardableResult
    mutating func prepare(_ view: FrameView, _ measurer: inout FrameMeasurer) -> DecodingWork {
        let symbols = 0..<view.layout.toneCount + ToneMetrics.echoSymbolCount
        let erased = measurer.measure(view, symbols, into: &energies)
        return prepareMetrics(view, erased, channelCount: measurer.histories.count)
    }

    /// Measures a frame along a track, whose offset changes.
    /// - Returns: the work.
    mutating func prepare(
        _ view: FrameView, along track: borrowing MotionTrack, _ measurer: inout FrameMeasurer
    ) -> DecodingWork {
        let erased = measurer.measure(
            view, along: track, symbolCount: view.layout.toneCount + ToneMetrics.echoSymbolCount, into: &energies)
        return prepareMetrics(view, erased, channelCount: measurer.histories.count)
    }

    private mutating func prepareMetrics(
        _ view: FrameView, _ erased: ErasedSymbols, channelCount: Int
    ) -> DecodingWork {
        metrics.prepare(
            energies, erased: erased, toneCount: view.profile.toneCount, frameSymbolCount: view.layout.toneCount)
        return DecodingWork.symbolEnergies * (view.layout.toneCount * channelCount)
    }

    /// See `ToneMetrics.echoWeights`.
    func echoWeights(_ profile: Profile) -> SIMD2<Float> {
        metrics.echoWeights(energies, syncTones: profile.syncTones, toneCount: profile.toneCount)
    }

    // MARK: Attempts

    /// Decodes the view that was prepared.
    mutating func decode(
        _ view: FrameView, echo: EchoTreatment = .plain, _ measurer: inout FrameMeasurer
    ) -> PathResult {
        metrics.writeBranchMetrics(
            layout: view.layout, toneCount: view.profile.toneCount, echo: echo, into: &trellis.branchMetrics)
        return decodeBranchMetrics(view, &measurer)
    }

    /// Decodes the view that was prepared, assuming that other talkers disturb it.
    mutating func decodeInterfered(_ view: FrameView, _ measurer: inout FrameMeasurer) -> PathResult {
        let (layout, toneCount) = (view.layout, view.profile.toneCount)
        interference.prepare(energies, erased: metrics.erased, view.profile, symbolCount: layout.toneCount)
        interference.writeBranchMetrics(layout: layout, toneCount: toneCount, into: &trellis.branchMetrics)
        return decodeBranchMetrics(view, &measurer)
    }

    /// Finds the likeliest tones by other metrics, without accepting them: they are in `trellis`.
    mutating func propose(_ layout: FrameLayout, _ profile: Profile, _ write: (inout [Float]) -> Void) {
        write(&trellis.branchMetrics)
        trellis.decode(profile.code, stepCount: layout.dataToneCount)
    }

    private mutating func decodeBranchMetrics(_ view: FrameView, _ measurer: inout FrameMeasurer) -> PathResult {
        guard isHeld(view.layout) else { return .none }
        var result = walk(view, &measurer)
        result.work = DecodingWork.symbolAttempt * view.layout.toneCount
        return result
    }

    /// Walks through the trellis and decides whether to accept the path.
    private mutating func walk(_ view: FrameView, _ measurer: inout FrameMeasurer) -> PathResult {
        let layout = view.layout
        let isTailBiting = trellis.decode(view.profile.code, stepCount: layout.dataToneCount)
        let evidence = EvidenceMeter.measure(trellis.tones, energies, metrics, layout, view.profile)
        guard evidence.isBelievable else { return .refused(.evidence) }
        guard isTailBiting, let payload = trellis.payload(byteCount: layout.payloadByteCount) else {
            return .refused(.check)
        }
        if !evidence.isClear {
            let fit = trellis.pathSum / Float(heldDataToneCount(layout))
            guard fitsBetterThanDecoy(view, byShare: evidence.minimumMarginOverDecoy(fit: fit)) else {
                return .refused(.evidenceDespiteCheck)
            }
        }
        return .decoded(frame(payload, evidence, view, &measurer))
    }

    /// Decodes with the channel that `CoherentMetrics` has estimated.
    /// - Parameters:
    ///   - view: the frame at the previously known offset; the residual offset is added to the result.
    ///   - tones: the tones from which the channel was estimated; shape [layout.toneCount or more].
    ///   - estimate: that channel.
    ///   - coherent: the estimator of that channel.
    ///   - measurer: measures the frame.
    mutating func decodeCoherently(
        _ view: FrameView, _ tones: [Int], _ estimate: ChannelEstimate, _ coherent: inout CoherentMetrics,
        _ measurer: inout FrameMeasurer
    ) -> PathResult {
        coherent.writeBranchMetrics(view, tones: tones, metrics: metrics, measurer, into: &trellis.branchMetrics)
        return walkCoherently(view, estimate, &measurer)
    }

    /// Decodes with the phases that `StillChannel` has estimated.
    mutating func decodeStill(
        _ view: FrameView, _ channel: borrowing StillChannel, _ measurer: inout FrameMeasurer
    ) -> PathResult {
        for step in 0..<view.layout.dataToneCount {
            channel.writeLogLikelihoods(
                symbol: view.layout.dataPlace(step), into: &trellis.branchMetrics, at: step * view.profile.toneCount)
        }
        let estimate = ChannelEstimate(offsetHertz: channel.offsetHertz, coherentRatio: channel.ratio)
        return walkCoherently(view, estimate, &measurer)
    }

    /// Walks through the trellis of coherent metrics and decides whether to accept the path.
    private mutating func walkCoherently(
        _ view: FrameView, _ estimate: ChannelEstimate, _ measurer: inout FrameMeasurer
    ) -> PathResult {
        let layout = view.layout
        guard trellis.decode(view.profile.code, stepCount: layout.dataToneCount),
            let payload = trellis.payload(byteCount: layout.payloadByteCount)
        else { return .refused(.check) }
        guard estimate.coherentRatio >= TrellisAttempt.minimumCoherentRatio else {
            return .refused(.evidenceDespiteCheck)
        }
        let evidence = EvidenceMeter.measure(trellis.tones, energies, metrics, layout, view.profile)
        guard evidence.isBelievableCoherent, fitsBetterThanDecoy(view, byShare: FrameEvidence.minimumCoherentMargin)
        else { return .refused(.evidenceDespiteCheck) }
        return .decoded(frame(payload, evidence, view.moved(by: 0, offsetHertz: estimate.offsetHertz), &measurer))
    }

    // MARK: Acceptance

    /// Whether the path fits better than the decoy by a share of its own fit, the mean of λ over the tones that were not lost.
    private mutating func fitsBetterThanDecoy(_ view: FrameView, byShare share: Float) -> Bool {
        let heldCount = Float(heldDataToneCount(view.layout))
        let margin = share * (trellis.pathSum / heldCount)
        return DecoyTest.passes(
            &trellis, view.profile.code, stepCount: view.layout.dataToneCount, margin: margin
        ) { $0.pathSum / heldCount }
    }

    /// Whether enough of the prepared frame is held.
    func isHeld(_ layout: FrameLayout) -> Bool {
        Float(heldDataToneCount(layout)) / Float(layout.dataToneCount) >= TrellisAttempt.minimumHeldShare
    }

    private func heldDataToneCount(_ layout: FrameLayout) -> Int {
        metrics.erased.heldDataCount(layout)
    }

    /// The decoded frame, with the SNR of the channel that heard it best.
    private mutating func frame(
        _ payload: Payload, _ evidence: FrameEvidence, _ view: FrameView, _ measurer: inout FrameMeasurer
    ) -> DecodedFrame {
        let shares = view.place.shares
        var (best, decibels) = (shares.best, -Float.infinity)
        if shares.isAlone {
            decibels = snrDecibels(evidence.meanToneEnergy, view, best, &measurer)
        } else {
            let tones = FrameTones.tones(of: payload, profile: view.profile)
            for channel in measurer.histories.indices where shares.values[channel] > 0 {
                let energy = meanToneEnergy(tones, view, channel, &measurer)
                let own = snrDecibels(energy, view, channel, &measurer)
                if own > decibels { (best, decibels) = (channel, own) }
            }
        }
        var place = view.place
        place.shares = shares.preferring(best)
        return DecodedFrame(payload: payload, place: place, snrDecibels: decibels, pathMetric: evidence.pathMetric)
    }

    /// The mean energy of a frame's tones in one channel. Overwrites the energies.
    private mutating func meanToneEnergy(
        _ tones: [Int], _ view: FrameView, _ channel: Int, _ measurer: inout FrameMeasurer
    ) -> Float {
        let layout = view.layout
        let erased = measurer.measure(view, ofChannel: channel, 0..<layout.toneCount, into: &energies)
        var sum: Float = 0
        for step in 0..<layout.dataToneCount {
            let symbol = layout.dataPlace(step)
            if erased.contains(symbol) { continue }
            sum += energies[symbol * view.profile.toneCount + tones[symbol]]
        }
        return sum / Float(max(erased.heldDataCount(layout), 1))
    }

    /// Signal power over noise power in the reference bandwidth: E of noise is its power in one tone's width, 1/T.
    /// Overwrites the energies.
    private mutating func snrDecibels(
        _ meanToneEnergy: Float, _ view: FrameView, _ channel: Int, _ measurer: inout FrameMeasurer
    ) -> Float {
        measurer.measure(view, ofChannel: channel, 0..<view.layout.toneCount, windowed: true, into: &energies)
        let quietest = metrics.quietestNoise(
            energies, toneCount: view.profile.toneCount, symbolCount: view.layout.toneCount)
        let noise = quietest / hannNoisePower
        // At least a thousandth of the noise, −30 dB, if there is no signal.
        let perTone = max(meanToneEnergy - noise, 1e-3 * noise) / noise
        return 10 * .log10(perTone * Float(view.profile.toneSpacingHertz) / TrellisAttempt.referenceHertz)
    }
}
