import CEarshotKernels
import EarshotCoding
import EarshotDSP
import RealModule

/// The weights of a tone's log-likelihoods in the symbols around its own: x one symbol away, y two.
struct EchoTreatment {
    var after: SIMD2<Float>
    var before: SIMD2<Float>

    /// Only the symbol's own log-likelihood counts.
    static let plain = EchoTreatment(after: SIMD2(), before: SIMD2())

    /// The echo in the following symbols counts too.
    static func echo(_ weights: SIMD2<Float>) -> EchoTreatment {
        EchoTreatment(after: weights, before: SIMD2())
    }

    /// The echo in the following symbols counts too, and a tone that sounded before its symbol counts less.
    static func onset(_ weights: SIMD2<Float>) -> EchoTreatment {
        EchoTreatment(after: weights, before: -0.7 * weights)
    }
}

/// Log-likelihoods from tone energies.
///
///     N[m]    = max(median over k of E[k][m], median over m of these) / ln 2     (the median of noise is ln 2 · mean)
///     N[m]    ≥ 0.01·(upper quartile over k of Σ_m (E[k][m] − median over k of E[k][m] / ln 2))
///     L[k][m] = ln(1 + E[k][m]/(N[m]·g[k]))
///
/// with the level g of the noise in each symbol (`SymbolLevel`), which is 1 for steady noise.
///
/// Noise is measured for each tone over the frame. So a tone that is always loud, a pilot tone, carries no information,
/// while a hopping signal is in each tone only a small share of the time. The logarithm limits the weight of a single
/// energy, as rooms, bursts and other talkers require.
///
/// A lost symbol has E = 0 and so L = 0: it favours no tone, and it does not count for the noise.
///
/// In a room a tone continues to sound in the symbols after its own. Two more metrics use that:
///
///     echo:   L'[k][m] = L[k][m] + Σ_d w_d·L[k + d][m],                          d = 1, 2
///     onset:  L'[k][m] = L[k][m] + Σ_d w_d·(L[k + d][m] − 0.7·L[k − d][m])
///     w_d = S_d/S_0,   S_d = mean over sync tones of E[i + d][syncTone[i]] − N
///
/// The weights are the echoes of this frame's own sync tones. The echo metric collects the echo of a tone; the onset
/// metric also distrusts a tone that sounded before its time, because it is then the echo of another symbol. Onset is
/// far better if echoes are louder than the noise (`fast`, room B, 25 dB, ideal timing, 200 tokens: plain and echo 84.5
/// %, plain and onset 96.5 %). Echo is slightly better if they are not (`standard`, room C, −1 dB: 92.5 and 92 %), and
/// plain in free air and in a crowd. No allocation after `init`.
struct ToneMetrics: ~Copyable {
    /// The minimum of noise over the energy of the signal in a symbol: −20 dB of a lone talker's tone, so that L is at most 4.6.
    ///
    /// If a low-pass removes half of the tones, a loud frame's own leakage, echo and ringing are the loudest sound in
    /// the lost symbols, −20 to −30 dB of a tone. With a lower minimum each of them is evidence as strong as a tone.
    /// Chosen on seeds 7001 and 7002 from −32, −27, −23, −20 and −15 dB: `standard`, low-pass 19,250 Hz, at 20 and 30
    /// dB decodes 85/84, 84/82, 90/91, 92/95 and 95/97 %. Twelve crowds, rooms and holes are equal or better up to −20
    /// dB; with −15, room A with six talkers loses 3 %. And if most of a frame is digital silence, the median is
    /// meaningless.
    static let selfNoise: Float = 0.01
    /// The number of symbols after its own in which a tone's echo is used.
    static let echoSymbolCount = 2

    private var logLikelihoods: [Float]
    private var noise: [Float]
    private var inverseNoise: [Float]
    private var scratch: [Float]
    /// The symbols that were not lost.
    private var heldRows: [Int32]
    /// The minimum noise of all tones.
    private(set) var commonNoise: Float = 0
    /// The symbols that were lost.
    private(set) var erased = ErasedSymbols()

    init(maximumSymbolCount: Int, maximumToneCount: Int) {
        logLikelihoods = [Float](repeating: 0, count: maximumSymbolCount * maximumToneCount)
        noise = [Float](repeating: 0, count: maximumToneCount)
        inverseNoise = [Float](repeating: 0, count: maximumToneCount)
        scratch = [Float](repeating: 0, count: maximumSymbolCount * maximumToneCount)
        precondition(maximumSymbolCount <= EARSHOT_MAXIMUM_ROW_COUNT, "\(maximumSymbolCount) symbols")
        heldRows = [Int32](repeating: 0, count: maximumSymbolCount)
    }

    /// Measures noise and computes L.
    /// - Parameters:
    ///   - energies: E; shape [frameSymbolCount + echoSymbolCount or more][M].
    ///   - erased: the symbols that were lost; their E is 0.
    ///   - toneCount: M.
    ///   - frameSymbolCount: the number of symbols that belong to the frame.
    mutating func prepare(_ energies: [Float], erased: ErasedSymbols, toneCount: Int, frameSymbolCount: Int) {
        self.erased = erased
        measureNoise(energies, toneCount: toneCount, symbolCount: frameSymbolCount)
        let cellCount = (frameSymbolCount + ToneMetrics.echoSymbolCount) * toneCount
        ToneMetrics.fillLogLikelihoods(
            &logLikelihoods, energies, inverseNoise: inverseNoise, cellCount: cellCount, toneCount: toneCount)
    }

    /// L of all cells.
    private static func fillLogLikelihoods(
        _ logLikelihoods: inout [Float], _ energies: [Float], inverseNoise: [Float], cellCount: Int, toneCount: Int
    ) {
        var likelihoods = logLikelihoods.mutableSpan
        let inverse = inverseNoise.span
        let energies = energies.span
        for first in stride(from: 0, to: cellCount, by: toneCount) {
            let scale = SymbolLevel.inverse(energies, from: first, inverse, toneCount)
            for tone in 0..<toneCount {
                likelihoods[first + tone] = fastLog(1 + scale * energies[first + tone] * inverse[tone])
            }
        }
    }

    /// The mean of noise, from the quietest tenth of the held energies, which contains no signal: noise has
    /// exponentially distributed energies, of which a tenth is below −ln(0.9)·N. Overwrites only scratch.
    mutating func quietestNoise(_ energies: [Float], toneCount: Int, symbolCount: Int) -> Float {
        var cellCount = 0
        for symbol in 0..<symbolCount where !erased.contains(symbol) {
            for index in symbol * toneCount..<(symbol + 1) * toneCount {
                scratch[cellCount] = energies[index]
                cellCount += 1
            }
        }
        guard cellCount > 0 else { return NoiseFloor.minimumPower }
        var all = scratch.mutableSpan
        var values = all._mutatingExtracting(0..<cellCount)
        return max(select(cellCount / 10, of: &values) / noiseQuantile(0.1), NoiseFloor.minimumPower)
    }

    /// N and 1/N of every tone.
    private mutating func measureNoise(_ energies: [Float], toneCount: Int, symbolCount: Int) {
        let median = noiseQuantile(0.5)
        var heldCount = 0
        for symbol in 0..<symbolCount where !erased.contains(symbol) {
            heldRows[heldCount] = Int32(symbol)
            heldCount += 1
        }
        if heldCount > 0 {
            precondition(symbolCount * toneCount <= energies.count, "\(symbolCount) of \(energies.count) energies")
            earshot_column_selects(energies, heldRows, heldCount, toneCount, heldCount / 2, &scratch)
        }
        for tone in 0..<toneCount {
            noise[tone] = heldCount > 0 ? scratch[tone] / median : 0
            scratch[tone] = noise[tone]
        }
        // A frame fills one cell in M, which shifts the median of the others.
        let quantile = 0.5 / (1 - 1 / Float(toneCount))
        let common = medianOfScratch(toneCount) * median / noiseQuantile(quantile)
        let signal = signalEnergy(energies, toneCount: toneCount, heldCount: heldCount)
        commonNoise = max(common, ToneMetrics.selfNoise * signal, NoiseFloor.minimumPower)
        for tone in 0..<toneCount {
            if noise[tone] < BandNoise.standingOut * commonNoise {
                noise[tone] = commonNoise
            }
            inverseNoise[tone] = 1 / noise[tone]
        }
    }

    /// S: the energy above the noise in a symbol, the upper quartile over the held ones. Half of them may have lost
    /// their tone, and a few may contain a click. Overwrites scratch; `noise` has the medians.
    private mutating func signalEnergy(_ energies: [Float], toneCount: Int, heldCount: Int) -> Float {
        guard heldCount > 0 else { return 0 }
        for index in 0..<heldCount {
            let first = Int(heldRows[index]) * toneCount
            var sum: Float = 0
            for tone in 0..<toneCount { sum += energies[first + tone] - noise[tone] }
            scratch[index] = sum
        }
        var all = scratch.mutableSpan
        var values = all._mutatingExtracting(0..<heldCount)
        return select(heldCount * 3 / 4, of: &values)
    }

    /// The median of the first `count` values; 0 if there are none.
    private mutating func medianOfScratch(_ count: Int) -> Float {
        guard count > 0 else { return 0 }
        var all = scratch.mutableSpan
        var values = all._mutatingExtracting(0..<count)
        return median(&values)
    }

    /// N[m] of the last `prepare`.
    func noise(_ tone: Int) -> Float { noise[tone] }
    /// 1/N[m]; shape [M or more].
    var inverses: [Float] { inverseNoise }

    /// L[k][m] of the last `prepare`.
    func logLikelihood(_ index: Int) -> Float { logLikelihoods[index] }

    /// w_d for d = 1, 2: the energy of the sync tones in the symbols after their own, over that in their own, 0 ... 1.
    func echoWeights(_ energies: [Float], syncTones: [Int], toneCount: Int) -> SIMD2<Float> {
        var sums = SIMD4<Float>()
        for (index, tone) in syncTones.enumerated() {
            let symbol = FrameLayout.syncPlace(index)
            let span = symbol..<symbol + ToneMetrics.echoSymbolCount + 1
            guard erased.heldCount(span) == span.count else { continue }
            for delay in 0...ToneMetrics.echoSymbolCount {
                sums[delay] += energies[(symbol + delay) * toneCount + tone] - noise[tone]
            }
        }
        guard sums[0] > 0 else { return SIMD2() }
        return SIMD2(sums[1], sums[2]).clamped(lowerBound: SIMD2(), upperBound: SIMD2(repeating: sums[0])) / sums[0]
    }

    /// Writes the metrics of the data symbols.
    /// - Parameters:
    ///   - layout: the frame's layout.
    ///   - toneCount: M.
    ///   - echo: the weights of the symbols around each one.
    ///   - branchMetrics: receives L'; shape [layout.dataToneCount or more][M].
    func writeBranchMetrics(
        layout: FrameLayout, toneCount: Int, echo: EchoTreatment, into branchMetrics: inout [Float]
    ) {
        let likelihoods = logLikelihoods.span
        var metrics = branchMetrics.mutableSpan
        for step in 0..<layout.dataToneCount {
            let own = layout.dataPlace(step) * toneCount
            for tone in 0..<toneCount {
                let place = own + tone
                let after = SIMD2(likelihoods[place + toneCount], likelihoods[place + 2 * toneCount])
                let before = SIMD2(likelihoods[place - toneCount], likelihoods[place - 2 * toneCount])
                metrics[step * toneCount + tone] =
                    likelihoods[place] + (echo.after * after + echo.before * before).sum()
            }
        }
    }
}
