import EarshotBasics
import EarshotCoding
import RealModule
import TestSupport
import Testing

@testable import EarshotModem

/// Λ, compared with its formula in Double and with the theory of noise.
@Suite(.optimized) struct FrameLikelihoodTests {
    /// φ(x) = e^(−ρ)·I₀(2·√(ρ·x)), I₀ by its series.
    private func ratio(_ x: Double) -> Double {
        let rho = FrameLikelihood.designRatio
        var (term, sum) = (1.0, 1.0)
        for k in 1...80 {
            term *= rho * x / Double(k * k)
            sum += term
        }
        return .exp(-rho) * sum
    }

    /// The table has ten cells a unit, each with its middle's value. d ln φ/dx is at most ρ (at x = 0), so half a cell is off by at most
    /// 0.05·3.8 = 19 %.
    @Test func theTableIsTheFormula() {
        let likelihood = FrameLikelihood()
        for cell in 0..<399 {
            let middle = (Double(cell) + 0.5) / 10
            #expect(abs(Double(likelihood.ratio(Float(middle))) / ratio(middle) - 1) < 1e-3, "x = \(middle)")
        }
        for x in stride(from: 0.01, to: 39.9, by: 0.173) {
            #expect(abs(Double.log(Double(likelihood.ratio(Float(x))) / ratio(x))) < 0.19, "x = \(x)")
        }
        #expect(likelihood.ratio(1e9) == likelihood.ratio(39.95))
    }

    /// E[φ] = 1 in noise, whose energies are exponentially distributed: the sum over the table's cells of φ·(e^(−x) − e^(−x−0.1)).
    /// The cells' width leaves an error of the order of (0.1)²·ρ/24.
    @Test func theMeanRatioOfNoiseIsOne() {
        let likelihood = FrameLikelihood()
        var mean = 0.0
        for cell in 0..<400 {
            let x = Double(cell) / 10
            mean += Double(likelihood.ratio(Float(x + 0.05))) * (.exp(-x) - .exp(-x - 0.1))
        }
        #expect(abs(mean - 1) < 0.01)
    }

    /// By Markov's inequality noise has Λ ≥ t at no more than a share e^(−t) of its places. For t = 3 that is 199 of
    /// 4,000 places, and 270 with five deviations more.
    @Test(arguments: Profile.all) func noiseRarelyLooksLikeAFrame(profile: Profile) {
        let (likelihood, toneCount) = (FrameLikelihood(), profile.toneCount)
        var random = SeededGenerator(seed: 61)
        let inverseNoise = [Float](repeating: 1, count: toneCount)
        var count = 0
        for _ in 0..<4_000 {
            let energies = (0..<24 * toneCount).map { _ in -Float.log(Float.random(in: 1e-7...1, using: &random)) }
            let logRatio = likelihood.logRatio(
                energies, inverseNoise: inverseNoise, profile: profile, symbols: 0..<24, erased: ErasedSymbols())
            if logRatio >= 3 { count += 1 }
        }
        #expect(count <= 270, "\(count) of 4,000, seed 61")
    }

    /// Erased symbols give no evidence, and posteriors add up to one.
    @Test(arguments: Profile.all) func erasedSymbolsDoNotCount(profile: Profile) {
        let (likelihood, toneCount) = (FrameLikelihood(), profile.toneCount)
        var random = SeededGenerator(seed: 62)
        let energies = (0..<12 * toneCount).map { _ in Float.random(in: 0...9, using: &random) }
        let inverseNoise = (0..<toneCount).map { _ in Float.random(in: 0.2...1, using: &random) }
        var erased = ErasedSymbols()
        for symbol in [2, 9] { erased.insert(symbol) }
        let parts = [0..<2, 3..<9, 10..<12].map {
            likelihood.logRatio(
                energies, inverseNoise: inverseNoise, profile: profile, symbols: $0, erased: ErasedSymbols())
        }
        let whole = likelihood.logRatio(
            energies, inverseNoise: inverseNoise, profile: profile, symbols: 0..<12, erased: erased)
        #expect(abs(whole - parts.reduce(0, +)) < 1e-3, "seed 62")
        let posteriors = (0..<toneCount).map {
            likelihood.posterior(energies, inverseNoise: inverseNoise, toneCount: toneCount, symbol: 8, tone: $0)
        }
        #expect(abs(posteriors.reduce(0, +) - 1) < 1e-4)
    }
}
