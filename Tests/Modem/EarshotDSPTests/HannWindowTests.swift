import EarshotDSP
import RealModule
import TestSupport
import Testing

@Suite(.optimized) struct HannWindowTests {
    /// Sampled in the middle of its intervals the window consists of a constant and one period of a cosine, so that its transform
    /// is N/2 in bin 0, N/4 in bins ±1, turned by half a sample, and nothing elsewhere.
    @Test(arguments: [4, 5, 64, 127, 1_920])
    func itsTransformHasThreeBins(count: Int) {
        let window = hannWindow(count: count)
        let spectrum = Reference.dft(window.map { ComplexDouble($0, 0) })
        for (bin, value) in spectrum.enumerated() {
            var expected = ComplexDouble()
            if bin == 0 { expected = ComplexDouble(Double(count) / 2, 0) }
            if bin == 1 || bin == count - 1 {
                let turns = (bin == 1 ? 0.5 : -0.5) / Double(count)
                expected = -Double(count) / 4 * ComplexDouble.phasor(turns: turns)
            }
            // N sums of values up to 1, rounded by 2⁻⁵³ each, and as much in the roots of the definition.
            #expect((value - expected).power.squareRoot() < 1e-15 * Double(count * 4), "bin \(bin) of \(count)")
        }
    }

    @Test(arguments: [3, 64, 1_000])
    func noiseKeepsThreeEighths(count: Int) {
        let window = hannWindow(count: count)
        let power = window.reduce(0) { $0 + $1 * $1 } / Double(count)
        #expect(abs(power - Double(hannNoisePower)) < 1e-14)
        for n in window.indices {
            #expect(window[n] > 0 && window[n] <= 1)
            #expect(abs(window[n] - window[count - 1 - n]) < 1e-15)
        }
    }
}
