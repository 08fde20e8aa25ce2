import CEarshotKernels
import EarshotCoding
import EarshotDSP
import RealModule

/// The likelihood that there is a frame, before decoding: each sync symbol has a known tone, and each data symbol has
/// one tone.
///
///     φ(x) = e^{−ρ}·I₀(2·√(ρ·x)),   x = E/(N·g[k])           a tone's likelihood ratio, at an energy of ρ over noise
///     Λ = Σ_sync ln φ(x[k][syncTone]) + Σ_data ln (1/M·Σₘ φ(x[k][m]))
///
/// g[k] is the level of the noise in the symbol, over N; see `SymbolLevel`.
///
/// The mean of φ in noise is 1 for any ρ, so noise exceeds Λ in at most one place of e^Λ. ρ is that of a frame at the
/// limit of decoding. Cost: a table look-up a cell.
struct FrameLikelihood {
    /// ρ: 5.8 dB.
    static let designRatio = 3.8
    private static let cellsPerUnit: Float = 10
    private static let cellCount = 400

    /// φ of each cell, in steps of a tenth.
    let table: [Float]

    init(designRatio: Double = FrameLikelihood.designRatio) {
        table = (0..<FrameLikelihood.cellCount).map { cell in
            let x = (Double(cell) + 0.5) / Double(FrameLikelihood.cellsPerUnit)
            let z = 2 * (designRatio * x).squareRoot()
            return Float(.exp(logBesselI0(z) - designRatio))
        }
    }

    /// φ(x): the likelihood ratio of a tone with x times the energy of noise.
    func ratio(_ x: Float) -> Float { table[Int(cell(x))] }

    /// The cell of φ(x) in `table`, for callers that store many.
    func cell(_ x: Float) -> UInt16 {
        UInt16(min(x * FrameLikelihood.cellsPerUnit, Float(FrameLikelihood.cellCount - 1)))
    }

    /// Λ over some symbols of a frame.
    /// - Parameters:
    ///   - energies: E; shape [symbolCount or more][M].
    ///   - inverseNoise: 1/N; shape [M or more].
    ///   - profile: the frame's profile.
    ///   - symbols: the symbols to use.
    ///   - erased: the lost symbols, which do not count.
    func logRatio(
        _ energies: [Float], inverseNoise: [Float], profile: Profile, symbols: Range<Int>, erased: ErasedSymbols
    ) -> Float {
        let toneCount = profile.toneCount
        let (cells, inverses) = (energies.span, inverseNoise.span)
        var sum: Float = 0
        for symbol in symbols where !erased.contains(symbol) {
            let first = symbol * toneCount
            let scale = SymbolLevel.inverse(cells, from: first, inverses, toneCount)
            if let index = FrameLayout.syncIndex(at: symbol) {
                let tone = profile.syncTones[index]
                sum += fastLog2(ratio(scale * cells[first + tone] * inverses[tone]))
                continue
            }
            let all = sumOfRatios(
                energies, from: first, inverseNoise: inverseNoise, toneCount: toneCount, scale: scale)
            sum += fastLog2(all / Float(toneCount))
        }
        return 0.693_147_2 * sum
    }

    /// Whether the sync symbols have their own tones rather than any: Σ_sync ln (φ(x[k][syncTone]) / (1/M·Σₘ φ(x[k][m]))).
    func syncLogRatio(_ energies: [Float], inverseNoise: [Float], profile: Profile) -> Float {
        let toneCount = profile.toneCount
        var sum: Float = 0
        for (index, tone) in profile.syncTones.enumerated() {
            let posterior = posterior(
                energies, inverseNoise: inverseNoise, toneCount: toneCount, symbol: FrameLayout.syncPlace(index),
                tone: tone)
            sum += fastLog2(max(posterior, 1e-9) * Float(toneCount))
        }
        return 0.693_147_2 * sum
    }

    /// The probability that a symbol has this tone: φ(x) over the sum of all.
    func posterior(
        _ energies: [Float], inverseNoise: [Float], toneCount: Int, symbol: Int, tone: Int
    ) -> Float {
        let (cells, inverses) = (energies.span, inverseNoise.span)
        let first = symbol * toneCount
        let scale = SymbolLevel.inverse(cells, from: first, inverses, toneCount)
        let all = sumOfRatios(energies, from: first, inverseNoise: inverseNoise, toneCount: toneCount, scale: scale)
        return ratio(scale * cells[first + tone] * inverses[tone]) / all
    }

    /// Writes the probability of each tone of a frame: 1 for a sync tone, the posterior of `posterior` for all others.
    func writePosteriors(
        _ energies: [Float], inverseNoise: [Float], _ profile: Profile, _ layout: FrameLayout,
        into probabilities: inout [Float]
    ) {
        let toneCount = profile.toneCount
        for symbol in 0..<layout.toneCount {
            let first = symbol * toneCount
            let syncTone = FrameLayout.syncIndex(at: symbol).map { profile.syncTones[$0] }
            let scale = SymbolLevel.inverse(energies.span, from: first, inverseNoise.span, toneCount)
            let all = sumOfRatios(
                energies, from: first, inverseNoise: inverseNoise, toneCount: toneCount, scale: scale)
            for tone in 0..<toneCount {
                probabilities[first + tone] =
                    syncTone.map { tone == $0 ? 1 : 0 }
                    ?? ratio(scale * energies[first + tone] * inverseNoise[tone]) / all
            }
        }
    }

    /// Σₘ φ(scale·E/N) of the symbol whose energies begin at `first`.
    private func sumOfRatios(
        _ energies: [Float], from first: Int, inverseNoise: [Float], toneCount: Int, scale: Float
    ) -> Float {
        precondition(
            first >= 0 && first + toneCount <= energies.count && toneCount <= inverseNoise.count,
            "\(toneCount) tones from \(first) on, of \(energies.count)")
        return earshot_sum_of_ratios(
            energies, first, inverseNoise, toneCount, table, table.count,
            scale * FrameLikelihood.cellsPerUnit)
    }
}
