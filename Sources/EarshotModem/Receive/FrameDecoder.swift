import EarshotCoding
import EarshotDSP
import RealModule

/// A payload whose CRC matches, where it was found, and the evidence.
struct DecodedFrame {
    var payload: Payload
    /// Where it was found: the start and offset that the decoding used.
    var place: Candidate
    var snrDecibels: Float
    var pathMetric: Float
}

/// What became of an attempt to decode a frame.
enum DecodingOutcome {
    /// It is one.
    case decoded(DecodedFrame)
    /// The best codeword fits no better than it would fit noise.
    case pathMetricOfNoise
    /// A codeword fits, but its CRC does not match.
    case checkMismatch
}

/// Decodes candidates: tone energies, metrics, trellis, CRC, gate.
///
/// Several sampling instants and the metrics of `ToneMetrics` compete; the CRC decides, and `FrameEvidence` has to agree.
/// The first attempt also says whether there is anything to decode: where the sync pattern is no louder than noise's may be,
/// a codeword that fits no better than one fits noise ends the matter.
struct FrameDecoder: ~Copyable {
    /// The sync pattern's tones and the length header's.
    static let preambleToneCount = FrameLayout.syncToneCount + LengthHeader.toneCount
    /// The bandwidth that SNR refers to.
    static let referenceHertz: Float = 1_500
    /// Sampling instants tried, in symbols after the candidate's own, likeliest first. The last two are for rooms where the
    /// echo is so loud that the search took it for the direct sound.
    static let instants: InlineArray<7, Double> = [0, 0.25, -0.25, 0.5, -0.5, -0.75, -1]
    /// A sync score above this is not noise's: such a candidate is worth all attempts.
    static let loudScore: Float = 14
    /// Where in the scrambler's sequence the decoy starts; no frame is so long.
    static let decoyScramblerStart = 10_000
    /// Echo weights below this make no difference.
    static let leastEchoWeight: Float = 0.05
    /// Offsets of so many tone spacings may be a room's doing; smaller ones make no difference.
    static let forgettableOffsets: ClosedRange<Float> = 0.08...0.6
    /// What share of its data tones must be left of a frame with a hole in it.
    static let leastHeldShare: Float = 0.7
    /// What the sync tones' likelihood must be of the loudest tones'. Frames that decoded alone had 0.68 and more (1,400 frames
    /// in noise and rooms); nine in ten chance meetings of a loud frame's tones have less than 0.64. In a crowd others'
    /// tones are as loud; with 0.66 three talkers in room B decode 83 %, with 0.55 96 %.
    static let leastSyncShare: Float = 0.58
    static let leastUnrefinedSyncShare: Float = 0.42
    /// From this share on a candidate is worth all attempts; below, where most are chance meetings, only the first instant.
    static let plausibleSyncShare: Float = 0.65
    /// From this share on a pattern is hardly one by chance: it does not wait for others, and stands beside a lone frame.
    static let clearSyncShare: Float = 0.75

    private var trellis: TrellisDecoder
    private var metrics: ToneMetrics
    private var collisions: CollisionMetrics
    private var energies: [Float]
    private var branchMetrics: [Float]
    private var pairs: [UInt8]
    private var decodedLikelihoods: [Float]
    private var scratch: [Float]
    private let likelihood = FrameLikelihood()
    private var tones: [Int]
    private var previousTones: [Int]
    private var weights: [Float]
    private var inverseNoise: [Float]
    private var tentatives: [UInt8]
    private var tentativePlaces: [Candidate]

    init(profiles: [Profile]) {
        let toneCount = profiles.map(\.toneCount).max() ?? 0
        let symbolCount = FrameLayout.longest.toneCount + ToneMetrics.echoSymbolCount
        trellis = TrellisDecoder(
            memoryBits: profiles.map(\.code.memoryBits).max() ?? 0, longestStepCount: FrameLayout.longest.dataToneCount)
        metrics = ToneMetrics(largestSymbolCount: symbolCount, largestToneCount: toneCount)
        collisions = CollisionMetrics(largestSymbolCount: symbolCount, largestToneCount: toneCount)
        energies = [Float](repeating: 0, count: symbolCount * toneCount)
        branchMetrics = [Float](repeating: 0, count: FrameLayout.longest.dataToneCount * toneCount)
        pairs = [UInt8](repeating: 0, count: FrameLayout.longest.dataToneCount)
        decodedLikelihoods = [Float](repeating: 0, count: FrameLayout.longest.dataToneCount)
        scratch = decodedLikelihoods
        tones = [Int](repeating: 0, count: FrameLayout.longest.toneCount)
        previousTones = tones
        weights = [Float](repeating: 0, count: FrameLayout.longest.toneCount)
        inverseNoise = [Float](repeating: 0, count: toneCount)
        tentatives = []
        tentatives.reserveCapacity(FrameDecoder.tentativeCount * FrameLayout.longest.dataToneCount)
        tentativePlaces = []
        tentativePlaces.reserveCapacity(FrameDecoder.tentativeCount)
    }

    /// How loud the sync tones are among their neighbours at their times, not just above the noise:
    /// Σᵢ L[i][syncTone[i]] / Σᵢ max over m of L[i][m].
    ///
    /// A pattern that chance made of another frame's tones has that frame's other tones beside it, far louder.
    ///
    /// Asked twice: of the search's candidate, before anything is spent on it, from the sync tones alone; and of the
    /// refined one when the length header is there too. Then the metrics are left prepared for `announcedByteCount`.
    mutating func dominance(
        _ candidate: Candidate, isRefined: Bool, _ chain: ProfileChain, _ history: borrowing BasebandHistory
    ) -> Float {
        let symbolCount = isRefined ? FrameDecoder.preambleToneCount : FrameLayout.syncToneCount
        prepare(candidate, chain, history, delaySymbols: 0, frameSymbolCount: symbolCount)
        return syncShare(chain)
    }

    /// The length announced behind the sync pattern of the candidate that `dominance` looked at, other than a token's.
    func announcedByteCount(_ chain: ProfileChain) -> Int? {
        LengthHypotheses.announcedByteCount(metrics, profile: chain.profile)
    }

    /// Tries to decode a frame of that layout at the candidate.
    mutating func decode(
        _ candidate: Candidate, layout: FrameLayout, _ chain: ProfileChain, _ history: borrowing BasebandHistory
    ) -> DecodingOutcome {
        let outcome = decodeNear(candidate, layout, chain, history)
        // A room shifts the loudest frequency of short symbols, but most devices stand still: try that they do.
        let spacings = abs(candidate.offsetHertz) / Float(chain.profile.toneSpacingHertz)
        guard case .checkMismatch = outcome, candidate.dominance >= FrameDecoder.plausibleSyncShare,
            FrameDecoder.forgettableOffsets.contains(spacings)
        else { return outcome }
        var still = candidate
        still.offsetHertz = 0
        if case .decoded(let frame) = decodeNear(still, layout, chain, history) {
            return .decoded(frame)
        }
        return outcome
    }

    static let tentativeCount = 4
    static let leastLogRatio: Float = 9
    static let plausibleLogRatio: Float = 18
    /// How much is tried to mend what failed.
    struct Effort {
        var tentativeCount: Int
        var peakCount: Int
        var roundCount: Int
        static let doubtful = Effort(tentativeCount: 1, peakCount: 3, roundCount: 4)
        static let plausible = Effort(tentativeCount: 4, peakCount: 3, roundCount: 5)
    }
    static let leastCoherentRatio: Float = 1.5

    /// Notes the path just decoded as one that a coherent look may mend.
    private mutating func noteTentative(_ stepCount: Int, _ place: Candidate) {
        guard tentativePlaces.count < FrameDecoder.tentativeCount else { return }
        tentativePlaces.append(place)
        for step in 0..<stepCount {
            tentatives.append(pairs[step])
        }
    }

    /// Decodes along a changing offset, if it changes noticeably.
    private mutating func decodeMoving(
        _ candidate: Candidate, _ layout: FrameLayout, _ chain: ProfileChain, _ history: borrowing BasebandHistory
    ) -> DecodedFrame? {
        guard chain.track.follow(candidate, symbolCount: layout.toneCount, history) else { return nil }
        let symbolCount = layout.toneCount + ToneMetrics.echoSymbolCount
        chain.energies.measure(history, along: chain.track, symbolCount: symbolCount, into: &energies)
        metrics.prepare(
            energies, erased: chain.energies.erased, toneCount: chain.profile.toneCount,
            frameSymbolCount: layout.toneCount)
        var place = candidate
        (place.start, place.offsetHertz) = (chain.track.starts[0], chain.track.offsetsHertz[0])
        if case .decoded(let frame) = attemptDecoding(layout, chain, place, history, .plain) { return frame }
        return nil
    }

    /// Makes the tones of the frame whose pairs were decoded.
    private mutating func makeTones(_ layout: FrameLayout, _ chain: ProfileChain) {
        let (code, stepCount) = (chain.profile.code, layout.dataToneCount)
        for (symbol, tone) in chain.profile.syncTones.enumerated() {
            tones[symbol] = tone
        }
        for index in 0..<layout.headerToneCount {
            tones[FrameLayout.syncToneCount + index] = LengthHeader.tone(
                index, byteCount: layout.payloadByteCount, toneAlphabet: code.toneCount)
        }
        var state = code.tailBitingState(pairs, count: stepCount)
        for step in 0..<stepCount {
            let register = state << 2 | Int(pairs[step])
            state = register & (code.stateCount - 1)
            tones[layout.firstDataTone + step] =
                Int(code.tones[register]) ^ ToneScrambler.mask(step: step, toneBits: code.toneBits)
        }
    }

    /// Mends a tentative path: learns the channel from it, decodes again with that, and so on.
    private mutating func decodeCoherently(
        tentative: Int, _ effort: Effort, _ layout: FrameLayout, _ chain: ProfileChain,
        _ history: borrowing BasebandHistory
    ) -> DecodingOutcome {
        let (code, stepCount) = (chain.profile.code, layout.dataToneCount)
        let place = tentativePlaces[tentative]
        prepare(place, chain, history, delaySymbols: 0, frameSymbolCount: layout.toneCount)
        let noise = metrics.commonNoise
        for rank in 0..<effort.peakCount {
            for step in 0..<stepCount {
                pairs[step] = tentatives[tentative * stepCount + step]
            }
            makeTones(layout, chain)
            for symbol in 0..<layout.toneCount {
                weights[symbol] =
                    symbol < layout.firstDataTone
                    ? 1
                    : likelihood.share(
                        energies, inverseNoise: metrics.inverses, toneCount: code.toneCount, symbol: symbol,
                        tone: tones[symbol])
            }
            var offsetHertz = place.offsetHertz
            for round in 0..<effort.roundCount {
                chain.coherent.correlate(
                    tones: tones, symbolCount: layout.toneCount, weights: weights, start: place.start,
                    offsetHertz: offsetHertz, noise: noise, history)
                guard
                    let peak = chain.coherent.peakHertz(
                        rank: round == 0 ? rank : 0, stillHertz: round == 0 && rank == 2 ? -offsetHertz : nil,
                        symbolCount: layout.toneCount)
                else { break }
                chain.coherent.estimate(symbolCount: layout.toneCount, offsetHertz: peak, noise: noise)
                chain.coherent.writeBranchMetrics(
                    layout: layout, tones: tones, start: place.start, offsetHertz: offsetHertz,
                    metrics: metrics, history, symbol: &chain.products, into: &branchMetrics)
                let isTailBiting = trellis.decode(code, branchMetrics, stepCount: stepCount, into: &pairs)
                if isTailBiting,
                    let payload = FrameBits.payload(
                        in: pairs.span.extracting(0..<stepCount), byteCount: layout.payloadByteCount),
                    chain.coherent.coherentRatio >= FrameDecoder.leastCoherentRatio
                {
                    var found = place
                    found.offsetHertz = offsetHertz + peak
                    let evidence = evidence(layout, chain)
                    return .decoded(
                        DecodedFrame(
                            payload: payload, place: found,
                            snrDecibels: snrDecibels(
                                layout, chain, found, history, meanToneEnergy: evidence.meanToneEnergy),
                            pathMetric: evidence.pathMetric))
                }
                offsetHertz += peak
                for symbol in 0..<layout.toneCount {
                    previousTones[symbol] = tones[symbol]
                    weights[symbol] = 1
                }
                makeTones(layout, chain)
                var isSame = true
                for symbol in 0..<layout.toneCount where tones[symbol] != previousTones[symbol] {
                    isSame = false
                }
                if isSame { break }
            }
        }
        return .checkMismatch
    }

    static let leastUnalignedLogRatio: Float = 0
    static let clearLogRatio: Float = 60
    static let glanceSymbolCount = 24
    static let leastGlanceLogRatio: Float = -8
    static let leastSyncLogRatio: Float = 3

    /// Λ at a place, as far as it takes to know that it is low.
    private mutating func logRatio(
        _ place: Candidate, _ layout: FrameLayout, _ chain: ProfileChain, _ history: borrowing BasebandHistory
    ) -> Float {
        chain.search.writeInverseNoise(offsetHertz: place.offsetHertz, into: &inverseNoise, scratch: &scratch)
        var sum: Float = 0
        var symbols = 0..<FrameDecoder.glanceSymbolCount
        while true {
            chain.energies.measure(
                history, start: place.start, offsetHertz: place.offsetHertz, firstSymbol: symbols.lowerBound,
                symbolCount: symbols.upperBound, into: &energies)
            sum += likelihood.logRatio(energies, inverseNoise: inverseNoise, profile: chain.profile, symbols: symbols)
            guard symbols.upperBound < layout.toneCount, sum >= FrameDecoder.leastGlanceLogRatio else { return sum }
            let next = min(symbols.upperBound + ToneEnergies.batchCount, layout.toneCount)
            symbols = symbols.upperBound..<next
        }
    }

    /// Moves a place to where the whole frame is likeliest.
    private mutating func align(
        _ place: inout Candidate, _ logRatio: Float, _ layout: FrameLayout, _ chain: ProfileChain,
        _ history: borrowing BasebandHistory
    ) -> Float {
        var best = logRatio
        let spacing = Float(chain.profile.toneSpacingHertz)
        for round in 0..<2 {
            let timeStep = Double(chain.format.samplesPerSymbol) / 16 / Double(1 + round)
            let offsetStep = 0.08 * spacing / Float(1 + round)
            for isTime in [true, false] {
                let middle = place
                var ratios = InlineArray<5, Float>(repeating: best)
                var bestIndex = 2
                for index in 0..<5 where index != 2 {
                    var other = middle
                    if isTime {
                        other.start += Double(index - 2) * timeStep
                    } else {
                        other.offsetHertz += Float(index - 2) * offsetStep
                    }
                    ratios[index] = self.logRatio(other, layout, chain, history)
                    if ratios[index] > ratios[bestIndex] {
                        bestIndex = index
                    }
                }
                var step = Float(bestIndex - 2)
                if bestIndex > 0 && bestIndex < 4 {
                    let (left, right) = (ratios[bestIndex - 1], ratios[bestIndex + 1])
                    let curvature = left - 2 * ratios[bestIndex] + right
                    if curvature < 0 {
                        step += 0.5 * (left - right) / curvature
                    }
                }
                if isTime {
                    place.start = middle.start + Double(step) * timeStep
                } else {
                    place.offsetHertz = middle.offsetHertz + step * offsetStep
                }
                best = self.logRatio(place, layout, chain, history)
            }
        }
        return best
    }

    /// Tries instants and metrics at one frequency offset, and mends what they leave.
    private mutating func decodeNear(
        _ candidate: Candidate, _ layout: FrameLayout, _ chain: ProfileChain, _ history: borrowing BasebandHistory
    ) -> DecodingOutcome {
        tentatives.removeAll(keepingCapacity: true)
        tentativePlaces.removeAll(keepingCapacity: true)
        var candidate = candidate
        var logRatio = logRatio(candidate, layout, chain, history)
        guard logRatio >= FrameDecoder.leastUnalignedLogRatio else { return .pathMetricOfNoise }
        if logRatio < FrameDecoder.clearLogRatio {
            logRatio = align(&candidate, logRatio, layout, chain, history)
        }
        guard logRatio >= FrameDecoder.leastLogRatio,
            abs(candidate.offsetHertz) <= 1.1 * Float(chain.profile.largestOffset) * Float(chain.profile.centreHertz)
        else { return .pathMetricOfNoise }
        let syncRatio = likelihood.syncLogRatio(energies, inverseNoise: inverseNoise, profile: chain.profile)
        guard syncRatio >= FrameDecoder.leastSyncLogRatio else { return .pathMetricOfNoise }
        let first = decodeNoncoherently(candidate, layout, chain, history)
        if case .decoded = first { return first }
        if let moving = decodeMoving(candidate, layout, chain, history) { return .decoded(moving) }
        let effort = logRatio < FrameDecoder.plausibleLogRatio ? Effort.doubtful : .plausible
        for tentative in 0..<min(tentativePlaces.count, effort.tentativeCount) {
            let outcome = decodeCoherently(tentative: tentative, effort, layout, chain, history)
            if case .decoded = outcome { return outcome }
        }
        return first
    }

    /// Tries instants and metrics at one frequency offset.
    private mutating func decodeNoncoherently(
        _ candidate: Candidate, _ layout: FrameLayout, _ chain: ProfileChain, _ history: borrowing BasebandHistory
    ) -> DecodingOutcome {
        let instantCount =
            candidate.dominance >= FrameDecoder.plausibleSyncShare ? FrameDecoder.instants.count : 1
        for index in 0..<instantCount {
            let delay = FrameDecoder.instants[index]
            prepare(candidate, chain, history, delaySymbols: delay, frameSymbolCount: layout.toneCount)
            var placed = candidate
            placed.start += delay * Double(chain.format.samplesPerSymbol)
            let plain = attemptDecoding(layout, chain, placed, history, .plain)
            if case .decoded = plain { return plain }
            noteTentative(layout.dataToneCount, placed)
            if index == 0, candidate.score < FrameDecoder.loudScore, case .pathMetricOfNoise = plain { return plain }
            collisions.prepare(
                energies, erased: chain.energies.erased, chain.profile, symbolCount: layout.toneCount)
            let crowd = attemptDecoding(layout, chain, placed, history, .crowd)
            if case .decoded = crowd { return crowd }
            let weights = metrics.echoWeights(
                energies, syncTones: chain.profile.syncTones, toneCount: chain.profile.toneCount)
            guard weights.max() >= FrameDecoder.leastEchoWeight else { continue }
            let onset = attemptDecoding(layout, chain, placed, history, .onset(weights))
            if case .decoded = onset { return onset }
            let echo = attemptDecoding(layout, chain, placed, history, .echo(weights))
            if case .decoded = echo { return echo }
            noteTentative(layout.dataToneCount, placed)
        }
        return .checkMismatch
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
        metrics.prepare(
            energies, erased: chain.energies.erased, toneCount: chain.profile.toneCount,
            frameSymbolCount: frameSymbolCount)
    }

    private mutating func attemptDecoding(
        _ layout: FrameLayout, _ chain: ProfileChain, _ place: Candidate, _ history: borrowing BasebandHistory,
        _ echo: EchoTreatment
    ) -> DecodingOutcome {
        let code = chain.profile.code
        let stepCount = layout.dataToneCount
        guard heldShare(layout) >= FrameDecoder.leastHeldShare else { return .pathMetricOfNoise }
        writeBranchMetrics(layout, code, echo: echo, scramblerStart: 0)
        let isTailBiting = trellis.decode(code, branchMetrics, stepCount: stepCount, into: &pairs)
        let evidence = evidence(layout, chain)
        guard evidence.isBelievable else { return .pathMetricOfNoise }
        guard isTailBiting,
            let payload = FrameBits.payload(
                in: pairs.span.extracting(0..<stepCount), byteCount: layout.payloadByteCount)
        else { return .checkMismatch }
        guard fitsBetterThanDecoy(layout, code, echo: echo, evidence) else { return .pathMetricOfNoise }
        return .decoded(
            DecodedFrame(
                payload: payload, place: place,
                snrDecibels: snrDecibels(
                    layout, chain, place, history, meanToneEnergy: evidence.meanToneEnergy),
                pathMetric: evidence.pathMetric))
    }

    private mutating func writeBranchMetrics(
        _ layout: FrameLayout, _ code: TrellisCode, echo: EchoTreatment, scramblerStart: Int
    ) {
        if echo.isForCrowds {
            collisions.writeBranchMetrics(
                layout: layout, toneBits: code.toneBits, scramblerStart: scramblerStart, into: &branchMetrics)
        } else {
            metrics.writeBranchMetrics(
                layout: layout, toneBits: code.toneBits, echo: echo, scramblerStart: scramblerStart,
                into: &branchMetrics)
        }
    }

    /// Whether the decoded path fits clearly better than the best path under a scrambling that nobody sends.
    ///
    /// That decoy is what the decoder finds where there is no frame, in just these energies. It is asked only after the CRC has
    /// matched, so it costs one more walk through the trellis a frame.
    private mutating func fitsBetterThanDecoy(
        _ layout: FrameLayout, _ code: TrellisCode, echo: EchoTreatment, _ evidence: FrameEvidence
    ) -> Bool {
        let stepCount = layout.dataToneCount
        let own = meanBranchMetric(layout, code)
        writeBranchMetrics(layout, code, echo: echo, scramblerStart: FrameDecoder.decoyScramblerStart)
        trellis.decode(code, branchMetrics, stepCount: stepCount, into: &pairs)
        let margin = own - meanBranchMetric(layout, code)
        return margin >= evidence.leastMarginOverDecoy(fit: own)
    }

    /// The share of the data tones that were not lost.
    private func heldShare(_ layout: FrameLayout) -> Float {
        Float(heldDataToneCount(layout)) / Float(layout.dataToneCount)
    }

    private func heldDataToneCount(_ layout: FrameLayout) -> Int {
        metrics.erased.heldCount(layout.firstDataTone..<layout.toneCount)
    }

    /// The mean of the branch metrics along the decoded path, over the tones that were not lost.
    private func meanBranchMetric(_ layout: FrameLayout, _ code: TrellisCode) -> Float {
        let stepCount = layout.dataToneCount
        var state = code.tailBitingState(pairs, count: stepCount)
        var sum: Float = 0
        for step in 0..<stepCount {
            let register = state << 2 | Int(pairs[step])
            state = register & (code.stateCount - 1)
            sum += branchMetrics[step * code.toneCount + Int(code.tones[register])]
        }
        return sum / Float(heldDataToneCount(layout))
    }

    /// See `FrameEvidence.unsteadiness`.
    private mutating func unsteadiness(_ likelihoods: [Float], count: Int) -> Float {
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

    /// Signal power over noise power in the reference bandwidth: E of noise is its power in one tone's width, 1/T.
    private mutating func snrDecibels(
        _ layout: FrameLayout, _ chain: ProfileChain, _ place: Candidate, _ history: borrowing BasebandHistory,
        meanToneEnergy: Float
    ) -> Float {
        chain.energies.measure(
            history, start: place.start, offsetHertz: place.offsetHertz, symbolCount: layout.toneCount, windowed: true,
            into: &energies)
        let quietest = metrics.quietestNoise(
            energies, toneCount: chain.profile.toneCount, symbolCount: layout.toneCount)
        let noise = quietest / ToneEnergies.windowedNoisePower
        let perTone = max(meanToneEnergy - noise, 1e-3 * noise) / noise
        return 10 * .log10(perTone * Float(chain.profile.toneSpacingHertz) / FrameDecoder.referenceHertz)
    }

    /// What speaks for the decoded path.
    private mutating func evidence(_ layout: FrameLayout, _ chain: ProfileChain) -> FrameEvidence {
        let code = chain.profile.code
        let stepCount = layout.dataToneCount
        var state = code.tailBitingState(pairs, count: stepCount)
        var sum: Float = 0
        var energy: Float = 0
        var loudest: Float = 0
        var heldCount = 0
        for step in 0..<stepCount {
            let register = state << 2 | Int(pairs[step])
            state = register & (code.stateCount - 1)
            if metrics.erased.contains(layout.firstDataTone + step) { continue }
            let tone = Int(code.tones[register]) ^ ToneScrambler.mask(step: step, toneBits: code.toneBits)
            let cell = (layout.firstDataTone + step) * code.toneCount + tone
            sum += metrics.logLikelihood(cell)
            decodedLikelihoods[heldCount] = metrics.logLikelihood(cell)
            heldCount += 1
            energy += energies[cell]
            var highest: Float = 0
            for other in 0..<code.toneCount {
                highest = max(highest, metrics.logLikelihood((layout.firstDataTone + step) * code.toneCount + other))
            }
            loudest += highest
        }
        var syncSum: Float = 0
        for (symbol, tone) in chain.profile.syncTones.enumerated() {
            syncSum += metrics.logLikelihood(symbol * code.toneCount + tone)
        }
        let heldSyncCount = metrics.erased.heldCount(0..<FrameLayout.syncToneCount)
        let pathMetric = sum / Float(heldCount)
        return FrameEvidence(
            pathMetric: pathMetric, pathShare: sum / max(loudest, .leastNormalMagnitude),
            syncRatio: syncSum / Float(max(heldSyncCount, 1)) / max(pathMetric, .leastNormalMagnitude),
            unsteadiness: unsteadiness(decodedLikelihoods, count: heldCount), meanToneEnergy: energy / Float(heldCount))
    }
}
