/// A receiver for every channel of one input.
public struct ReceiverBank {
    private final class Channel {
        var receiver: Receiver
        init(_ receiver: consuming Receiver) { self.receiver = receiver }
    }

    /// The most frames that one call of `push` takes: long enough that what happens per block does not count, short
    /// enough to stay in the cache.
    public static func blockFrameCount(channelCount: Int) -> Int {
        max(1_024, 16_384 / channelCount)
    }

    private let channels: [Channel]
    /// One channel of a block; empty for a single channel, which is taken as it comes.
    private var separated: [Float]

    /// Receivers at the start of an input; see `Receiver`.
    public init(
        channelCount: Int, sampleRateHertz: Int, profiles: [Profile] = Profile.all, combining repeatCount: Int = 1,
        recognisesTokens: Bool = false
    ) throws(ModemError) {
        precondition(channelCount > 0, "\(channelCount) channels")
        var channels: [Channel] = []
        for _ in 0..<channelCount {
            channels.append(
                Channel(
                    try Receiver(
                        sampleRateHertz: sampleRateHertz, profiles: profiles, combining: repeatCount,
                        recognisesTokens: recognisesTokens)))
        }
        self.channels = channels
        separated =
            channelCount == 1
            ? [] : [Float](repeating: 0, count: Self.blockFrameCount(channelCount: channelCount))
    }

    /// Takes interleaved frames in. Allocates nothing.
    /// - Parameters:
    ///   - samples: shape [at most blockFrameCount][channelCount].
    ///   - onFrame: gets each frame, and the channel that heard it, from 0.
    public mutating func push(_ samples: Span<Float>, onFrame: (_ channel: Int, ReceivedFrame) -> Void) {
        guard channels.count > 1 else {
            channels[0].receiver.push(samples) { onFrame(0, $0) }
            return
        }
        let frameCount = samples.count / channels.count
        for (number, channel) in channels.enumerated() {
            separate(samples, channel: number, frameCount: frameCount)
            channel.receiver.push(separated.span.extracting(0..<frameCount)) { onFrame(number, $0) }
        }
    }

    /// The same for integers, full scale 2¹⁵.
    public mutating func push(_ samples: Span<Int16>, onFrame: (_ channel: Int, ReceivedFrame) -> Void) {
        guard channels.count > 1 else {
            channels[0].receiver.push(samples) { onFrame(0, $0) }
            return
        }
        let (channelCount, frameCount) = (channels.count, samples.count / channels.count)
        for (number, channel) in channels.enumerated() {
            var target = separated.mutableSpan
            for index in 0..<frameCount {
                target[index] = Float(samples[index * channelCount + number]) * 0x1p-15
            }
            channel.receiver.push(separated.span.extracting(0..<frameCount)) { onFrame(number, $0) }
        }
    }

    private mutating func separate(_ samples: Span<Float>, channel: Int, frameCount: Int) {
        let channelCount = channels.count
        var target = separated.mutableSpan
        for index in 0..<frameCount {
            target[index] = samples[index * channelCount + channel]
        }
    }

    /// Frames were lost here; see `Receiver.skip`.
    public func skip(_ frameCount: Int, onFrame: (_ channel: Int, ReceivedFrame) -> Void) {
        for (number, channel) in channels.enumerated() {
            channel.receiver.skip(frameCount) { onFrame(number, $0) }
        }
    }

    /// How loud the loudest channel's band was in the latest `seconds`; see `BandMeter`.
    public func bandDecibels(_ meter: BandMeter, seconds: Double) -> Double {
        channels.map { meter.bandDecibels($0.receiver, seconds: seconds) }.max() ?? -.infinity
    }

    /// Ends the input.
    public func flush(onFrame: (_ channel: Int, ReceivedFrame) -> Void) {
        for (number, channel) in channels.enumerated() {
            channel.receiver.flush { onFrame(number, $0) }
        }
    }

    /// Whether a frame may be on the air.
    public var isExpecting: Bool { channels.contains { $0.receiver.isExpecting } }

    /// Whether a frame seems to be on the air, see `Receiver`.
    public var isReceiving: Bool { channels.contains { $0.receiver.isReceiving } }

    /// The sums over all channels.
    public var statistics: ReceiverStatistics {
        channels.reduce(into: ReceiverStatistics()) { sum, channel in
            let statistics = channel.receiver.statistics
            sum.samples += statistics.samples
            sum.skippedSamples += statistics.skippedSamples
            sum.frames += statistics.frames
            sum.combinedFrames += statistics.combinedFrames
            sum.recognisedFrames += statistics.recognisedFrames
            sum.candidates += statistics.candidates
            sum.rejectedBySync += statistics.rejectedBySync
            sum.rejectedByCrowding += statistics.rejectedByCrowding
            sum.cancelledFrames += statistics.cancelledFrames
            sum.rejectedByPathMetric += statistics.rejectedByPathMetric
            sum.rejectedByCheck += statistics.rejectedByCheck
            sum.duplicates += statistics.duplicates
        }
    }
}
