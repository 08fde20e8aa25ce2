import EarshotBasics
import EarshotDSP
import TestSupport
import Testing

@Suite(.optimized) struct LineSearchTests {
    /// Finds the maximum of a parabola anywhere within the five places, and the end if the maximum is beyond it.
    @Test func findsTheTopOfAParabola() {
        for step in -30...30 {
            let v = Float(step) / 10
            let f = { (x: Float) in -(x - v) * (x - v) }
            let found = lineSearch(middle: f(0), f)
            if abs(v) < 1.5 {
                // Values up to 12 in single precision, over a curvature of 2.
                #expect(abs(found - v) < 1e-6, "top at \(v)")
            } else if abs(v) > 1.5 {
                #expect(found == (v > 0 ? 2 : -2), "top at \(v)")
            }
        }
    }

    /// For functions that are pure noise, the result is at most half a step beside the best of the five places.
    @Test func staysBesideTheBestOfFive() {
        var random = SeededGenerator(seed: 33)
        for round in 0..<1_000 {
            let values = random.samples(5)
            let best = values.indices.max { values[$0] < values[$1] }!
            let found = lineSearch(middle: values[2]) { values[Int($0) + 2] }
            #expect(abs(found - Float(best - 2)) <= 0.5, "round \(round), seed 33")
            #expect(abs(found) <= 2, "round \(round), seed 33")
        }
    }

    @Test func asksForFourPlacesInOrder() {
        var asked: [Float] = []
        let found = lineSearch(middle: 7) { steps in
            asked.append(steps)
            return 7
        }
        #expect(asked == [-2, -1, 1, 2])
        // Of equal values the middle wins.
        #expect(found == 0)
    }
}
