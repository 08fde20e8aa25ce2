import EarshotModem

/// Merges the receptions of one frame on several channels, so that it is reported once.
///
/// Of simultaneous receptions the one with the best SNR counts. Allocates only for frames.
struct ChannelMerger {
    /// How long a frame is remembered, in seconds after its end. A slower channel cannot report it later: all channels decide
    /// within a few milliseconds.
    private static let memorySeconds = 1.0

    private var pending: [(channel: Int, frame: ReceivedFrame)] = []
    private var recent: [ReceivedFrame] = []

    /// Adds a frame that one channel heard in the present block.
    mutating func add(_ frame: ReceivedFrame, channel: Int) {
        guard let index = pending.firstIndex(where: { Self.isSame($0.frame, frame) }) else {
            if !recent.contains(where: { Self.isSame($0, frame) }) { pending.append((channel, frame)) }
            return
        }
        if pending[index].frame.snrDecibels < frame.snrDecibels { pending[index] = (channel, frame) }
    }

    /// Ends the present block, after all channels have had it.
    /// - Parameter endSample: the end of the block.
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

    /// A repetition of a frame begins after its end, so frames that overlap are the same.
    private static func isSame(_ a: ReceivedFrame, _ b: ReceivedFrame) -> Bool {
        a.payload == b.payload && a.profileName == b.profileName
            && a.startSample < b.endSample && b.startSample < a.endSample
    }
}
