import EarshotChannel
import EarshotDSP
import RealModule
import TestSupport
import Testing

@Suite(.optimized) struct NoiseQuantileTests {
    @Test func knownValues() {
        // −ln(1 − q), by hand: ln 2, ln(4/3), ln(10/9).
        #expect(abs(noiseQuantile(0.5) - 0.693_147_18) < 1e-7)
        #expect(abs(noiseQuantile(0.25) - 0.287_682_07) < 1e-7)
        #expect(abs(noiseQuantile(0.1) - 0.105_360_52) < 1e-8)
        #expect(noiseQuantile(0) == 0)
    }

    /// A share q of complex Gaussian noise of mean energy 1 is below the quantile.
    @Test func quantilesOfSimulatedNoise() {
        let count = 200_000
        var noise = WhiteNoise(seed: 34)
        var energies: [Float] = []
        for _ in 0..<count {
            energies.append(0.5 * ComplexSample(noise.next(), noise.next()).power)
        }
        energies.sort()
        for q in [0.05, 0.1, 0.25, 0.5, 0.9] {
            let found = Double(energies[Int(q * Double(count))])
            // The quantile's standard deviation is √(q(1 − q)/n) over the density there,
            // 1 − q. The limit is four of them.
            let tolerance = 4 * (q / (1 - q) / Double(count)).squareRoot()
            #expect(abs(found - Double(noiseQuantile(Float(q)))) < tolerance, "q = \(q), seed 34")
        }
    }

    /// The mean of the largest of n exponentially distributed values is the harmonic number Hₙ, between ln n + γ and
    /// 1/(2n) more.
    @Test func maximumIsTheHarmonicNumber() {
        var harmonic = 0.0
        for n in 1...1_000 {
            harmonic += 1 / Double(n)
            let missing = harmonic - Double(noiseMaximum(n))
            // Single precision rounds 8 by 5e-7.
            #expect(missing > -1e-6 && missing < 0.5 / Double(n) + 1e-6, "of \(n)")
        }
    }
}
