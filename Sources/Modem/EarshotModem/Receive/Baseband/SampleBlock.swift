/// A block of interleaved samples, or one channel of it.
///
/// It points to the caller's samples, so it must not outlive the closure that receives it.
struct SampleBlock {
    /// The samples in their format.
    enum Samples {
        /// Full scale is 1.
        case floats(UnsafePointer<Float>)
        /// Full scale is 2¹⁵.
        case integers(UnsafePointer<Int16>)
    }

    /// The first sample of the first channel.
    private(set) var samples: Samples
    /// The distance from a channel's sample to its next one: the channels of the input.
    let stride: Int
    /// The number of samples in each channel.
    private(set) var frameCount: Int

    /// Lets `body` read samples as a block; shape [any][channelCount].
    static func with(_ samples: Span<Float>, channelCount: Int, _ body: (SampleBlock) -> Void) {
        let frameCount = frameCount(samples.count, channelCount)
        samples.withUnsafeBufferPointer {
            guard let first = $0.baseAddress else { return }
            body(SampleBlock(samples: .floats(first), stride: channelCount, frameCount: frameCount))
        }
    }

    /// The same for integers.
    static func with(_ samples: Span<Int16>, channelCount: Int, _ body: (SampleBlock) -> Void) {
        let frameCount = frameCount(samples.count, channelCount)
        samples.withUnsafeBufferPointer {
            guard let first = $0.baseAddress else { return }
            body(SampleBlock(samples: .integers(first), stride: channelCount, frameCount: frameCount))
        }
    }

    private static func frameCount(_ count: Int, _ channelCount: Int) -> Int {
        precondition(count % channelCount == 0, "\(count) samples of \(channelCount) channels")
        return count / channelCount
    }

    /// The block from a channel on.
    func from(channel: Int) -> SampleBlock {
        precondition(channel < stride, "channel \(channel) of \(stride)")
        return moved(by: channel)
    }

    /// A part of the block.
    func extracting(_ frames: Range<Int>) -> SampleBlock {
        precondition(frames.upperBound <= frameCount, "\(frames) of \(frameCount) frames")
        var part = moved(by: frames.lowerBound * stride)
        part.frameCount = frames.count
        return part
    }

    private func moved(by count: Int) -> SampleBlock {
        var block = self
        switch samples {
        case .floats(let first): block.samples = .floats(first + count)
        case .integers(let first): block.samples = .integers(first + count)
        }
        return block
    }
}
