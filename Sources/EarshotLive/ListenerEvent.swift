public import EarshotAudio
public import EarshotCoding
public import EarshotModem

/// What happens while somebody listens, in order.
public enum ListenerEvent: Sendable {
    /// A token or other payload was heard.
    case heard(HeardFrame)
    /// How loud it is; only where `Listener.Options` asks for it.
    case level(LevelReport)
    /// Sound is missing.
    case gap(Gap)
    /// The device is away, and is waited for.
    case interrupted(DeviceError)
    /// It is back.
    case resumed(DeviceFormat, afterSeconds: Double)
    /// Events that were not delivered, because nobody took those before them in time. Only in `Listener.events`.
    case missed(eventCount: Int)
    /// The last event.
    case ended(ListenerSummary)
}

/// A frame, and where and when it was heard.
public struct HeardFrame: Sendable {
    /// What was received; its samples count from the begin of listening, gaps included.
    public var frame: ReceivedFrame
    /// The channel, from 0; 0 where channels were mixed.
    public var channel: Int
    /// Samples a second.
    public var sampleRateHertz: Int
    /// Whether it is one of `Listener.ownPayloads`: our own loudspeaker, or somebody who repeats us.
    public var isOwn: Bool
    /// From when its last sample was recorded until now.
    public var latencySeconds: Double
    /// When its first sample was recorded, by `MonotonicTime`.
    public var startNanoseconds: Int64

    /// What it carries.
    public var payload: Payload { frame.payload }
    /// Seconds from the begin of listening to its start.
    public var startSeconds: Double { Double(frame.startSample) / Double(sampleRateHertz) }
    /// Seconds from the begin of listening to its end.
    public var endSeconds: Double { Double(frame.endSample) / Double(sampleRateHertz) }
}

/// Sound that nobody recorded.
public struct Gap: Sendable, Equatable {
    /// Why.
    public var reason: CaptureNotice.Loss
    /// Where, in seconds from the begin of listening.
    public var atSeconds: Double
    /// How much.
    public var seconds: Double
}

/// How loud it is in the band, in decibels of full scale: a sine of amplitude 1 has 0 dB.
public struct LevelReport: Sendable, Equatable {
    /// Seconds from the begin of listening.
    public var atSeconds: Double
    /// The mean in 18.5 to 20 kHz since the last report; of the loudest channel.
    public var bandDecibels: Double
    /// The level of the quietest quarter of the last 5 s: the noise there, as long as tokens are rarer than that.
    public var noiseDecibels: Double
    /// The largest sample of any channel since the last report.
    public var peakDecibels: Double
    /// How full the ring between device and decoder is, 0 … 1.
    public var ringFill: Double
    /// Whether a frame seems to be on the air, however quiet; see `Receiver.isReceiving`.
    public var isReceiving: Bool
}

/// What came of listening.
public struct ListenerSummary: Sendable, Equatable {
    /// Seconds of sound that was heard, gaps not included.
    public var heardSeconds = 0.0
    /// Frames reported.
    public var frameCount = 0
    /// Gaps reported.
    public var gapCount = 0
    /// Seconds of sound in gaps.
    public var gapSeconds = 0.0
    /// What the receivers did, summed over channels.
    public var statistics = ReceiverStatistics()
    /// Why it ended, where that was not asked for.
    public var failure: DeviceError?
}
