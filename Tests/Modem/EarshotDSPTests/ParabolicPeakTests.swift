import EarshotBasics
import EarshotDSP
import TestSupport
import Testing

@Suite(.optimized) struct ParabolicPeakTests {
    /// y = h − c·(x − v)², sampled at −1, 0 and 1, has its maximum at v.
    @Test func findsTheVertexOfAParabola() {
        var random = SeededGenerator(seed: 31)
        for round in 0..<1_000 {
            let v = Double.random(in: -0.5...0.5, using: &random)
            let c = Double.random(in: 0.01...10, using: &random)
            let h = Double.random(in: -10...10, using: &random)
            let y = [-1.0, 0, 1].map { x in h - c * (x - v) * (x - v) }
            // Values up to 33 are rounded by 2⁻⁵³ of themselves, three of them; differences of c = 0.01 hold that 1,000 times.
            #expect(abs(parabolicPeak(y[0], y[1], y[2]) - v) < 1e-11, "round \(round), seed 31")
            // The same in single precision, without h: values up to 23 over 2·c.
            let z = [-1.0, 0, 1].map { x in Float(-c * (x - v) * (x - v)) }
            #expect(abs(Double(parabolicPeak(z[0], z[1], z[2])) - v) < 1e-6, "round \(round), seed 31")
        }
    }

    @Test func theTopIsNearestToTheLargestPoint() {
        var random = SeededGenerator(seed: 32)
        for round in 0..<1_000 {
            let values = random.samples(3).sorted()
            let peak = parabolicPeak(values[round % 2], values[2], values[1 - round % 2])
            #expect(abs(peak) <= 0.5, "round \(round), seed 32")
            #expect(round % 2 == 0 ? peak >= 0 : peak <= 0, "round \(round), seed 32")
        }
    }

    @Test func withoutAMaximumTheMiddleIsReturned() {
        #expect(parabolicPeak(1 as Float, 0, 1) == 0)
        #expect(parabolicPeak(1 as Float, 2, 3) == 0)
        #expect(parabolicPeak(5 as Float, 5, 5) == 0)
        #expect(parabolicPeak(Float.nan, 1, 0) == 0)
    }
}
