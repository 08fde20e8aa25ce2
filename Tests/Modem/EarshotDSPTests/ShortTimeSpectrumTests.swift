import EarshotBasics
import EarshotDSP
import TestSupport
import Testing

@Suite(.optimized) struct ShortTimeSpectrumTests {
    private struct Shape {
        let window: Int
        let hop: Int
        let rows: Int
        let highestBin: Int
    }

    private let shapes = [
        Shape(window: 32, hop: 8, rows: 4, highestBin: 20), Shape(window: 64, hop: 16, rows: 3, highestBin: 39),
        Shape(window: 128, hop: 32, rows: 2, highestBin: 72), Shape(window: 16, hop: 1, rows: 5, highestBin: 3),
        Shape(window: 32, hop: 40, rows: 2, highestBin: 21),
    ]

    @Test func equalsTheDefinition() {
        for shape in shapes {
            var spectrum = ShortTimeSpectrum(
                windowLength: shape.window, hop: shape.hop, rowCount: shape.rows, highestBin: shape.highestBin)
            let stride = spectrum.rowStride
            #expect(stride % 16 == 0 && stride >= 2 * shape.highestBin + 1 && stride < 2 * shape.highestBin + 17)
            #expect(spectrum.inputCount == shape.window + (shape.rows - 1) * shape.hop)
            // Runs twice: the remains of the first run must not affect the second.
            for seed in 1...2 as ClosedRange<UInt64> {
                var random = SeededGenerator(seed: seed)
                let x = random.complex(spectrum.inputCount)
                var energies = [Float](repeating: -1, count: shape.rows * stride + 7)
                spectrum.process(x.span, into: &energies, from: 3)
                #expect(energies[..<3].allSatisfy { $0 == -1 } && energies.suffix(4).allSatisfy { $0 == -1 })
                #expect(energies.allSatisfy { $0.isFinite })
                for row in 0..<shape.rows {
                    let part = x[row * shape.hop..<row * shape.hop + shape.window].map { ComplexDouble($0) }
                    for bin in -shape.highestBin...shape.highestBin {
                        let expected = energy(of: part, bin: bin)
                        let energy = Double(energies[3 + row * stride + shape.highestBin + bin])
                        // |X|/N ≤ √2, in single precision through log2(2N) ≤ 8 stages: 8 · 2⁻²⁴ · 2, with room.
                        #expect(abs(energy - expected) < 2e-6, "row \(row), bin \(bin) of \(shape), seed \(seed)")
                    }
                }
            }
        }
    }

    /// E by its definition: at odd bins of the tone itself, at even ones of the four odd bins nearest to it.
    private func energy(of x: [ComplexDouble], bin: Int) -> Double {
        let point = { (bin: Int) in
            x.indices.reduce(ComplexDouble()) { sum, n in
                sum + x[n].times(.phasor(turns: -Double(bin * n) / Double(2 * x.count)))
            } / Double(x.count)
        }
        guard bin % 2 == 0 else { return point(bin).power }
        // (a, b) ∝ (1, ⅓) and a² + b² = ½, so that noise keeps its mean.
        let a = 0.45.squareRoot()
        return (a * (point(bin - 1) - point(bin + 1)) + a / 3 * (point(bin - 3) - point(bin + 3))).power
    }

    /// Between odd bins, four of them hold (2/π)²·2·(1 + 1/9) = 0.9006 of a tone's energy. A transform of twice the
    /// length would see the rest, and 1/N of phase.
    @Test(arguments: [32, 64, 128])
    func tonesBetweenOddBinsLoseLittle(window: Int) {
        var spectrum = ShortTimeSpectrum(windowLength: window, hop: 1, rowCount: 1, highestBin: window / 2)
        for place in stride(from: -window / 2, through: window / 2, by: 2) {
            let x = (0..<window).map { n in ComplexSample(.phasor(turns: Double(place * n) / Double(2 * window))) }
            var energies = [Float](repeating: 0, count: spectrum.rowStride)
            spectrum.process(x.span, into: &energies, from: 0)
            #expect(abs(energies[window / 2 + place] - 0.900_6) < 0.005, "bin \(place) of \(window)")
        }
    }

    /// A tone at an odd bin has energy 1 there and none at the bins a whole tone spacing (two bins) away.
    @Test func tonesAreOrthogonal() {
        var spectrum = ShortTimeSpectrum(windowLength: 64, hop: 16, rowCount: 1, highestBin: 40)
        for place in stride(from: -39, through: 39, by: 2) {
            let x = (0..<64).map { n in ComplexSample(.phasor(turns: Double(place * n) / 128)) }
            var energies = [Float](repeating: 0, count: spectrum.rowStride)
            spectrum.process(x.span, into: &energies, from: 0)
            for bin in -40...40 where (bin - place) % 2 == 0 {
                let expected: Float = bin == place ? 1 : 0
                #expect(abs(energies[40 + bin] - expected) < 1e-5, "tone at \(place), bin \(bin)")
            }
        }
    }
}
