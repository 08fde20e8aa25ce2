public import EarshotAudio
public import EarshotCoding
public import EarshotModem

/// The events of a `Listener`, in order.
public enum ListenerEvent: Sendable {
    /// A token or other payload was heard.
    case heard(HeardFrame)
    /// The level of the band; only with `Listener.Options.levelIntervalSeconds`.
    case level(LevelReport)
    /// Sound was lost.
    case gap(Gap)
    /// The sound contained more possible frames than the receiver's decoding budget allows. At most one event a second.
    case overloaded(Overload)
    /// The device has gone away; the listener waits for it.
    case interrupted(DeviceError)
    /// The device is back, after `afterSeconds` seconds.
    case resumed(DeviceFormat, afterSeconds: Double)
    /// `eventCount` events were dropped here, because the reader was too slow. Only in streams of `Listener.events()`.
    case missed(eventCount: Int)
    /// The last event.
    case ended(ListenerSummary)
}

/// A frame, and where and when it was heard.
public struct HeardFrame: Sendable {
    /// The frame. Its samples count from the start of listening, gaps included.
    public var frame: ReceivedFrame
    /// The channel that heard the frame best, from 0; 0 if channels were mixed.
    public var channel: Int
    /// The sample rate, in hertz.
    public var sampleRateHertz: Int
    /// Whether the payload is one of `Listener.ownPayloads`: from the machine's own loudspeaker, or from a device that repeats it.
    public var isOwn: Bool
    /// Seconds from the recording of its last sample to this event.
    public var latencySeconds: Double
    /// When its first sample was recorded, by `MonotonicTime`.
    public var startNanoseconds: Int64

    /// The payload of the frame.
    public var payload: Payload { frame.payload }
    /// Seconds from the start of listening to the start of the frame.
    public var startSeconds: Double { Double(frame.startSample) / Double(sampleRateHertz) }
    /// Seconds from the start of listening to the end of the frame.
    public var endSeconds: Double { Double(frame.endSample) / Double(sampleRateHertz) }
}

/// A stretch of sound that was not recorded.
public struct Gap: Sendable, Equatable {
    /// The reason why the stretch is missing.
    public var reason: CaptureNotice.Loss
    /// Seconds from the start of listening to the start of the gap.
    public var atSeconds: Double
    /// The length of the gap in seconds.
    public var seconds: Double
}

/// Decoding attempts that the receiver skipped; see `ReceiverStatistics.rejectedByBudget`.
public struct Overload: Sendable, Equatable {
    /// Seconds from the begin of listening.
    public var atSeconds: Double
    /// The number of attempts skipped since the last such event.
    public var attemptCount: Int
}

/// Levels, in decibels of full scale: a sine of amplitude 1 has 0 dB.
public struct LevelReport: Sendable, Equatable {
    /// Seconds from the begin of listening.
    public var atSeconds: Double
    /// The mean level in 18.5 to 20 kHz since the last report, of the loudest channel.
    public var bandDecibels: Double
    /// The level of the quietest quarter of the last 5 s: that of the noise, as long as tokens fill less than three
    /// quarters of the time.
    public var noiseDecibels: Double
    /// The maximum sample of any channel since the last report.
    public var peakDecibels: Double
    /// The fill of the ring between device and decoder, 0 … 1.
    public var ringFill: Double
    /// Whether a frame seems to be on the air, even a quiet one; see `Receiver.isReceiving`.
    public var isReceiving: Bool
}

/// The summary of a listener's work.
public struct ListenerSummary: Sendable, Equatable {
    /// Seconds of sound that was heard, without gaps.
    public var heardSeconds = 0.0
    /// The number of frames reported.
    public var frameCount = 0
    /// The number of gaps reported.
    public var gapCount = 0
    /// Seconds of sound lost in gaps.
    public var gapSeconds = 0.0
    /// The receivers' counters, summed over channels.
    public var statistics = ReceiverStatistics()
    /// The device's error, if it ended listening.
    public var failure: DeviceError?
}
