import TestSupport
import Testing

@testable import EarshotModem

/// Parts and channels of interleaved samples.
@Suite struct SampleBlockTests {
    /// The samples of a block's first channel.
    private func first(_ block: SampleBlock) -> [Float] {
        (0..<block.frameCount).map { frame in
            switch block.samples {
            case .floats(let samples): samples[frame * block.stride]
            case .integers(let samples): Float(samples[frame * block.stride])
            }
        }
    }

    /// Every channel of every part, in both formats.
    @Test(arguments: [1, 2, 5]) func partsAndChannelsAreThoseOfTheSamples(channelCount: Int) {
        let frameCount = 11
        let integers = (0..<Int16(channelCount * frameCount)).map { $0 }
        let floats = integers.map { Float($0) }
        for (lower, upper) in [(0, 11), (3, 7), (11, 11)] {
            for channel in 0..<channelCount {
                let expected = (lower..<upper).map { floats[$0 * channelCount + channel] }
                func check(_ block: SampleBlock) {
                    #expect(first(block.from(channel: channel).extracting(lower..<upper)) == expected)
                    #expect(first(block.extracting(lower..<upper).from(channel: channel)) == expected)
                }
                SampleBlock.with(floats.span, channelCount: channelCount, check)
                SampleBlock.with(integers.span, channelCount: channelCount, check)
            }
        }
    }

    /// An array without samples makes no block.
    @Test func noSamplesAreNoBlock() {
        let none: [Float] = []
        SampleBlock.with(none.span, channelCount: 2) { #expect($0.frameCount == 0) }
    }
}

// The stages of one channel take a span in tests.

extension BasebandInput {
    mutating func take(_ samples: Span<Float>) {
        SampleBlock.with(samples, channelCount: 1) { take($0) }
    }

    mutating func take(_ samples: Span<Int16>) {
        SampleBlock.with(samples, channelCount: 1) { take($0) }
    }
}

extension ReceiverInput {
    mutating func take(_ samples: Span<Float>) {
        SampleBlock.with(samples, channelCount: channelCount) { take($0) }
    }

    mutating func take(_ samples: Span<Int16>) {
        SampleBlock.with(samples, channelCount: channelCount) { take($0) }
    }
}
