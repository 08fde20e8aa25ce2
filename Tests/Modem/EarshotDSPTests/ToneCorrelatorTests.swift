import EarshotBasics
import EarshotDSP
import TestSupport
import Testing

@Suite(.optimized) struct ToneCorrelatorTests {
    /// One correlator is tuned several times: the tone before must leave no trace.
    @Test(arguments: [4, 12, 32, 64, 128, 260])
    func equalsTheDefinition(length: Int) {
        var random = SeededGenerator(seed: UInt64(length))
        var correlator = ToneCorrelator(length: length)
        #expect(correlator.length == length)
        for _ in 0..<20 {
            let f = Float.random(in: -0.5...0.5, using: &random)
            let x = random.complex(length)
            correlator.tune(cyclesPerSample: f)
            let expected = Reference.toneEnergy(x.map { ComplexDouble($0) }, cyclesPerSample: Double(f))
            // f·2ᵏ is rounded by 2⁻²⁴ of up to N/4 turns, which is 2π·65·2⁻²⁴ = 2.4e-5 of phase for N = 260, and |x|² ≤ 2.
            let energy = Double(correlator.energy(x.span))
            #expect(abs(energy - expected) < 5e-5, "at \(f), seed \(length)")
        }
    }

    @Test func aToneInTuneHasEnergyOne() {
        var correlator = ToneCorrelator(length: 128)
        for m in 0..<64 {
            let f = (Double(m - 32) + 0.5) / 128
            let x = (0..<128).map { ComplexSample(.phasor(turns: f * Double($0) + 0.2)) }
            correlator.tune(cyclesPerSample: Float(f))
            #expect(abs(correlator.energy(x.span) - 1) < 1e-5, "tone \(m)")
            correlator.tune(cyclesPerSample: Float(f + 1.0 / 128))
            #expect(correlator.energy(x.span) < 1e-8, "beside tone \(m)")
        }
    }

    @Test func mixingTurnsTheToneIntoAConstant() {
        var correlator = ToneCorrelator(length: 64)
        let f: Float = 0.1234
        correlator.tune(cyclesPerSample: f)
        let x = (0..<64).map { ComplexSample(.phasor(turns: Double(f) * Double($0) + 0.125)) }
        var mixed = [ComplexSample](repeating: ComplexSample(), count: 64)
        var span = mixed.mutableSpan
        correlator.mix(x.span, into: &span)
        let root = Float(0.5).squareRoot()
        for n in mixed.indices {
            #expect((mixed[n] - ComplexSample(root, root)).power < 1e-10, "sample \(n)")
        }
    }
}
