/// Counts of a receiver's work since its start.
public struct ReceiverStatistics: Sendable, Equatable {
    /// Creates statistics with all counts zero.
    public init() {}

    /// Input samples; those of several channels of one receiver count once.
    public var samples: SampleIndex = 0
    /// Input samples that were lost: skipped by `skip`.
    public var skippedSamples: SampleIndex = 0
    /// Frames reported, without the recognised ones.
    public var frames = 0
    /// Reported frames that were read from several repeats together.
    public var combinedFrames = 0
    /// Frames that were recognised instead of decoded.
    public var recognisedFrames = 0
    /// Places where the search found a possible sync pattern.
    public var candidates = 0
    /// Candidates rejected by a second check of the sync pattern and of the symbols after it.
    public var rejectedBySync = 0
    /// Candidates dropped because too many others were waiting.
    public var rejectedByCrowding = 0
    /// Decoding attempts that the budget did not allow, because the sound had more likely ones than one core can
    /// decode.
    public var rejectedByBudget = 0
    /// Frames cancelled in the baseband, because something else was heard at the same time.
    public var cancelledFrames = 0
    /// Decoding attempts without a codeword worth a CRC: the path metric was that of noise, or too much of the frame was lost.
    public var rejectedByPathMetric = 0
    /// Decoding attempts rejected by the evidence: it was against every codeword, so the CRC was not checked, or it was
    /// against a codeword whose CRC matched.
    public var rejectedByEvidence = 0
    /// Decoding attempts with a good path metric and a wrong CRC.
    public var rejectedByCheck = 0
    /// Decoding attempts that found an already reported frame.
    public var duplicates = 0
}
