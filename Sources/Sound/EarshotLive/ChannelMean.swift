/// One channel, the mean of many.
package enum ChannelMean {
    /// m[n] = mean over channels of x[n][channel].
    /// - Parameters:
    ///   - samples: x; shape [frameCount][channelCount].
    ///   - mean: its contents are replaced by m; shape [frameCount]. Allocates only if it must grow.
    package static func take(_ samples: Span<Float>, channelCount: Int, into mean: inout [Float]) {
        mean.removeAll(keepingCapacity: true)
        let scale = 1 / Float(channelCount)
        for first in stride(from: 0, to: samples.count, by: channelCount) {
            var sum: Float = 0
            for channel in 0..<channelCount { sum += samples[first + channel] }
            mean.append(scale * sum)
        }
    }
}
