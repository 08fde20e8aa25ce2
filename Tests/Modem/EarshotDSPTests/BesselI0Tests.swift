import EarshotDSP
import RealModule
import TestSupport
import Testing

@Suite(.optimized) struct BesselI0Tests {
    /// Against the integral 1/π·∫ e^{x·cos θ} dθ, which the reference evaluates to 1e-15.
    @Test func equalsTheIntegral() {
        for step in 0...250 {
            let x = Double(step) / 10
            let expected = Reference.besselI0(x)
            // 40 terms and more, each rounded a few times.
            #expect(abs(besselI0(x) - expected) < 2e-14 * expected, "I₀(\(x))")
            // The two series meet at 20.
            #expect(abs(logBesselI0(x) - .log(expected)) < 1e-10, "ln I₀(\(x))")
        }
        #expect(besselI0(-3) == besselI0(3))
    }

    /// The power series still converges where the asymptotic one is used.
    @Test(arguments: [19.999, 20, 30, 50, 200, 500])
    func bothSeriesAgree(x: Double) {
        // The asymptotic series promises 1e-10; the logarithm of 500 e-folds rounds by 1e-13.
        #expect(abs(logBesselI0(x) - .log(besselI0(x))) < 1e-10)
    }

    @Test func smallAndLargeArguments() {
        #expect(logBesselI0(0) == 0)
        // ln I₀(x) = x²/4 − x⁴/64 + …
        #expect(abs(logBesselI0(1e-3) - (0.25e-6 - 1e-12 / 64)) < 1e-15)
        // The logarithm continues where I₀ exceeds double precision: x − ½·ln(2πx) + 1/(8x).
        let x = 1e6
        #expect(abs(logBesselI0(x) - (x - 0.5 * .log(2 * .pi * x) + 0.125 / x)) < 1e-9)
    }
}
