import EarshotCoding
import EarshotDSP
import RealModule

/// A payload whose CRC matches, read from several frames of a burst together.
struct RepeatedFrame {
    var payload: Payload
    /// Where the burst was found: the start of its first place.
    var place: Candidate
    /// Which of the places had a frame; shape [R].
    var isPresent: InlineArray<8, Bool>
    var snrDecibels: Float
    var pathMetric: Float
}

/// Decodes bursts of tokens: R frames one burst spacing apart, each too quiet alone.
///
///     Λ = Σⱼ ln (ε + (1 − ε)·e^{Λⱼ}),   ε = e⁻⁶,   xⱼ = Eⱼ/Nⱼ,   j = 0 ..< R
///     λ[k][m] = Σⱼ wⱼ·ln φ(xⱼ[k][m]),   wⱼ = (1 − ε)·e^{Λⱼ}/(ε + (1 − ε)·e^{Λⱼ})
///
/// with φ and Λⱼ of `FrameLikelihood`: the log-likelihood of a tone in all repeats, each counting as likely as it is there at
/// all. ε is how often a repeat is missing: a burst of fewer frames, or one that came in halfway, costs 6 a frame. Λ is a
/// likelihood ratio like each Λⱼ: noise exceeds it once in e^Λ places at most. Each frame has its own noise, since seconds
/// lie between them. The phases of the repeats are not used.
///
/// Cost: 54·R transforms for a first look, 30 times that where there may be something, and then one or two walks through
/// the trellis. No allocation after `init` until a token is found.
struct RepeatDecoder: ~Copyable {
    /// ρ of φ: 3.2 dB of tone energy over noise, that of four repeats at the edge of decoding.
    private static let designRatio = 2.1
    /// What Λ must reach before the place was moved to its best, and afterwards.
    private static let leastUnalignedLogRatio: Float = -8
    private static let leastLogRatio: Float = 3
    /// What the sync symbols must add to it by having their own tones rather than any.
    private static let leastSyncLogRatio: Float = 6
    /// By what share of itself a fit must beat that of the best path under a scrambling that nobody sends.
    private static let leastMargin: Float = 0.02
    /// ε: how often a repeat is missing.
    private static let missingShare: Float = 0.0025
    private static let roundCount = 3
    private static let symbolCount = FrameLayout.token.toneCount
    private static let measuredCount = symbolCount + ToneMetrics.echoSymbolCount

    private let repeatCount: Int
    private let likelihood = FrameLikelihood(designRatio: RepeatDecoder.designRatio)
    private var trellis: TrellisDecoder
    private var metrics: ToneMetrics
    private var energies: [Float]
    /// x; shape [R][K][M].
    private var ratios: [Float]
    private var branchMetrics: [Float]
    private var pairs: [UInt8]
    /// 1/N of all frames; shape [R][M].
    private var inverseNoises: [Float]
    private var inverseNoise: [Float]
    /// Λⱼ of the latest place.
    private var logRatios = InlineArray<8, Float>(repeating: 0)
    private var syncLogRatio: Float = 0
    /// wⱼ, as they are used.
    private var weights = InlineArray<8, Float>(repeating: 0)

    init(profiles: [Profile], repeatCount: Int) {
        self.repeatCount = repeatCount
        let toneCount = profiles.map(\.toneCount).max() ?? 0
        let stepCount = FrameLayout.token.dataToneCount
        trellis = TrellisDecoder(
            memoryBits: profiles.map(\.code.memoryBits).max() ?? 0, longestStepCount: stepCount)
        metrics = ToneMetrics(largestSymbolCount: RepeatDecoder.measuredCount, largestToneCount: toneCount)
        energies = [Float](repeating: 0, count: RepeatDecoder.measuredCount * toneCount)
        ratios = [Float](repeating: 0, count: repeatCount * RepeatDecoder.symbolCount * toneCount)
        branchMetrics = [Float](repeating: 0, count: stepCount * toneCount)
        pairs = [UInt8](repeating: 0, count: stepCount)
        inverseNoises = [Float](repeating: 0, count: repeatCount * toneCount)
        inverseNoise = [Float](repeating: 0, count: toneCount)
    }

    /// Tries to decode a burst of tokens at a candidate.
    mutating func decode(
        _ candidate: Candidate, _ chain: ProfileChain, _ history: borrowing BasebandHistory
    ) -> RepeatedFrame? {
        var place = candidate
        measureNoise(place, chain, history)
        var ratio = glance(&place, chain, history)
        guard ratio >= RepeatDecoder.leastUnalignedLogRatio else { return nil }
        ratio = align(&place, ratio, chain, history)
        let largestHertz = 1.1 * Float(chain.profile.largestOffset) * Float(chain.profile.centreHertz)
        guard ratio >= RepeatDecoder.leastLogRatio, abs(place.offsetHertz) <= largestHertz else { return nil }
        _ = logRatio(place, chain, history)
        guard syncLogRatio >= RepeatDecoder.leastSyncLogRatio else { return nil }
        measureRatios(place, chain, history)
        for index in 0..<repeatCount {
            weights[index] = weight(index)
        }
        if let payload = decodeWeighted(chain.profile.code) { return frame(payload, place, chain) }
        // A frame so damaged that it looks missing may still help.
        var isOneDoubtful = false
        for index in 0..<repeatCount where weights[index] < 0.9 {
            (isOneDoubtful, weights[index]) = (true, 1)
        }
        guard isOneDoubtful, let payload = decodeWeighted(chain.profile.code) else { return nil }
        return frame(payload, place, chain)
    }

    /// Decodes what the frames weigh together.
    private mutating func decodeWeighted(_ code: TrellisCode) -> Payload? {
        let stepCount = FrameLayout.token.dataToneCount
        writeBranchMetrics(code, scramblerStart: 0)
        guard trellis.decode(code, branchMetrics, stepCount: stepCount, into: &pairs),
            let payload = FrameBits.payload(
                in: pairs.span.extracting(0..<stepCount), byteCount: Payload.tokenCount)
        else { return nil }
        let own = pathSum(code)
        writeBranchMetrics(code, scramblerStart: PathDecoding.decoyScramblerStart)
        trellis.decode(code, branchMetrics, stepCount: stepCount, into: &pairs)
        return own - pathSum(code) >= RepeatDecoder.leastMargin * abs(own) ? payload : nil
    }

    /// Where the frame of a place begins, the first one's number being 0.
    static func start(_ index: Int, of place: Candidate, _ format: BasebandFormat) -> Double {
        place.start
            + Double(index * RepeatSearch.spacingSymbolCount) * format.symbolLength(offsetHertz: place.offsetHertz)
    }

    /// Λ at a place, and Λⱼ.
    private mutating func logRatio(
        _ place: Candidate, _ chain: ProfileChain, _ history: borrowing BasebandHistory
    ) -> Float {
        let toneCount = chain.profile.toneCount
        var sum: Float = 0
        syncLogRatio = 0
        for index in 0..<repeatCount {
            chain.energies.measure(
                history, start: Self.start(index, of: place, chain.format), offsetHertz: place.offsetHertz,
                symbolCount: RepeatDecoder.symbolCount, into: &energies)
            for tone in 0..<toneCount {
                inverseNoise[tone] = inverseNoises[index * toneCount + tone]
            }
            let ratio = likelihood.logRatio(
                energies, inverseNoise: inverseNoise, profile: chain.profile, symbols: 0..<RepeatDecoder.symbolCount,
                erased: chain.energies.erased)
            logRatios[index] = ratio
            sum += ratio > 60 ? ratio : .log(Self.missingShare + (1 - Self.missingShare) * .exp(ratio))
            syncLogRatio +=
                weight(index)
                * likelihood.syncLogRatio(energies, inverseNoise: inverseNoise, profile: chain.profile)
        }
        return sum
    }

    /// Moves a place to the best of nine around it: the search's grid is a quarter symbol and half a spacing wide.
    private mutating func glance(
        _ place: inout Candidate, _ chain: ProfileChain, _ history: borrowing BasebandHistory
    ) -> Float {
        let middle = place
        let timeStep = Double(chain.format.samplesPerSymbol) / 8
        let offsetStep = 0.2 * Float(chain.profile.toneSpacingHertz)
        var best = -Float.infinity
        for offset in -1...1 {
            let tuned = moved(middle, by: Double(offset), false, timeStep, offsetStep, chain.format)
            for time in -1...1 {
                let other = moved(tuned, by: Double(time), true, timeStep, offsetStep, chain.format)
                let ratio = logRatio(other, chain, history)
                if ratio > best {
                    (best, place) = (ratio, other)
                }
            }
        }
        return best
    }

    /// wⱼ: how likely it is that there is a frame.
    private func weight(_ index: Int) -> Float {
        1 / (1 + Self.missingShare / (1 - Self.missingShare) * .exp(-logRatios[index]))
    }

    /// Moves a place to where the whole burst is likeliest. Where the offset changes, the burst's middle stays.
    private mutating func align(
        _ place: inout Candidate, _ logRatio: Float, _ chain: ProfileChain, _ history: borrowing BasebandHistory
    ) -> Float {
        var best = logRatio
        let spacing = Float(chain.profile.toneSpacingHertz)
        for round in 0..<RepeatDecoder.roundCount {
            let timeStep = Double(chain.format.samplesPerSymbol) / (round == 0 ? 12 : 24)
            let offsetStep = (round == 0 ? 0.1 : 0.05) * spacing
            for isTime in [true, false] {
                let middle = place
                var values = InlineArray<5, Float>(repeating: best)
                var bestIndex = 2
                for index in 0..<5 where index != 2 {
                    let other = moved(middle, by: Double(index - 2), isTime, timeStep, offsetStep, chain.format)
                    values[index] = self.logRatio(other, chain, history)
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
                place = moved(middle, by: step, isTime, timeStep, offsetStep, chain.format)
                best = self.logRatio(place, chain, history)
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
        let middle = Double(repeatCount * RepeatSearch.spacingSymbolCount) / 2
        other.start +=
            middle
            * (format.symbolLength(offsetHertz: place.offsetHertz)
                - format.symbolLength(offsetHertz: other.offsetHertz))
        return other
    }

    /// Measures the noise of all frames.
    private mutating func measureNoise(
        _ place: Candidate, _ chain: ProfileChain, _ history: borrowing BasebandHistory
    ) {
        let toneCount = chain.profile.toneCount
        for index in 0..<repeatCount {
            chain.energies.measure(
                history, start: Self.start(index, of: place, chain.format), offsetHertz: place.offsetHertz,
                symbolCount: RepeatDecoder.measuredCount, into: &energies)
            metrics.prepare(
                energies, erased: chain.energies.erased, toneCount: toneCount,
                frameSymbolCount: RepeatDecoder.symbolCount)
            let inverses = metrics.inverses
            for tone in 0..<toneCount {
                inverseNoises[index * toneCount + tone] = inverses[tone]
            }
        }
    }

    /// Measures x of all frames.
    private mutating func measureRatios(
        _ place: Candidate, _ chain: ProfileChain, _ history: borrowing BasebandHistory
    ) {
        let toneCount = chain.profile.toneCount
        for index in 0..<repeatCount {
            chain.energies.measure(
                history, start: Self.start(index, of: place, chain.format), offsetHertz: place.offsetHertz,
                symbolCount: RepeatDecoder.symbolCount, into: &energies)
            let first = index * RepeatDecoder.symbolCount * toneCount
            for cell in 0..<RepeatDecoder.symbolCount * toneCount {
                ratios[first + cell] = energies[cell] * inverseNoises[index * toneCount + cell % toneCount]
            }
        }
    }

    /// Writes λ of the data symbols in the codeword's order of tones.
    private mutating func writeBranchMetrics(_ code: TrellisCode, scramblerStart: Int) {
        let toneCount = code.toneCount
        for index in branchMetrics.indices {
            branchMetrics[index] = 0
        }
        for index in 0..<repeatCount {
            let weight = 0.693_147_2 * weights[index]
            for step in 0..<FrameLayout.token.dataToneCount {
                let mask = ToneScrambler.mask(step: scramblerStart + step, toneBits: code.toneBits)
                let symbol = index * RepeatDecoder.symbolCount + FrameLayout.token.firstDataTone + step
                for codeTone in 0..<toneCount {
                    let x = ratios[symbol * toneCount + (codeTone ^ mask)]
                    branchMetrics[step * toneCount + codeTone] += weight * fastLog2(likelihood.ratio(x))
                }
            }
        }
    }

    /// The sum of λ along the decoded path, above that of the mean tone.
    private func pathSum(_ code: TrellisCode) -> Float {
        let stepCount = FrameLayout.token.dataToneCount
        var state = code.tailBitingState(pairs, count: stepCount)
        var sum: Float = 0
        for step in 0..<stepCount {
            let register = state << 2 | Int(pairs[step])
            state = register & (code.stateCount - 1)
            sum += branchMetrics[step * code.toneCount + Int(code.tones[register])]
            var all: Float = 0
            for tone in 0..<code.toneCount {
                all += branchMetrics[step * code.toneCount + tone]
            }
            sum -= all / Float(code.toneCount)
        }
        return sum
    }

    /// The frame found, with what its own tones say about signal and noise.
    private func frame(_ payload: Payload, _ place: Candidate, _ chain: ProfileChain) -> RepeatedFrame {
        let tones = FrameTones.tones(of: payload, profile: chain.profile)
        var isPresent = InlineArray<8, Bool>(repeating: false)
        var (sum, logSum, count) = (Float(0), Float(0), Float(0))
        for index in 0..<repeatCount where weights[index] > 0.5 {
            isPresent[index] = true
            for symbol in FrameLayout.token.firstDataTone..<RepeatDecoder.symbolCount {
                let cell = (index * RepeatDecoder.symbolCount + symbol) * chain.profile.toneCount + tones[symbol]
                sum += ratios[cell]
                logSum += .log(1 + ratios[cell])
                count += 1
            }
        }
        let perTone = max(sum / max(count, 1) - 1, 1e-3)
        return RepeatedFrame(
            payload: payload, place: place, isPresent: isPresent,
            snrDecibels: 10 * .log10(perTone * Float(chain.profile.toneSpacingHertz) / PathDecoding.referenceHertz),
            pathMetric: logSum / max(count, 1))
    }
}
