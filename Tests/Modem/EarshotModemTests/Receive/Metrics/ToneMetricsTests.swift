import EarshotBasics
import EarshotCoding
import RealModule
import TestSupport
import Testing

@testable import EarshotModem

/// Noise, log-likelihoods, echo weights and branch metrics against their formulas in Double.
@Suite(.optimized) struct ToneMetricsTests {
    private static let symbolCount = FrameLayout.token.toneCount + ToneMetrics.echoSymbolCount

    private func prepared(_ energies: [Float], _ profile: Profile) -> ToneMetrics {
        var metrics = ToneMetrics(maximumSymbolCount: Self.symbolCount, maximumToneCount: profile.toneCount)
        metrics.prepare(
            energies, erased: ErasedSymbols(), toneCount: profile.toneCount,
            frameSymbolCount: FrameLayout.token.toneCount)
        return metrics
    }

    private func noise(_ profile: Profile, power: Float = 1, random: inout SeededGenerator) -> [Float] {
        (0..<Self.symbolCount * profile.toneCount).map { _ in
            -power * .log(Float.random(in: 1e-6...1, using: &random))
        }
    }

    /// In noise of power P every tone has N near P. The common floor is a median of M medians over 52 symbols; the median of 52
    /// exponential energies has a relative deviation of 1/(√52·ln 2) = 20 %, of the median of M of these 1.25·20 %/√M: 6 % for M = 16. No tone
    /// is below the common floor; those above stand out by 1.7.
    @Test(arguments: Profile.all, [Float(1e-8), 1, 1e6]) func noiseIsMeasured(profile: Profile, power: Float) {
        var random = SeededGenerator(seed: 81)
        let metrics = prepared(noise(profile, power: power, random: &random), profile)
        #expect(abs(metrics.commonNoise / power - 1) < 0.25, "\(metrics.commonNoise / power), seed 81")
        for tone in 0..<profile.toneCount {
            let ratio = metrics.noise(tone) / metrics.commonNoise
            #expect(ratio == 1 || ratio >= BandNoise.standingOut, "tone \(tone), seed 81")
            #expect(abs(metrics.inverses[tone] * metrics.noise(tone) - 1) < 1e-6)
        }
    }

    /// L = ln(1 + E/(N·g)), to the fast logarithm's 0.006.
    @Test(arguments: Profile.all) func theLogLikelihoodIsTheFormula(profile: Profile) {
        var random = SeededGenerator(seed: 82)
        let energies = noise(profile, random: &random)
        let metrics = prepared(energies, profile)
        for cell in energies.indices {
            let first = cell - cell % profile.toneCount
            let scale = SymbolLevel.inverse(energies.span, from: first, metrics.inverses.span, profile.toneCount)
            let ratio = Double(scale * energies[cell]) / Double(metrics.noise(cell % profile.toneCount))
            let expected = Double.log(1 + ratio)
            #expect(abs(Double(metrics.logLikelihood(cell)) - expected) < 0.006, "cell \(cell), seed 82")
        }
    }

    /// A steady tone 30 dB above the noise gives no evidence: its L stays below about ln 2.
    @Test func aPilotIsNotBelieved() {
        var random = SeededGenerator(seed: 83)
        var energies = noise(.standard, random: &random)
        for symbol in 0..<Self.symbolCount {
            energies[symbol * 32 + 5] = 1_000 * Float.random(in: 0.9...1.1, using: &random)
        }
        let metrics = prepared(energies, .standard)
        // N is the median over ln 2: L = ln(1 + ln 2 · 1.1/0.9) at most.
        for symbol in 0..<Self.symbolCount { #expect(metrics.logLikelihood(symbol * 32 + 5) < 0.62, "seed 83") }
    }

    /// w_d = S_d/S_0 of sync tones that are set by hand: 1,000 in their own symbol, 400 in the next, 100 in the one after.
    @Test(arguments: Profile.all) func echoWeightsAreTheShares(profile: Profile) {
        let toneCount = profile.toneCount
        var energies = [Float](repeating: 1, count: Self.symbolCount * toneCount)
        for (index, tone) in profile.syncTones.enumerated() {
            let symbol = FrameLayout.syncPlace(index)
            for (delay, energy) in [Float(1_000), 400, 100].enumerated() {
                energies[(symbol + delay) * toneCount + tone] += energy
            }
        }
        let metrics = prepared(energies, profile)
        let weights = metrics.echoWeights(energies, syncTones: profile.syncTones, toneCount: toneCount)
        // N is at most a few units, compared with 1,000.
        #expect(abs(weights.x - 0.4) < 0.01 && abs(weights.y - 0.1) < 0.01, "\(weights)")
    }

    /// L'[k][m] = L[k][m] + Σ w_d·L[k + d][m] (echo) − 0.7·Σ w_d·L[k − d][m] (onset).
    @Test(arguments: Profile.all) func branchMetricsAreTheFormula(profile: Profile) {
        var random = SeededGenerator(seed: 84)
        let (layout, toneCount) = (FrameLayout.token, profile.toneCount)
        let metrics = prepared(noise(profile, random: &random), profile)
        let weights = SIMD2<Float>(0.5, 0.25)
        for (echo, before) in [(EchoTreatment.plain, Float(0)), (.echo(weights), 0), (.onset(weights), 0.7)] {
            var branch = [Float](repeating: -1, count: layout.dataToneCount * toneCount)
            metrics.writeBranchMetrics(layout: layout, toneCount: toneCount, echo: echo, into: &branch)
            for step in 0..<layout.dataToneCount {
                for tone in 0..<toneCount {
                    func l(_ delay: Int) -> Float {
                        metrics.logLikelihood((layout.dataPlace(step) + delay) * toneCount + tone)
                    }
                    var expected = l(0)
                    if echo.after != SIMD2() {
                        expected += 0.5 * (l(1) - before * l(-1)) + 0.25 * (l(2) - before * l(-2))
                    }
                    #expect(abs(branch[step * toneCount + tone] - expected) < 1e-4, "step \(step), seed 84")
                }
            }
        }
    }

    /// The quietest tenth of noise of power P gives P. For 1,664 energies its deviation is √(0.1·0.9/n)/(0.9·0.105),
    /// 8 % or less; the limit is five deviations.
    @Test(arguments: Profile.all) func theQuietestTenthTellsTheNoise(profile: Profile) {
        var random = SeededGenerator(seed: 85)
        let energies = noise(profile, power: 3, random: &random)
        var metrics = prepared(energies, profile)
        let count = Double(FrameLayout.token.toneCount * profile.toneCount)
        let deviation = (0.09 / count).squareRoot() / (0.9 * 0.10536)
        let found = metrics.quietestNoise(
            energies, toneCount: profile.toneCount, symbolCount: FrameLayout.token.toneCount)
        #expect(abs(Double(found) / 3 - 1) < 5 * deviation, "\(found), seed 85")
    }
}
