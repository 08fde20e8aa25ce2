import EarshotBasics
import RealModule
import TestSupport
import Testing

@testable import EarshotChannel

@Suite(.optimized) struct NormalPairTests {
    /// Compares with the formula in double precision, for uniform numbers over their whole range and at its ends.
    ///
    /// The logarithm is rounded to 2⁻²⁴ of its value, the root halves that error, sine and cosine add as much, and the
    /// product rounds again: together less than 4 · 2⁻²⁴ = 2.4e-7 of a radius of at most √(2·24·ln 2) = 5.8.
    @Test func followsTheFormula() {
        var generator = SeededGenerator(seed: 5)
        let edges = [0, 1, 2, 0x40_0000, 0x7F_FFFF, 0x80_0000, 0xB5_04F3, 0xC0_0000, 0xFF_FFFE, 0xFF_FFFF] as [Float]
        let uniform = edges.map { $0 * 0x1p-24 } + (0..<2_000).map { _ in generator.uniform() }
        for u in uniform.map({ 1 - $0 }) {
            let radius = (-2 * Double.log(Double(u))).squareRoot()
            for v in uniform.prefix(200) {
                let angle = 2 * Double.pi * Double(v)
                let (first, second) = normalPair(u, v)
                let error = max(abs(Double(first) - radius * .cos(angle)), abs(Double(second) - radius * .sin(angle)))
                #expect(error <= 2.4e-7 * radius, "u \(u), v \(v)")
            }
        }
    }
}
