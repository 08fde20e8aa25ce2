import EarshotDSP

/// The histories of all channels of a receiver: the microphones of one device.
///
/// All channels contain the same stretch and share their holes; a mask covers the channels that heard the masked frame.
/// A class, because every `FrameView` refers to it.
final class ChannelHistories {
    /// The maximum number of channels.
    static let maximumCount = 8

    /// Channels that are more coherent than this are copies: |Σ x_b·x_a*|² over Σ|x_a|²·Σ|x_b|².
    private static let maximumCoherence: Float = 0.9
    /// The share of a sum that the next call keeps: the memory is 32 quanta, 0.34 s.
    private static let kept: Float = 1 - 1.0 / 32

    private let histories: [BasebandHistory]
    /// The index after the latest samples in which a channel was not a copy.
    private var ownEndIndices: InlineArray<8, Int>
    private var powers = InlineArray<8, Float>(repeating: 0)
    private var products: [ComplexSample]

    /// The histories of 1 to `maximumCount` channels.
    init(_ histories: [BasebandHistory]) {
        precondition(
            (1...ChannelHistories.maximumCount).contains(histories.count), "\(histories.count) channels of one receiver"
        )
        self.histories = histories
        ownEndIndices = InlineArray(repeating: .min)
        products = [ComplexSample](
            repeating: ComplexSample(), count: ChannelHistories.maximumCount * ChannelHistories.maximumCount)
    }

    /// The number of channels.
    var count: Int { histories.count }
    var indices: Range<Int> { 0..<histories.count }

    /// A channel's history.
    subscript(channel: Int) -> BasebandHistory { histories[channel] }

    /// The index after the latest sample.
    var endIndex: Int { histories[0].endIndex }
    /// The minimum number of the latest samples that are kept.
    var keptSampleCount: Int { histories[0].keptSampleCount }
    /// The part of a range of indices that is held.
    func heldRange(_ range: Range<Int>) -> Range<Int> { histories[0].heldRange(range) }

    /// Masks the samples of a range in the channels that heard a frame with these shares.
    func mask(_ range: Range<Int>, in shares: ChannelShares) {
        for channel in indices where shares.isClear(channel) { histories[channel].mask(range) }
    }

    // MARK: Copies

    /// Whether a channel has repeated an earlier one since `index`, at any gain: both sides of one microphone. Its
    /// noise is not independent, so it must not count.
    func isCopy(_ channel: Int, since index: Int) -> Bool {
        channel > 0 && ownEndIndices[channel] <= index
    }

    /// Compares the samples of all channels from `first` on, `count` at a time.
    ///
    ///     |Σ x_b·x_a*|² < 0.9·Σ|x_a|²·Σ|x_b|²   for every earlier channel a, with sums that decay within 32 steps
    ///
    /// A loud frame also makes channels alike, but they were not alike when it began.
    func noteCopies(from first: Int, _ count: Int) {
        guard histories.count > 1 else { return }
        for index in stride(from: first, to: endIndex, by: count) {
            noteCopies(index..<index + count)
        }
    }

    private func noteCopies(_ range: Range<Int>) {
        for channel in histories.indices {
            let power = histories[channel].withSamples(from: range.lowerBound, count: range.count) { own in
                var sum: Float = 0
                for n in own.indices { sum += own[n].power }
                return sum
            }
            powers[channel] = ChannelHistories.kept * powers[channel] + power
            var isOwn = powers[channel] > 0
            for earlier in 0..<channel {
                let pair = channel * ChannelHistories.maximumCount + earlier
                products[pair] = products[pair] * ChannelHistories.kept + product(channel, earlier, range)
                let limit = ChannelHistories.maximumCoherence * powers[channel] * powers[earlier]
                isOwn = isOwn && (powers[earlier] == 0 || products[pair].power < limit)
            }
            if isOwn { ownEndIndices[channel] = range.upperBound }
        }
    }

    /// Σ x_b·x_a* of a range of samples.
    private func product(_ channel: Int, _ earlier: Int, _ range: Range<Int>) -> ComplexSample {
        histories[channel].withSamples(from: range.lowerBound, count: range.count) { own in
            histories[earlier].withSamples(from: range.lowerBound, count: range.count) { other in
                var sum = ComplexSample()
                for n in own.indices { sum += own[n].times(other[n].conjugate) }
                return sum
            }
        }
    }

    /// Moves the indices back with those of the histories.
    func rewind(_ count: Int) {
        for channel in indices where ownEndIndices[channel] != .min { ownEndIndices[channel] -= count }
    }
}
