import TestSupport
import Testing

@testable import EarshotModem

/// One channel of interleaved samples, for each way in which it is copied.
@Suite(.optimized) struct DeinterleavingTests {
    @Test(arguments: [1, 2, 3, 8]) func takesEveryNthSample(channelCount: Int) {
        let samples = (0..<channelCount * 37).map { Int16($0) }
        for channel in 0..<channelCount {
            let expected = (0..<37).map { samples[$0 * channelCount + channel] }
            // No more samples than requested, even if there is room for more.
            for count in [0, 20, 37] {
                var separated = [Int16](repeating: -1, count: 40)
                samples.withUnsafeBufferPointer {
                    Deinterleaving.copy(
                        $0.baseAddress! + channel, stride: channelCount, count: count, into: &separated)
                }
                #expect(
                    separated == expected[..<count] + [Int16](repeating: -1, count: 40 - count),
                    "channel \(channel) of \(channelCount)")
            }
        }
    }
}
