import EarshotBasics
import Testing

@Suite struct SeededGeneratorTests {
    /// SplitMix64 as published (Steele, Lea, Flood 2014; constants of the java.util.SplittableRandom source), computed
    /// with Python's integers.
    @Test(
        arguments: [
            (
                0,
                [
                    0xE220_A839_7B1D_CDAF, 0x6E78_9E6A_A1B9_65F4, 0x06C4_5D18_8009_454F, 0xF88B_B8A8_724C_81EC,
                    0x1B39_896A_51A8_749B,
                ]
            ),
            (
                1_234_567,
                [
                    0x599E_D017_FB08_FC85, 0x2C73_F084_5854_0FA5, 0x883E_BCE5_A3F2_7C77, 0x3FBE_F740_E917_7B3F,
                    0xE3B8_3467_08CB_5ECD,
                ]
            ),
            (
                .max,
                [
                    0xE4D9_7177_1B65_2C20, 0xE99F_F867_DBF6_82C9, 0x382F_F84C_B272_81E9, 0x6D1D_B36C_CBA9_82D2,
                    0xB4A0_472E_5780_69AE,
                ]
            ),
        ] as [(UInt64, [UInt64])])
    func followsThePublishedAlgorithm(seed: UInt64, expected: [UInt64]) {
        var generator = SeededGenerator(seed: seed)
        #expect(expected.map { _ in generator.next() } == expected)
    }

    @Test func uniformNumbersAreTheTopBits() {
        var generator = SeededGenerator(seed: 0)
        // 0xE220A8 / 2²⁴.
        #expect(generator.uniform() == Float(0xE220A8) / 16_777_216)
        var sum = 0.0
        for _ in 0..<100_000 {
            let number = generator.uniform()
            #expect(number >= 0 && number < 1)
            sum += Double(number)
        }
        // Deviation of the mean: √(1/12/100,000) = 0.0009; the limit is five times that.
        #expect(abs(sum / 100_000 - 0.5) < 0.0046, "seed 0")
    }
}
