import EarshotBasics
import EarshotDSP
import TestSupport
import Testing

@testable import EarshotModem

@Suite(.optimized) struct MotionTransformTests {
    /// The energies of bins, and that of the tone to which it is tuned, are those of the definition, at any offset.
    @Test(arguments: [32, 64, 128]) func energiesEqualTheDefinition(length: Int) {
        var random = SeededGenerator(seed: 92)
        let samples = random.complex(length)
        let x = samples.map { ComplexDouble($0) }
        var transform = MotionTransform(length: length)
        var powers = [Float](repeating: 0, count: 12)
        for turns in [0, 0.13, 0.5] {
            transform.tune(cyclesPerSample: Float(turns / Double(length)))
            let lowest = -length / 4
            transform.transform(samples.span, bins: lowest..<lowest + powers.count, into: &powers)
            for bin in powers.indices {
                let cycles = (Double(lowest + bin) + turns) / Double(length)
                let expected = Reference.toneEnergy(x, cyclesPerSample: cycles) * Double(length * length)
                // |x|² ≤ 2 a sample; the mixer's phase is good to 2.4e-5, E to twice that.
                #expect(abs(Double(powers[bin]) - expected) < 4e-4 * Double(length * length), "\(bin), seed 92")
            }
            let expected = Reference.toneEnergy(x, cyclesPerSample: turns / Double(length))
            #expect(abs(Double(transform.energy(samples.span)) - expected) < 4e-4, "seed 92")
        }
    }
}
