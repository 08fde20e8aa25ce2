import Testing

@testable import EarshotAudio

@Suite struct SampleConversionTests {
    @Test func everyInt16ComesBack() {
        let integers = (Int16.min ... .max).map { $0 }
        var samples = [Float](repeating: 9, count: integers.count + 2)
        var span = samples.mutableSpan
        SampleConversion.floats(from: integers.span, into: &span, at: 1)
        #expect(samples[0] == 9 && samples[integers.count + 1] == 9)
        #expect(samples[1] == -1 && samples[integers.count] == 32767 / 32768)
        #expect(samples[1...integers.count].map(SampleConversion.int16) == integers)
    }

    @Test func roundsToNearestAndClampsToFullScale() {
        let step: Float = 0x1p-15
        #expect([0.49, 0.51, 1.49, -0.49, -0.51].map { SampleConversion.int16($0 * step) } == [0, 1, 1, 0, -1])
        #expect(
            [1, 7, -1, -7, .infinity, -.infinity].map { SampleConversion.int16($0) } == [
                32767, 32767, -32768, -32768, 32767, -32768,
            ])
        #expect(SampleConversion.int16(.nan) == 0)
        #expect(SampleConversion.int24(.nan) == 0)
        #expect(
            [1, -1, .infinity, -.infinity, 0x1p-23, -0x1p-23].map { SampleConversion.int24($0) >> 8 } == [
                8_388_607, -8_388_608, 8_388_607, -8_388_608, 1, -1,
            ])
    }
}
