public import EarshotCoding

/// A frame heard on the air, with the evidence for it.
public struct ReceivedFrame: Sendable, Equatable {
    /// What it carries.
    public var payload: Payload
    /// The name of its profile.
    public var profileName: String
    /// The input sample at which it starts; negative where it began before the input did.
    public var startSample: Int
    /// The input sample behind its last one.
    public var endSample: Int
    /// How far its tones lie from their places, at the band's centre: Doppler and clocks. Positive is higher.
    public var offsetHertz: Float
    /// Signal power over noise power in 1,500 Hz.
    public var snrDecibels: Float
    /// The mean over data tones of ln(1 + E/N): about 1.4 for a codeword fitted to noise, more for a real one.
    public var pathMetric: Float
    /// How many frames of a burst it was read from together: 1 where it could be read alone. Start and end are those of the
    /// first and of the last of them.
    public var combinedCount = 1
    /// Whether it was not decoded, but recognised: most of its tones are those of a token decoded less than a minute before. Only
    /// where a receiver was asked to. `pathMetric` says nothing then.
    public var isRecognised = false
}

/// What a receiver has done so far.
public struct ReceiverStatistics: Sendable, Equatable {
    /// Nothing yet.
    public init() {}

    /// Input samples taken in.
    public var samples = 0
    /// Input samples that were lost.
    public var skippedSamples = 0
    /// Frames reported.
    public var frames = 0
    /// Of these, how many were read from several repeats together.
    public var combinedFrames = 0
    /// Frames that were recognised; they do not count as reported.
    public var recognisedFrames = 0
    /// Places where a sync pattern might have been.
    public var candidates = 0
    /// Candidates whose sync pattern did not stand up to a closer look.
    public var rejectedBySync = 0
    /// Candidates that had no room, because too many others were waiting.
    public var rejectedByCrowding = 0
    /// Frames that were taken out of the sound, because something else was in it.
    public var cancelledFrames = 0
    /// Decoding attempts that ended in no codeword worth a CRC: the path metric was that of noise,
    /// or too much of the frame was lost.
    public var rejectedByPathMetric = 0
    /// Decoding attempts with a good path metric and a wrong CRC.
    public var rejectedByCheck = 0
    /// Decoding attempts that found a frame which had been reported already.
    public var duplicates = 0
}
