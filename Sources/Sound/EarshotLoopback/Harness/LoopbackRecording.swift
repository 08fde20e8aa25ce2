import EarshotModem

/// A frame in a run's memory.
struct KeptFrame: Sendable {
    var frame: ReceivedFrame
    /// When the frame was reported.
    var atSeconds: Double
    /// The level of the band during the frame, as the peak of a sine in dBFS, if it could be measured.
    var levelDecibels: Double?
}

/// The data that a run stores until its end.
struct LoopbackRecording {
    var program: LoopbackProgram
    var isCancelled = false
    /// Samples of the program that were played.
    var leftCount: Int
    /// The times when the first sample of each token was played, for those that were.
    var departureSeconds: [Double]
    var opening: RecordedWindow
    var closing: RecordedWindow
    /// Samples recorded before playback began.
    var recordedBefore = 0
    var heard: [KeptFrame]
    /// The number of frames that were not stored.
    var unkeptFrameCount = 0
    var dropouts: [LoopbackDropout] = []

    /// Whether a token was played to its end.
    func wasPlayed(_ sendingIndex: Int) -> Bool {
        program.sendings[sendingIndex].samples.upperBound <= leftCount
    }
}
