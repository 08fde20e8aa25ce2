import EarshotDSP
import TestSupport
import Testing

@Suite struct ShortTimeSpectrumTests {
    private struct Shape {
        let window: Int
        let hop: Int
        let rows: Int
        let highestBin: Int
    }

    private let shapes = [
        Shape(window: 32, hop: 8, rows: 4, highestBin: 20), Shape(window: 64, hop: 16, rows: 3, highestBin: 39),
        Shape(window: 128, hop: 32, rows: 2, highestBin: 72), Shape(window: 16, hop: 1, rows: 5, highestBin: 3),
        Shape(window: 32, hop: 40, rows: 2, highestBin: 31),
    ]

    @Test func equalsTheDefinition() {
        for shape in shapes {
            var spectrum = ShortTimeSpectrum(
                windowLength: shape.window, hop: shape.hop, rowCount: shape.rows, highestBin: shape.highestBin)
            let stride = spectrum.rowStride
            #expect(stride % 8 == 0 && stride >= 2 * shape.highestBin + 1 && stride < 2 * shape.highestBin + 9)
            #expect(spectrum.inputCount == shape.window + (shape.rows - 1) * shape.hop)
            // Twice, with rubbish left behind in between.
            for seed in 1...2 as ClosedRange<UInt64> {
                var random = Randomness(seed: seed)
                let x = random.complex(spectrum.inputCount)
                var energies = [Float](repeating: -1, count: shape.rows * stride + 7)
                spectrum.process(x.span, into: &energies, from: 3)
                #expect(energies[..<3].allSatisfy { $0 == -1 } && energies.suffix(4).allSatisfy { $0 == -1 })
                #expect(energies.allSatisfy { $0.isFinite })
                for row in 0..<shape.rows {
                    let part = x[row * shape.hop..<row * shape.hop + shape.window].map { ComplexDouble($0) }
                    for bin in -shape.highestBin...shape.highestBin {
                        let expected = Reference.toneEnergy(
                            part, cyclesPerSample: Double(bin) / Double(2 * shape.window))
                        let energy = Double(energies[3 + row * stride + shape.highestBin + bin])
                        // |X|/N ≤ √2, in single precision through log2(2N) ≤ 8 stages: 8 · 2⁻²⁴ · 2, with room.
                        #expect(abs(energy - expected) < 2e-6, "row \(row), bin \(bin) of \(shape), seed \(seed)")
                    }
                }
            }
        }
    }

    /// A tone at a bin has energy 1 there and none at the bins a whole tone spacing (two bins) away.
    @Test func tonesAreOrthogonal() {
        var spectrum = ShortTimeSpectrum(windowLength: 64, hop: 16, rowCount: 1, highestBin: 40)
        for place in stride(from: -39, through: 39, by: 1) {
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
