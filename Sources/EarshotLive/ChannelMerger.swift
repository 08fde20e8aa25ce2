import EarshotModem

/// Reports a frame once that several channels heard.
///
/// Of those that hear it at the same time the one with the best SNR counts. Allocates only for frames.
struct ChannelMerger {
    /// Frames that ended longer ago cannot be heard again by a slower channel: all channels decide within a few
    /// milliseconds.
    private static let memorySeconds = 1.0

    private var pending: [(channel: Int, frame: ReceivedFrame)] = []
    private var recent: [ReceivedFrame] = []

    /// One channel heard this in the present block.
    mutating func add(_ frame: ReceivedFrame, channel: Int) {
        guard let index = pending.firstIndex(where: { Self.isSame($0.frame, frame) }) else {
            if !recent.contains(where: { Self.isSame($0, frame) }) { pending.append((channel, frame)) }
            return
        }
        if pending[index].frame.snrDecibels < frame.snrDecibels { pending[index] = (channel, frame) }
    }

    /// All channels have had the present block.
    /// - Parameter endSample: where it ends.
    mutating func finishBlock(
        endSample: Int, sampleRateHertz: Int, _ report: (_ channel: Int, ReceivedFrame) -> Void
    ) {
        let horizon = endSample - Int(Self.memorySeconds * Double(sampleRateHertz))
        if !recent.isEmpty { recent.removeAll { $0.endSample < horizon } }
        guard !pending.isEmpty else { return }
        for (channel, frame) in pending {
            recent.append(frame)
            report(channel, frame)
        }
        pending.removeAll(keepingCapacity: true)
    }

    /// A frame's own repetition begins where it ends, so frames that overlap are the same.
    private static func isSame(_ a: ReceivedFrame, _ b: ReceivedFrame) -> Bool {
        a.payload == b.payload && a.profileName == b.profileName
            && a.startSample < b.endSample && b.startSample < a.endSample
    }
}
