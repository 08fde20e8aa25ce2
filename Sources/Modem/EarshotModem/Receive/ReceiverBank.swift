/// The receivers of one input: one for all its channels, or one for each.
///
/// The channels of an input with two to eight are the microphones of one device, and one receiver combines them: each
/// frame is reported once, with its best channel. If there are more than eight, or if the caller asks for it, each
/// channel has its own receiver.
///
/// Not thread-safe, like `Receiver`: one thread at a time pushes.
public final class ReceiverBank {
    /// One receiver and its channels.
    private final class Group {
        var receiver: Receiver
        let firstChannel: Int
        init(_ receiver: consuming Receiver, firstChannel: Int) {
            self.receiver = receiver
            self.firstChannel = firstChannel
        }

        /// Reports a frame with its channel in the input.
        func report(_ frame: ReceivedFrame, _ onFrame: (_ channel: Int, ReceivedFrame) -> Void) {
            var frame = frame
            frame.channel += firstChannel
            onFrame(frame.channel, frame)
        }
    }

    /// The maximum number of frames that one call of `push` takes: long enough to make the cost of a call negligible,
    /// short enough to stay in the cache.
    /// - Parameter channelCount: the channels of the input, 1 or more.
    public static func blockFrameCount(channelCount: Int) -> Int {
        max(1_024, 16_384 / channelCount)
    }

    private let channelCount: Int
    private let groups: [Group]

    /// Receivers at the start of an input.
    /// - Parameters:
    ///   - channelCount: the channels of the input, 1 or more.
    ///   - separate: whether each channel has its own receiver, even if there are at most eight.
    ///   - sampleRateHertz: samples per second and channel, in `ModemError.validSampleRatesHertz`.
    ///   - profiles: the profiles to listen for; at least one.
    ///   - repeatCount: the number of repeats of a token that are read together, 2 to 8, or 1 for none; see `Receiver`.
    ///   - recognisesTokens: whether to report tokens that were decoded before and cannot be decoded now; see `Receiver`.
    /// - Throws: `ModemError` if the sample rate is below or above the valid ones.
    public init(
        channelCount: Int, separate: Bool = false, sampleRateHertz: Int, profiles: [Profile] = Profile.all,
        combining repeatCount: Int = 1, recognisesTokens: Bool = false
    ) throws(ModemError) {
        precondition(channelCount > 0, "\(channelCount) channels")
        self.channelCount = channelCount
        let isOne = !separate && Receiver.validChannelCounts.contains(channelCount)
        let groupSize = isOne ? channelCount : 1
        var groups: [Group] = []
        for firstChannel in stride(from: 0, to: channelCount, by: groupSize) {
            groups.append(
                Group(
                    try Receiver(
                        sampleRateHertz: sampleRateHertz, channelCount: groupSize, profiles: profiles,
                        combining: repeatCount, recognisesTokens: recognisesTokens), firstChannel: firstChannel))
        }
        self.groups = groups
    }

    /// Processes a block of interleaved frames, full scale 1, and reports the frames that ended. Allocates nothing.
    /// - Parameters:
    ///   - samples: shape [at most blockFrameCount][channelCount].
    ///   - onFrame: receives each frame and the number of its channel, from 0 on.
    public func push(_ samples: Span<Float>, onFrame: (_ channel: Int, ReceivedFrame) -> Void) {
        SampleBlock.with(samples, channelCount: channelCount) { push($0, onFrame) }
    }

    /// Processes a block of interleaved frames, full scale 2¹⁵; see the same method for floats.
    /// - Parameters:
    ///   - samples: shape [at most blockFrameCount][channelCount].
    ///   - onFrame: receives each frame and the number of its channel, from 0 on.
    public func push(_ samples: Span<Int16>, onFrame: (_ channel: Int, ReceivedFrame) -> Void) {
        SampleBlock.with(samples, channelCount: channelCount) { push($0, onFrame) }
    }

    private func push(_ block: SampleBlock, _ onFrame: (_ channel: Int, ReceivedFrame) -> Void) {
        for group in groups {
            group.receiver.push(block.from(channel: group.firstChannel)) { group.report($0, onFrame) }
        }
    }

    /// Skips frames that were lost; see `Receiver.skip`.
    /// - Parameters:
    ///   - frameCount: 0 or more.
    ///   - onFrame: receives each frame that ended meanwhile and the number of its channel.
    public func skip(_ frameCount: SampleIndex, onFrame: (_ channel: Int, ReceivedFrame) -> Void) {
        for group in groups {
            group.receiver.skip(frameCount) { group.report($0, onFrame) }
        }
    }

    /// The level of the loudest channel in the band over the latest `seconds`, in decibels; see `BandMeter`.
    public func bandDecibels(_ meter: BandMeter, seconds: Double) -> Double {
        groups.map { meter.bandDecibels($0.receiver, seconds: seconds) }.max() ?? -.infinity
    }

    /// Ends the input and reports the frames that can still be found; see `Receiver.flush`.
    /// - Parameter onFrame: receives each frame and the number of its channel.
    public func flush(onFrame: (_ channel: Int, ReceivedFrame) -> Void) {
        for group in groups {
            group.receiver.flush { group.report($0, onFrame) }
        }
    }

    /// Whether a frame may be on the air in a channel; see `Receiver.isExpecting`.
    public var isExpecting: Bool { groups.contains { $0.receiver.isExpecting } }

    /// Whether a frame seems to be on the air in a channel; see `Receiver.isReceiving`.
    public var isReceiving: Bool { groups.contains { $0.receiver.isReceiving } }

    /// The statistics of all receivers, added up.
    public var statistics: ReceiverStatistics {
        groups.reduce(into: ReceiverStatistics()) { sum, group in
            let statistics = group.receiver.statistics
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
            sum.rejectedByEvidence += statistics.rejectedByEvidence
            sum.rejectedByCheck += statistics.rejectedByCheck
            sum.duplicates += statistics.duplicates
        }
    }
}
