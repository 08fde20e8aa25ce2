import EarshotBasics
import EarshotDSP
import RealModule
import TestSupport
import Testing

@Suite(.optimized) struct PhasorTests {
    /// Half a turn in single precision: rounding π costs 0.9e-7 of angle, rounding the turns 0.9e-7, rounding their
    /// product 1.2e-7, and rounding either part 0.6e-7.
    @Test func equalsCosineAndSine() {
        var random = SeededGenerator(seed: 35)
        for round in 0..<10_000 {
            // Any number of whole turns changes nothing.
            let whole = [0.0, 1, -3, 1e3, -1e9][round % 5]
            let fraction = Double.random(in: -0.5...0.5, using: &random)
            let turns = whole + fraction
            let error = (ComplexDouble(unitPhasor(turns: turns)) - ComplexDouble.phasor(turns: turns)).power
                .squareRoot()
            #expect(error < 4e-7, "\(turns) turns")
            let angle = Float(fraction)
            let byAngle = ComplexDouble(unitPhasor(radians: angle))
            let expected = ComplexDouble(.cos(Double(angle)), .sin(Double(angle)))
            #expect((byAngle - expected).power.squareRoot() < 1.2e-7, "\(angle) radians")
        }
    }

    /// −110 dB, 3.2·10⁻⁶, for any number of whole turns that single precision can hold beside the fraction.
    @Test func theFastOneIsGoodToItsPromise() {
        var worst = 0.0
        for step in -100_000...100_000 {
            let turns = Float(step) * 1.000_1e-3
            let error = ComplexDouble(fastUnitPhasor(turns: turns)) - ComplexDouble.phasor(turns: Double(turns))
            worst = max(worst, error.power.squareRoot())
        }
        #expect(worst < 3.2e-6, "\(decibels(worst * worst)) dB")
        #expect(fastUnitPhasor(turns: 4_194_303.5).x == fastUnitPhasor(turns: 0.5).x)
    }

    @Test func quartersOfATurn() {
        for (quarter, expected) in [(1, 0), (0, 1), (-1, 0), (0, -1)].enumerated() {
            let z = ComplexSample(Float(expected.0), Float(expected.1))
            #expect((unitPhasor(turns: Double(quarter) / 4) - z).power < 1e-13)
            #expect((fastUnitPhasor(turns: Float(quarter) / 4) - z).power < 1e-11)
        }
    }
}
