import EarshotCoding
import EarshotDSP
import RealModule

/// What became of an attempt to decode a frame.
enum DecodingOutcome {
    /// A payload whose CRC matches, and the evidence.
    case decoded(Payload, start: Double, snrDecibels: Float, pathMetric: Float)
    /// The best codeword fits no better than it would fit noise.
    case pathMetricOfNoise
    /// A codeword fits, but its CRC does not match.
    case checkMismatch
}

/// Decodes candidates: tone energies, metrics, trellis, CRC, gate.
///
/// Several sampling instants and two metrics compete; the CRC decides. In a room the best instant is later than the
/// direct sound, and the echo metric wins where echoes carry much of the energy; in a crowd the plain one does. The
/// first attempt also says whether there is anything to decode: a codeword that fits no better than one fits noise ends
/// the matter.
struct FrameDecoder: ~Copyable {
    /// Sampling instants tried, in symbols after the candidate's own, likeliest first.
    static let instants: InlineArray<3, Double> = [0, 0.125, -0.125]
    /// What the mean of ln(1 + E/N) over a frame's data tones must reach to be believed.
    nonisolated(unsafe) static var leastPathMetric: Float = 1.42
    /// Below this it is not worth trying again.
    nonisolated(unsafe) static var hopelessPathMetric: Float = 1.38
    /// What the mean of ln(1 + E/N) must reach over the sync tones that no known frame explains.
    nonisolated(unsafe) static var leastUnexplained: Float = 1.2
    /// What the sync tones' likelihood must be of the loudest tones'. Frames that decoded had 0.69 and more (1,400 frames in
    /// noise and rooms); nine in ten chance meetings of a loud frame's tones have less than 0.64.
    nonisolated(unsafe) static var leastSyncShare: Float = 0.66
    /// What the decoded tones' likelihood must be of the loudest tones'.
    nonisolated(unsafe) static var leastPathShare: Float = 0.72
    nonisolated(unsafe) static var probe2: ((Candidate, Float) -> Void)? = nil
    nonisolated(unsafe) static var probe: ((Candidate, Float, Float, FrameLayout, Bool) -> Void)? = nil

    private var trellis: TrellisDecoder
    private var metrics: ToneMetrics
    private var energies: [Float]
    private var branchMetrics: [Float]
    private var pairs: [UInt8]

    init(profiles: [Profile]) {
        let toneCount = profiles.map(\.toneCount).max() ?? 0
        let symbolCount = FrameLayout.longest.toneCount + ToneMetrics.echoSymbolCount
        trellis = TrellisDecoder(
            memoryBits: profiles.map(\.code.memoryBits).max() ?? 0, longestStepCount: FrameLayout.longest.dataToneCount)
        metrics = ToneMetrics(largestSymbolCount: symbolCount, largestToneCount: toneCount)
        energies = [Float](repeating: 0, count: symbolCount * toneCount)
        branchMetrics = [Float](repeating: 0, count: FrameLayout.longest.dataToneCount * toneCount)
        pairs = [UInt8](repeating: 0, count: FrameLayout.longest.dataToneCount)
    }

    /// Whether the sync tones are loud among their neighbours at their times, not just above the noise.
    ///
    /// A pattern that chance made of another frame's tones has that frame's other tones beside it, far louder. Leaves the
    /// metrics prepared for `announcedByteCount`.
    mutating func dominates(
        _ candidate: Candidate, _ chain: ProfileChain, _ history: borrowing BasebandHistory
    ) -> Bool {
        let symbolCount = FrameLayout.syncToneCount + LengthHeader.toneCount
        prepare(candidate, chain, history, delaySymbols: 0, frameSymbolCount: symbolCount)
        FrameDecoder.probe2?(candidate, syncShare(chain))
        return syncShare(chain) >= FrameDecoder.leastSyncShare
    }

    /// The length announced behind the sync pattern of the candidate that `dominates` looked at, other than a token's.
    func announcedByteCount(_ chain: ProfileChain) -> Int? {
        return LengthHypotheses.announcedByteCount(metrics, toneCount: chain.profile.toneCount)
    }

    /// Whether the candidate's sync pattern is more than a chance meeting of the tones of frames that are known.
    ///
    /// A loud frame's data tones meet the pattern in three or four places now and then. Where three or more are explained
    /// by known frames, the others must speak for the pattern on their own.
    mutating func standsAlone(
        _ candidate: Candidate, _ chain: ProfileChain, _ history: borrowing BasebandHistory,
        besides recent: RecentFrames
    ) -> Bool {
        let profile = chain.profile
        let symbolLength = chain.format.symbolLength(offsetHertz: candidate.offsetHertz)
        var explained: UInt8 = 0
        for (symbol, tone) in profile.syncTones.enumerated() {
            let isExplained = recent.explain(
                start: candidate.start + Double(symbol) * symbolLength, length: symbolLength,
                hertz: profile.toneHertz(tone) + Double(candidate.offsetHertz), spacingHertz: profile.toneSpacingHertz)
            explained |= isExplained ? 1 << UInt8(symbol) : 0
        }
        let leftCount = FrameLayout.syncToneCount - explained.nonzeroBitCount
        guard leftCount <= FrameLayout.syncToneCount - 3 else { return true }
        let symbolCount = FrameLayout.syncToneCount + LengthHeader.toneCount
        prepare(candidate, chain, history, delaySymbols: 0, frameSymbolCount: symbolCount)
        var sum: Float = 0
        for (symbol, tone) in profile.syncTones.enumerated() where explained & 1 << UInt8(symbol) == 0 {
            sum += metrics.logLikelihood(symbol * profile.toneCount + tone)
        }
        return leftCount > 0 && sum >= FrameDecoder.leastUnexplained * Float(leftCount)
    }

    /// Tries to decode a frame of that layout at the candidate.
    mutating func decode(
        _ candidate: Candidate, layout: FrameLayout, _ chain: ProfileChain, _ history: borrowing BasebandHistory
    ) -> DecodingOutcome {
        var outcome = DecodingOutcome.pathMetricOfNoise
        for index in FrameDecoder.instants.indices {
            let delay = FrameDecoder.instants[index]
            prepare(candidate, chain, history, delaySymbols: delay, frameSymbolCount: layout.toneCount)
            let weights = metrics.echoWeights(
                energies, syncTones: chain.profile.syncTones, toneCount: chain.profile.toneCount)
            let start = candidate.start + delay * Double(chain.format.samplesPerSymbol)
            for attempt in 0..<2 {
                if attempt == 1 && weights.max() < 0.05 { continue }
                outcome = attemptDecoding(
                    layout, chain, start: start, echoWeights: attempt == 0 ? SIMD2() : weights)
                if case .decoded = outcome { return outcome }
                if index == 0, attempt == 0, case .pathMetricOfNoise = outcome { return outcome }
            }
        }
        return outcome
    }

    /// Σᵢ L[i][syncTone[i]] / Σᵢ max over m of L[i][m]: 1 where every sync tone is the loudest of its symbol.
    private func syncShare(_ chain: ProfileChain) -> Float {
        let toneCount = chain.profile.toneCount
        var own: Float = 0
        var loudest: Float = 0
        for (symbol, tone) in chain.profile.syncTones.enumerated() {
            var highest: Float = 0
            for other in 0..<toneCount {
                highest = max(highest, metrics.logLikelihood(symbol * toneCount + other))
            }
            own += metrics.logLikelihood(symbol * toneCount + tone)
            loudest += highest
        }
        return loudest > 0 ? own / loudest : 0
    }

    private mutating func prepare(
        _ candidate: Candidate, _ chain: ProfileChain, _ history: borrowing BasebandHistory, delaySymbols: Double,
        frameSymbolCount: Int
    ) {
        let symbolCount = frameSymbolCount + ToneMetrics.echoSymbolCount
        let start = candidate.start + delaySymbols * Double(chain.format.samplesPerSymbol)
        chain.energies.measure(
            history, start: start, offsetHertz: candidate.offsetHertz, symbolCount: symbolCount, into: &energies)
        metrics.prepare(energies, toneCount: chain.profile.toneCount, frameSymbolCount: frameSymbolCount)
    }

    private mutating func attemptDecoding(
        _ layout: FrameLayout, _ chain: ProfileChain, start: Double, echoWeights: SIMD2<Float>
    ) -> DecodingOutcome {
        let code = chain.profile.code
        let stepCount = layout.dataToneCount
        metrics.writeBranchMetrics(
            layout: layout, toneBits: code.toneBits, echoWeights: echoWeights, into: &branchMetrics)
        trellis.decode(code, branchMetrics, stepCount: stepCount, into: &pairs)
        let evidence = evidence(layout, chain)
        FrameDecoder.probe?(Candidate(start: start, offsetHertz: Float(chain.profile.toneCount), score: echoWeights.x), evidence.pathMetric, evidence.pathShare, layout, FrameBits.payload(in: pairs.span.extracting(0..<stepCount), byteCount: layout.payloadByteCount) != nil)
        guard evidence.pathMetric >= FrameDecoder.hopelessPathMetric, evidence.pathShare >= FrameDecoder.leastPathShare
        else { return .pathMetricOfNoise }
        guard
            let payload = FrameBits.payload(
                in: pairs.span.extracting(0..<stepCount), byteCount: layout.payloadByteCount)
        else { return .checkMismatch }
        guard evidence.pathMetric >= FrameDecoder.leastPathMetric else { return .pathMetricOfNoise }
        return .decoded(
            payload, start: start, snrDecibels: evidence.snrDecibels, pathMetric: evidence.pathMetric)
    }

    /// The decoded tones' mean log-likelihood, and the SNR that their energies speak of.
    private func evidence(_ layout: FrameLayout, _ chain: ProfileChain) -> (pathMetric: Float, pathShare: Float, snrDecibels: Float) {
        let code = chain.profile.code
        let stepCount = layout.dataToneCount
        var state = 0
        for step in max(0, stepCount - (code.memoryBits + 1) / 2)..<stepCount {
            state = (state << 2 | Int(pairs[step])) & (code.stateCount - 1)
        }
        var sum: Float = 0
        var energy: Float = 0
        var loudest: Float = 0
        for step in 0..<stepCount {
            let register = state << 2 | Int(pairs[step])
            state = register & (code.stateCount - 1)
            let tone = Int(code.tones[register]) ^ ToneScrambler.mask(step: step, toneBits: code.toneBits)
            let cell = (layout.firstDataTone + step) * code.toneCount + tone
            sum += metrics.logLikelihood(cell)
            energy += energies[cell]
            var highest: Float = 0
            for other in 0..<code.toneCount {
                highest = max(highest, metrics.logLikelihood((layout.firstDataTone + step) * code.toneCount + other))
            }
            loudest += highest
        }
        // E of noise is its power in one tone's width, 1/T; the reference is 1,500 Hz.
        let perTone = max(energy / Float(stepCount) - metrics.meanNoise, 1e-3 * metrics.meanNoise) / metrics.meanNoise
        let referenceHertz: Float = 1_500
        let snr = perTone * Float(chain.profile.toneSpacingHertz) / referenceHertz
        return (sum / Float(stepCount), sum / max(loudest, 1e-9), 10 * .log10(snr))
    }
}
