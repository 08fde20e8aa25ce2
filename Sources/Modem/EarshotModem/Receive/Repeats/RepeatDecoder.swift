import EarshotCoding
import EarshotDSP
import RealModule

/// A payload whose CRC matches, read from several frames of a burst together.
struct RepeatedFrame {
    var payload: Payload
    /// The start and offset of the burst.
    var place: Candidate
    /// Whether each of the burst's places has a frame; shape [R].
    var isPresent: InlineArray<8, Bool>
    var snrDecibels: Float
    var pathMetric: Float
}

/// Decodes bursts of tokens: R frames one burst spacing apart, each too quiet alone.
///
///     λ[k][m] = Σⱼ wⱼ·ln φ(xⱼ[k][m]),   xⱼ = Eⱼ/Nⱼ,   j = 0 ..< R
///
/// with φ of `FrameLikelihood` and wⱼ of `RepeatDetection`: the log-likelihood of a tone in all repeats, each weighted by the
/// probability that it is there at all. The x of a lost symbol is 0 and favours no tone. The phases of the repeats are not
/// used.
///
/// Cost: that of `RepeatDetection`, 52·R transforms more if it finds a burst, and then two or three walks through the trellis.
/// No allocation after `init` until a token is found.
struct RepeatDecoder: ~Copyable {
    /// ρ of φ: 3.2 dB of tone energy over noise, that of four repeats at the limit of decoding.
    private static let designRatio = 2.1
    /// The minimum margin of a fit over its decoy, as a share of itself.
    private static let minimumMargin: Float = 0.02
    private static let symbolCount = RepeatDetection.symbolCount

    private let repeatCount: Int
    private let likelihood = FrameLikelihood(designRatio: RepeatDecoder.designRatio)
    private var channelWeights: ChannelWeights
    private var detection: RepeatDetection
    private var trellis: FrameTrellis
    private var energies: [Float]
    /// 1/N of all frames; shape [R][M].
    private var inverseNoises: [Float]
    /// x; shape [R][K][M].
    private var ratios: [Float]
    /// The used wⱼ.
    private var weights = InlineArray<8, Float>(repeating: 0)

    init(profiles: [Profile], repeatCount: Int) {
        self.repeatCount = repeatCount
        let toneCount = profiles.map { $0.toneCount }.max() ?? 0
        channelWeights = ChannelWeights(profiles: profiles)
        detection = RepeatDetection(profiles: profiles, repeatCount: repeatCount, likelihood: likelihood)
        trellis = FrameTrellis(profiles: profiles, maximumStepCount: FrameLayout.token.dataToneCount)
        energies = [Float](repeating: 0, count: RepeatDecoder.symbolCount * toneCount)
        inverseNoises = [Float](repeating: 0, count: repeatCount * toneCount)
        ratios = [Float](repeating: 0, count: repeatCount * RepeatDecoder.symbolCount * toneCount)
    }

    /// Tries to decode a burst of tokens at a candidate.
    /// - Parameters:
    ///   - view: a token at the place of the burst's first frame.
    ///   - measurer: measures frames of its profile.
    mutating func decode(_ view: FrameView, _ measurer: inout FrameMeasurer) -> RepeatedFrame? {
        var view = view
        view.place.shares = channelWeights.measure(view, frameCount: repeatCount, &measurer)
        guard let found = detection.detect(view, &measurer, inverseNoises: &inverseNoises) else { return nil }
        view = found.view
        measureRatios(view, &measurer)
        for index in 0..<repeatCount {
            weights[index] = found.weight(index)
        }
        if let payload = decodeWeighted(view.profile.code) { return frame(payload, view) }
        // A damaged frame that seems missing may still help.
        var isOneDoubtful = false
        for index in 0..<repeatCount where weights[index] < 1 {
            (isOneDoubtful, weights[index]) = (true, 1)
        }
        guard isOneDoubtful, let payload = decodeWeighted(view.profile.code) else { return nil }
        return frame(payload, view)
    }

    /// Decodes the weighted sum of the frames.
    private mutating func decodeWeighted(_ code: TrellisCode) -> Payload? {
        let stepCount = FrameLayout.token.dataToneCount
        writeBranchMetrics(toneCount: code.toneCount)
        guard trellis.decode(code, stepCount: stepCount),
            let payload = trellis.payload(byteCount: Payload.tokenCount)
        else { return nil }
        let margin = RepeatDecoder.minimumMargin * abs(trellis.pathExcess)
        let isClear = DecoyTest.passes(&trellis, code, stepCount: stepCount, margin: margin) { $0.pathExcess }
        return isClear ? payload : nil
    }

    /// Measures x of all frames.
    private mutating func measureRatios(_ view: FrameView, _ measurer: inout FrameMeasurer) {
        let toneCount = view.profile.toneCount
        for index in 0..<repeatCount {
            measurer.measure(view.burstFrame(index), 0..<RepeatDecoder.symbolCount, into: &energies)
            let first = index * RepeatDecoder.symbolCount * toneCount
            for cell in 0..<RepeatDecoder.symbolCount * toneCount {
                ratios[first + cell] = energies[cell] * inverseNoises[index * toneCount + cell % toneCount]
            }
        }
    }

    /// Writes λ of the data symbols.
    private mutating func writeBranchMetrics(toneCount: Int) {
        for index in trellis.branchMetrics.indices {
            trellis.branchMetrics[index] = 0
        }
        for index in 0..<repeatCount {
            let weight = 0.693_147_2 * weights[index]
            for step in 0..<FrameLayout.token.dataToneCount {
                let symbol = index * RepeatDecoder.symbolCount + FrameLayout.token.dataPlace(step)
                for tone in 0..<toneCount {
                    let x = ratios[symbol * toneCount + tone]
                    trellis.branchMetrics[step * toneCount + tone] += weight * fastLog2(likelihood.ratio(x))
                }
            }
        }
    }

    /// The result, with the SNR and path metric of its own tones.
    private func frame(_ payload: Payload, _ view: FrameView) -> RepeatedFrame {
        let tones = FrameTones.tones(of: payload, profile: view.profile)
        var isPresent = InlineArray<8, Bool>(repeating: false)
        var (sum, logSum, count) = (Float(0), Float(0), Float(0))
        for index in 0..<repeatCount where weights[index] > 0.5 {
            isPresent[index] = true
            for step in 0..<FrameLayout.token.dataToneCount {
                let symbol = FrameLayout.token.dataPlace(step)
                let cell = (index * RepeatDecoder.symbolCount + symbol) * view.profile.toneCount + tones[symbol]
                sum += ratios[cell]
                logSum += .log(1 + ratios[cell])
                count += 1
            }
        }
        let perTone = max(sum / max(count, 1) - 1, 1e-3)
        return RepeatedFrame(
            payload: payload, place: view.place, isPresent: isPresent,
            snrDecibels: 10 * .log10(perTone * Float(view.profile.toneSpacingHertz) / TrellisAttempt.referenceHertz),
            pathMetric: logSum / max(count, 1))
    }
}
