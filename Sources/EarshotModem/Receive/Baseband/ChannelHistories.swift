import EarshotDSP

/// The histories of all channels of a receiver: the microphones of one device.
///
/// All channels hold the same stretch, and holes and masks are common to them. A class, because every `FrameView` refers to
/// it.
final class ChannelHistories {
    /// The maximum number of channels.
    static let maximumCount = 8

    private let histories: [BasebandHistory]
    /// The index behind the latest sample in which a channel differed from every channel before it.
    private var ownEndIndices: InlineArray<8, Int>

    /// The histories of 1 to `maximumCount` channels.
    init(_ histories: [BasebandHistory]) {
        precondition(
            (1...ChannelHistories.maximumCount).contains(histories.count), "\(histories.count) channels of one receiver"
        )
        self.histories = histories
        ownEndIndices = InlineArray(repeating: .min)
    }

    /// The number of channels.
    var count: Int { histories.count }
    var indices: Range<Int> { 0..<histories.count }

    /// A channel's history.
    subscript(channel: Int) -> BasebandHistory { histories[channel] }

    /// The index behind the latest sample.
    var endIndex: Int { histories[0].endIndex }
    /// At least this many of the latest samples are held.
    var keptSampleCount: Int { histories[0].keptSampleCount }
    /// The part of a range of indices that is held.
    func heldRange(_ range: Range<Int>) -> Range<Int> { histories[0].heldRange(range) }

    /// Masks the samples of a range in all channels.
    func mask(_ range: Range<Int>) {
        for history in histories { history.mask(range) }
    }

    // MARK: Copies

    /// Whether a channel has repeated an earlier channel, sample by sample, since `index`: both sides of one microphone. Its
    /// noise is no second opinion, so it must not count.
    func isCopy(_ channel: Int, since index: Int) -> Bool {
        channel > 0 && ownEndIndices[channel] <= index
    }

    /// Compares the latest `count` samples of all channels.
    func noteCopies(_ count: Int) {
        for channel in 1..<max(histories.count, 1) where !repeatsAnEarlier(channel, count) {
            ownEndIndices[channel] = endIndex
        }
    }

    private func repeatsAnEarlier(_ channel: Int, _ count: Int) -> Bool {
        let first = endIndex - count
        return histories[channel].withSamples(from: first, count: count) { own in
            for earlier in 0..<channel {
                let isEqual = histories[earlier].withSamples(from: first, count: count) { other in
                    for n in own.indices where own[n] != other[n] { return false }
                    return true
                }
                if isEqual { return true }
            }
            return false
        }
    }

    /// Moves the indices back with the histories'.
    func rewind(_ count: Int) {
        for channel in indices where ownEndIndices[channel] != .min { ownEndIndices[channel] -= count }
    }
}
