/// A receiver for every channel of one input.
///
/// Not thread-safe, like `Receiver`: one thread at a time pushes.
public final class ReceiverBank {
    private final class Channel {
        var receiver: Receiver
        init(_ receiver: consuming Receiver) { self.receiver = receiver }
    }

    /// The maximum number of frames that one call of `push` takes: long enough that the cost of a call does not count, short
    /// enough to stay in the cache.
    /// - Parameter channelCount: the channels of the input, 1 or more.
    public static func blockFrameCount(channelCount: Int) -> Int {
        max(1_024, 16_384 / channelCount)
    }

    private let channels: [Channel]
    /// One channel of a block; empty for a single channel, which needs no copy.
    private var separated: [Float]

    /// Receivers at the start of an input.
    /// - Parameters:
    ///   - channelCount: the channels of the input, 1 or more.
    ///   - sampleRateHertz: samples a second and channel, in `ModemError.validSampleRatesHertz`.
    ///   - profiles: the profiles to listen for; at least one.
    ///   - repeatCount: how many repeats of a token are read together, 2 to 8, or 1 for none; see `Receiver`.
    ///   - recognisesTokens: whether to report tokens that were decoded before and cannot be decoded now; see `Receiver`.
    /// - Throws: `ModemError` if the sample rate is below or above the valid ones.
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

    /// Takes a block of interleaved frames, full scale 1, and reports the frames that ended. Allocates nothing.
    /// - Parameters:
    ///   - samples: shape [at most blockFrameCount][channelCount].
    ///   - onFrame: receives each frame and the number of its channel, from 0 on.
    public func push(_ samples: Span<Float>, onFrame: (_ channel: Int, ReceivedFrame) -> Void) {
        guard channels.count > 1 else {
            channels[0].receiver.push(samples) { onFrame(0, $0) }
            return
        }
        let (channelCount, frameCount) = (channels.count, samples.count / channels.count)
        for (number, channel) in channels.enumerated() {
            separated.withUnsafeMutableBufferPointer { separated in
                for index in 0..<frameCount {
                    separated[index] = samples[index * channelCount + number]
                }
            }
            pushSeparated(channel, frameCount) { onFrame(number, $0) }
        }
    }

    /// Takes a block of interleaved frames, full scale 2¹⁵; see the same method for floats.
    /// - Parameters:
    ///   - samples: shape [at most blockFrameCount][channelCount].
    ///   - onFrame: receives each frame and the number of its channel, from 0 on.
    public func push(_ samples: Span<Int16>, onFrame: (_ channel: Int, ReceivedFrame) -> Void) {
        guard channels.count > 1 else {
            channels[0].receiver.push(samples) { onFrame(0, $0) }
            return
        }
        let (channelCount, frameCount) = (channels.count, samples.count / channels.count)
        for (number, channel) in channels.enumerated() {
            separated.withUnsafeMutableBufferPointer { separated in
                for index in 0..<frameCount {
                    separated[index] = Float(samples[index * channelCount + number]) * 0x1p-15
                }
            }
            pushSeparated(channel, frameCount) { onFrame(number, $0) }
        }
    }

    private func pushSeparated(_ channel: Channel, _ frameCount: Int, onFrame: (ReceivedFrame) -> Void) {
        let samples = separated
        channel.receiver.push(samples.span.extracting(0..<frameCount), onFrame: onFrame)
    }

    /// Passes over frames that existed but were lost; see `Receiver.skip`.
    /// - Parameters:
    ///   - frameCount: 0 or more.
    ///   - onFrame: receives each frame that ended meanwhile and the number of its channel.
    public func skip(_ frameCount: Int, onFrame: (_ channel: Int, ReceivedFrame) -> Void) {
        for (number, channel) in channels.enumerated() {
            channel.receiver.skip(frameCount) { onFrame(number, $0) }
        }
    }

    /// The level of the loudest channel in the band over the latest `seconds`, in decibels; see `BandMeter`.
    public func bandDecibels(_ meter: BandMeter, seconds: Double) -> Double {
        channels.map { meter.bandDecibels($0.receiver, seconds: seconds) }.max() ?? -.infinity
    }

    /// Ends the input and reports the frames that can still be found; see `Receiver.flush`.
    /// - Parameter onFrame: receives each frame and the number of its channel.
    public func flush(onFrame: (_ channel: Int, ReceivedFrame) -> Void) {
        for (number, channel) in channels.enumerated() {
            channel.receiver.flush { onFrame(number, $0) }
        }
    }

    /// Whether a frame may be on the air in a channel; see `Receiver.isExpecting`.
    public var isExpecting: Bool { channels.contains { $0.receiver.isExpecting } }

    /// Whether a frame seems to be on the air in a channel; see `Receiver.isReceiving`.
    public var isReceiving: Bool { channels.contains { $0.receiver.isReceiving } }

    /// The statistics of all channels, added up.
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
            sum.rejectedByBudget += statistics.rejectedByBudget
            sum.cancelledFrames += statistics.cancelledFrames
            sum.rejectedByPathMetric += statistics.rejectedByPathMetric
            sum.rejectedByCheck += statistics.rejectedByCheck
            sum.duplicates += statistics.duplicates
        }
    }
}
