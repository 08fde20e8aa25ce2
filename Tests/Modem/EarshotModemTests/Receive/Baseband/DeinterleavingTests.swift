import Testing

@testable import EarshotModem

/// One channel of interleaved samples, for each way in which it is copied.
@Suite struct DeinterleavingTests {
    @Test(arguments: [1, 2, 3, 8]) func takesEveryNthSample(channelCount: Int) {
        let samples = (0..<channelCount * 37).map { Int16($0) }
        for channel in 0..<channelCount {
            let expected = (0..<37).map { samples[$0 * channelCount + channel] }
            var separated = [Int16](repeating: -1, count: 37)
            Deinterleaving.copy(channel: channel, of: channelCount, from: samples.span, into: &separated)
            #expect(separated == expected, "channel \(channel) of \(channelCount)")
            // No more than there is room for, and no more than there is.
            var short = [Int16](repeating: -1, count: 20)
            Deinterleaving.copy(channel: channel, of: channelCount, from: samples.span, into: &short)
            #expect(short == Array(expected[..<20]))
            var long = [Int16](repeating: -1, count: 40)
            Deinterleaving.copy(channel: channel, of: channelCount, from: samples.span, into: &long)
            #expect(long == expected + [-1, -1, -1])
        }
    }
}
