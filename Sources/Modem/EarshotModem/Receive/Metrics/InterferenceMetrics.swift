import EarshotCoding
import EarshotDSP
import RealModule

/// Log-likelihoods from tone energies when other talkers are louder than the noise.
///
///     L[k][m] = ln(p₁(ρ)/p₀(ρ)),   ρ = E[k][m]/A²,   A² = median over sync tones of E[i][syncTone[i]]
///     p₁(ρ) = 0.8·e^{−(1 + ρ)/v}·I₀(2√ρ/v)/v + 0.2·e^{−ρ}
///     p₀: the frequency of ρ in this frame, without the share of its own tones
///
/// With the logarithm of `ToneMetrics` a louder tone is always better. In a crowd most loud tones belong to another
/// frame, and the sync pattern gives the frame's own level: a tone much quieter or louder than the sync tones does not
/// belong to this frame. v is the mean energy of everything except the frame, the variance of Rice's distribution; the
/// second term of p₁ is for single tones that a room changes. p₀ is a histogram in steps of 2 dB. Because each symbol
/// has one correct tone, L has an offset that is the same for all paths.
///
/// No allocation after `init`.
struct InterferenceMetrics: ~Copyable {
    private static let stepDecibels: Float = 2
    private static let lowestDecibels: Float = -32
    private static let stepCount = 22
    private static let echoShare: Float = 0.2
    /// The maximum of |ln(p₁/p₀)| for a single tone.
    private static let maximumLikelihood: Float = 6

    private var likelihoods: [Float]
    private var steps: [Float]
    private var seen = [Float](repeating: 0, count: stepCount)
    private var table = [Float](repeating: 0, count: stepCount + 1)

    init(maximumSymbolCount: Int, maximumToneCount: Int) {
        likelihoods = [Float](repeating: 0, count: maximumSymbolCount * maximumToneCount)
        steps = [Float](repeating: 0, count: maximumSymbolCount * maximumToneCount)
    }

    /// Computes L, which is never below 0 here, and 0 for lost symbols.
    /// - Parameters:
    ///   - energies: E; shape [symbolCount or more][M].
    ///   - erased: the symbols that were lost.
    ///   - profile: the frame's profile.
    ///   - symbolCount: the number of symbols in the frame.
    mutating func prepare(_ energies: [Float], erased: ErasedSymbols, _ profile: Profile, symbolCount: Int) {
        let toneCount = profile.toneCount
        let level = max(medianOfSync(energies, erased: erased, profile), NoiseFloor.minimumPower)
        let cellCount = symbolCount * toneCount
        let inverse = 1 / level
        // 10·log10(2) dB a bit.
        let stepsPerBit = 3.010_3 / InterferenceMetrics.stepDecibels
        let lowest = InterferenceMetrics.lowestDecibels / InterferenceMetrics.stepDecibels
        let highest = Float(InterferenceMetrics.stepCount) - 1.001
        for cell in 0..<cellCount {
            let place = stepsPerBit * fastLog2(energies[cell] * inverse + 1e-9) - lowest
            steps[cell] = min(max(place, 0), highest)
        }
        var sum: Float = 0
        for step in seen.indices {
            seen[step] = 0.5
        }
        for symbol in 0..<symbolCount where !erased.contains(symbol) {
            for cell in symbol * toneCount..<(symbol + 1) * toneCount {
                seen[Int(steps[cell] + 0.5)] += 1
                sum += min(energies[cell] * inverse, 1)
            }
        }
        let heldCount = Float(max(erased.heldCount(0..<symbolCount) * toneCount, 1))
        tabulate(
            heldCount: heldCount, toneCount: toneCount, variance: max(sum / heldCount - 1 / Float(toneCount), 1e-3))
        for symbol in 0..<symbolCount {
            let isErased = erased.contains(symbol)
            for cell in symbol * toneCount..<(symbol + 1) * toneCount {
                let step = Int(steps[cell])
                let fraction = steps[cell] - Float(step)
                likelihoods[cell] = isErased ? 0 : table[step] + fraction * (table[step + 1] - table[step])
            }
        }
    }

    /// L of every step of ρ, raised so that none is negative.
    private mutating func tabulate(heldCount: Float, toneCount: Int, variance: Float) {
        var own = InlineArray<22, Float>(repeating: 0)
        var total: Float = 0
        for step in seen.indices {
            let decibels = InterferenceMetrics.lowestDecibels + InterferenceMetrics.stepDecibels * Float(step)
            let ratio = Float.exp(0.230_26 * decibels)
            // Per decibel, not per energy: times ρ.
            own[step] = ratio * InterferenceMetrics.density(ratio, variance: variance)
            total += own[step]
        }
        let limit = InterferenceMetrics.maximumLikelihood
        for step in seen.indices {
            let ownShare = own[step] / total
            let share = seen[step] / heldCount
            let others = max(share - ownShare / Float(toneCount), 0.3 * share)
            table[step] = limit + min(max(.log((ownShare + 1e-4) / (others + 1e-5)), -limit), limit)
        }
        table[InterferenceMetrics.stepCount] = table[InterferenceMetrics.stepCount - 1]
    }

    /// p₁.
    private static func density(_ ratio: Float, variance: Float) -> Float {
        let z = 2 * ratio.squareRoot() / variance
        let rice = Float.exp(Float(logBesselI0(Double(z))) - (1 + ratio) / variance) / variance
        return (1 - echoShare) * rice + echoShare * .exp(-ratio)
    }

    private func medianOfSync(_ energies: [Float], erased: ErasedSymbols, _ profile: Profile) -> Float {
        var values = InlineArray<8, Float>(repeating: 0)
        var count = 0
        for (index, tone) in profile.syncTones.enumerated() {
            let symbol = FrameLayout.syncPlace(index)
            if erased.contains(symbol) { continue }
            // Inserted in ascending order.
            var place = count
            count += 1
            let value = energies[symbol * profile.toneCount + tone]
            while place > 0 && values[place - 1] > value {
                values[place] = values[place - 1]
                place -= 1
            }
            values[place] = value
        }
        return count > 0 ? 0.5 * (values[(count - 1) / 2] + values[count / 2]) : 0
    }

    /// Writes the metrics of the data symbols; see `ToneMetrics.writeBranchMetrics`.
    func writeBranchMetrics(layout: FrameLayout, toneCount: Int, into branchMetrics: inout [Float]) {
        let likelihoods = likelihoods.span
        var metrics = branchMetrics.mutableSpan
        for step in 0..<layout.dataToneCount {
            let own = layout.dataPlace(step) * toneCount
            for tone in 0..<toneCount {
                metrics[step * toneCount + tone] = likelihoods[own + tone]
            }
        }
    }
}
