import EarshotCoding
import EarshotDSP
import RealModule

/// Tone energies to log-likelihoods.
///
///     N[m]    = max(median over k of E[k][m], median over m of these) / ln 2     (the median of noise is ln 2 · mean)
///     L[k][m] = ln(1 + E[k][m]/N[m])
///
/// Noise is measured tone by tone over the frame: a tone that is always loud, a pilot, says nothing and is not believed;
/// a hopping signal is in each tone a small share of the time. The logarithm trusts no single energy without limit,
/// which is what rooms, bursts and other talkers ask for.
///
/// In a room a tone goes on sounding in the symbols after its own. The echo metric collects it there:
///
///     L'[k][m] = Σ_d w_d·L[k + d][m],   w_d = S_d/S_0,   S_d = mean over sync tones of E[i + d][syncTone[i]] − N
///
/// where the weights are what this frame's own sync tones left behind. No allocation after `init`.
struct ToneMetrics: ~Copyable {
    /// Noise counts as at least this share of the mean energy over all tones: −32 dB of a lone signal for M = 32. Below
    /// that lie the signal's own side lobes; and where most of a frame is digital silence the median says nothing.
    static let selfNoise: Float = 0.02
    /// Symbols after its own in which a tone is looked for.
    static let echoSymbolCount = 2

    private var logLikelihoods: [Float]
    private var noise: [Float]
    private var scratch: [Float]
    private(set) var meanNoise: Float = 0

    init(largestSymbolCount: Int, largestToneCount: Int) {
        logLikelihoods = [Float](repeating: 0, count: largestSymbolCount * largestToneCount)
        noise = [Float](repeating: 0, count: largestToneCount)
        scratch = logLikelihoods
    }

    /// Measures noise and computes L.
    /// - Parameters:
    ///   - energies: E; shape [frameSymbolCount + echoSymbolCount or more][M].
    ///   - frameSymbolCount: the symbols that belong to the frame, from the first on.
    mutating func prepare(_ energies: [Float], toneCount: Int, frameSymbolCount: Int) {
        measureNoise(energies, toneCount: toneCount, symbolCount: frameSymbolCount)
        let cellCount = (frameSymbolCount + ToneMetrics.echoSymbolCount) * toneCount
        ToneMetrics.fillLogLikelihoods(
            &logLikelihoods, energies, inverseNoise: scratch, cellCount: cellCount, toneCount: toneCount)
    }

    /// L of all cells.
    private static func fillLogLikelihoods(
        _ logLikelihoods: inout [Float], _ energies: [Float], inverseNoise: [Float], cellCount: Int, toneCount: Int
    ) {
        var likelihoods = logLikelihoods.mutableSpan
        let inverse = inverseNoise.span
        let energies = energies.span
        let ln2: Float = 0.693_147_2
        for first in stride(from: 0, to: cellCount, by: toneCount) {
            for tone in 0..<toneCount {
                likelihoods[first + tone] = ln2 * fastLog2(1 + energies[first + tone] * inverse[tone])
            }
        }
    }

    /// Leaves 1/N in `scratch`.
    private mutating func measureNoise(_ energies: [Float], toneCount: Int, symbolCount: Int) {
        let ln2: Float = 0.693_147_2
        for tone in 0..<toneCount {
            for symbol in 0..<symbolCount {
                scratch[symbol] = energies[symbol * toneCount + tone]
            }
            noise[tone] = medianOfScratch(symbolCount) / ln2
        }
        for tone in 0..<toneCount {
            scratch[tone] = noise[tone]
        }
        let common = max(
            medianOfScratch(toneCount), ToneMetrics.selfNoise * meanEnergy(energies, symbolCount * toneCount),
            NoiseFloor.smallestPower)
        meanNoise = common
        for tone in 0..<toneCount {
            noise[tone] = max(noise[tone], common)
            scratch[tone] = 1 / noise[tone]
        }
    }

    private func meanEnergy(_ energies: [Float], _ count: Int) -> Float {
        var sum: Float = 0
        for index in 0..<count {
            sum += energies[index]
        }
        return sum / Float(count)
    }

    private mutating func medianOfScratch(_ count: Int) -> Float {
        var all = scratch.mutableSpan
        var values = all._mutatingExtracting(0..<count)
        return median(&values)
    }

    /// L[k][m] of the last `prepare`.
    func logLikelihood(_ index: Int) -> Float { logLikelihoods[index] }

    /// w_d for d = 1, 2: what sync tones leave behind in the symbols after their own, relative to their own.
    func echoWeights(_ energies: [Float], syncTones: [Int], toneCount: Int) -> SIMD2<Float> {
        var sums = SIMD4<Float>()
        for (symbol, tone) in syncTones.enumerated() {
            for delay in 0...ToneMetrics.echoSymbolCount {
                sums[delay] += energies[(symbol + delay) * toneCount + tone] - noise[tone]
            }
        }
        guard sums[0] > 0 else { return SIMD2() }
        return SIMD2(sums[1], sums[2]).clamped(lowerBound: SIMD2(), upperBound: SIMD2(repeating: sums[0])) / sums[0]
    }

    /// Writes the metrics of the data symbols in the codeword's order of tones.
    /// - Parameters:
    ///   - scramblerStart: 0 for the frame's own scrambling.
    ///   - branchMetrics: receives L'; shape [layout.dataToneCount or more][M].
    func writeBranchMetrics(
        layout: FrameLayout, toneBits: Int, echoWeights: SIMD2<Float>, scramblerStart: Int = 0,
        into branchMetrics: inout [Float]
    ) {
        let toneCount = 1 << toneBits
        let likelihoods = logLikelihoods.span
        var metrics = branchMetrics.mutableSpan
        for step in 0..<layout.dataToneCount {
            let mask = ToneScrambler.mask(step: scramblerStart + step, toneBits: toneBits)
            let own = (layout.firstDataTone + step) * toneCount
            for codeTone in 0..<toneCount {
                let tone = codeTone ^ mask
                metrics[step * toneCount + codeTone] =
                    likelihoods[own + tone] + echoWeights.x * likelihoods[own + toneCount + tone]
                    + echoWeights.y * likelihoods[own + 2 * toneCount + tone]
            }
        }
    }
}
