import EarshotCoding
import RealModule

/// Decodes frames of still devices: it estimates phases from the posteriors of the energies (`StillChannel`), a path
/// from the phases, better phases from the path, and repeats this.
///
///     w[k][m] = posterior of tone m by the energies        at first
///     w[k][m] = √(e^{L[k][m]} / Σₘ e^{L[k][m]})            of the path's tone afterwards, 0 of the others
///
/// The root trusts a path's tone somewhat more than its own symbol does, because the code supports it.
///
/// Cost: one FFT of N points a symbol, then at most five estimates and walks through the trellis. No allocation after `init`.
struct StillDecoder: ~Copyable {
    private static let roundCount = 5
    /// The minimum of the coherence of eight sync tones, see `StillChannel.coherence`. Eight random phases exceed c
    /// with a probability of (1 − c)^7 at one place, and the grid has dozens. A frame whose tones have x times the
    /// noise's energy has x/(x + 1)·(1 + 1/(8·x)), 0.78 at 2.8, `standard` at −10.6 dB.
    static let minimumCoherence: Float = 0.6
    /// The same for a frame that its energies alone do not reveal: 7, 9 and 18 % of places in noise exceed it in
    /// `fast`, `standard`, `far`.
    static let minimumFaintCoherence: Float = 0.7

    private let likelihood: FrameLikelihood
    private var channel: StillChannel
    /// The posteriors of the energies, shape [K or more][M]; later L of one symbol.
    private var cells: [Float]
    private var tones: [Int]
    private var weights: [Float]

    init(format: BasebandFormat, likelihood: FrameLikelihood) {
        self.likelihood = likelihood
        channel = StillChannel(format: format)
        let symbolCount = StillChannel.maximumSymbolCount
        cells = [Float](repeating: 0, count: symbolCount * format.profile.toneCount)
        tones = [Int](repeating: 0, count: symbolCount)
        weights = [Float](repeating: 0, count: symbolCount)
    }

    /// The coherence of the sync tones of a frame in one channel; see `StillChannel.coherence`.
    mutating func coherence(_ view: FrameView, _ measurer: borrowing FrameMeasurer) -> Float {
        channel.coherence(view, measurer.histories[view.place.shares.best])
    }

    /// Tries to decode a frame in one channel.
    /// - Parameters:
    ///   - view: the frame at the place that its energies make likeliest.
    ///   - peakCount: the number of hypotheses about its phases.
    ///   - path: makes the attempts.
    ///   - measurer: measures the frame.
    mutating func decode(
        _ view: FrameView, peakCount: Int, with path: inout TrellisAttempt, _ measurer: inout FrameMeasurer
    ) -> PathResult {
        var paths = PathResult.none
        guard view.layout.toneCount <= StillChannel.maximumSymbolCount else { return paths }
        paths.work += path.prepare(view, &measurer)
        guard path.isHeld(view.layout) else { return paths }
        let history = measurer.histories[view.place.shares.best]
        for rank in 0..<peakCount {
            channel.measure(view, metrics: path.metrics, history)
            likelihood.writePosteriors(
                path.energies, inverseNoise: path.metrics.inverses, view.profile, view.layout, into: &cells)
            channel.estimate(weights: cells, rank: rank)
            var here = view
            for round in 0..<StillDecoder.roundCount {
                paths.work += DecodingWork.symbolStill * view.layout.toneCount
                if paths.add(path.decodeStill(here, channel, &measurer)) { return paths }
                let hasChanged = takePath(path, view)
                guard round + 1 < StillDecoder.roundCount, hasChanged || round == 0 else { break }
                if round == 0 {
                    here = view.moved(by: channel.delaySamples, offsetHertz: channel.offsetHertz)
                    channel.measure(here, metrics: path.metrics, history)
                }
                channel.estimate(tones: tones, weights: weights)
            }
        }
        return paths
    }

    /// Takes the tones of the last path and weights them.
    /// - Returns: whether a tone changed.
    private mutating func takePath(_ path: borrowing TrellisAttempt, _ view: FrameView) -> Bool {
        let layout = view.layout
        for (index, tone) in view.profile.syncTones.enumerated() { take(tone, FrameLayout.syncPlace(index)) }
        for index in 0..<layout.headerToneCount {
            let tone = LengthHeader.tone(
                index, byteCount: layout.payloadByteCount, toneAlphabet: view.profile.toneCount)
            take(tone, FrameLayout.headerPlace(index))
        }
        var hasChanged = false
        for step in 0..<layout.dataToneCount {
            let (symbol, tone) = (layout.dataPlace(step), Int(path.trellis.tones[step]))
            hasChanged = hasChanged || tone != tones[symbol]
            take(tone, symbol)
            channel.writeLogLikelihoods(symbol: symbol, into: &cells, at: 0)
            weights[symbol] = posterior(tone, view.profile.toneCount).squareRoot()
        }
        return hasChanged
    }

    private mutating func take(_ tone: Int, _ symbol: Int) { (tones[symbol], weights[symbol]) = (tone, 1) }

    /// e^{L[tone]} / Σₘ e^{L[m]} of the symbol in the first cells.
    private func posterior(_ tone: Int, _ toneCount: Int) -> Float {
        var highest = -Float.infinity
        for index in 0..<toneCount { highest = max(highest, cells[index]) }
        var sum: Float = 0
        for index in 0..<toneCount { sum += .exp(cells[index] - highest) }
        return .exp(cells[tone] - highest) / sum
    }
}
