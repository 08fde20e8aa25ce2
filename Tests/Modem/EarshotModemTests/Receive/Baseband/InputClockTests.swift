import EarshotBasics
import TestSupport
import Testing

@testable import EarshotModem

/// Converts baseband indices to input samples exactly, for holes of any length.
@Suite(.optimized) struct InputClockTests {
    @Test(arguments: [44_100, 48_000, 96_000, 192_000]) func withoutHolesTimeIsARatio(rate: Int) {
        let clock = InputClock(inputRateHertz: rate, basebandRateHertz: 3_000)
        for index in [0.0, 0.5, 1, 2_999.25, 3_000, 1e9] {
            #expect(clock.inputSample(index) == Int((index * Double(rate) / 3_000).rounded()))
        }
    }

    /// Passing a hole at once and in pieces is the same, and equals whole-number arithmetic.
    @Test(arguments: [44_100, 48_000, 96_000]) func holesAddUpExactly(rate: Int) {
        var random = SeededGenerator(seed: 57)
        var (clock, passed) = (InputClock(inputRateHertz: rate, basebandRateHertz: 3_000), 0)
        for _ in 0..<200 {
            let count = Int.random(in: 0...1 << 40, using: &random)
            clock.pass(count)
            passed += count
            var atOnce = InputClock(inputRateHertz: rate, basebandRateHertz: 3_000)
            atOnce.pass(passed)
            let index = Int.random(in: 0...1 << 20, using: &random)
            // (index + passed)·F/F' to the nearest whole number, in 128 bits.
            let (high, low) = (index + passed).multipliedFullWidth(by: rate)
            let (quotient, rest) = 3_000.dividingFullWidth((high, low))
            // Half-way between two samples, either is right.
            let nearest = quotient + (2 * rest < 3_000 ? 0 : 1)
            let expected = 2 * rest == 3_000 ? quotient...nearest : nearest...nearest
            #expect(expected.contains(clock.inputSample(Double(index))), "seed 57")
            #expect(atOnce.inputSample(Double(index)) == clock.inputSample(Double(index)), "seed 57")
        }
    }
}
