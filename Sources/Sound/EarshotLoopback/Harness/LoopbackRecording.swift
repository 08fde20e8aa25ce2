import EarshotModem

/// A frame as a run keeps it.
struct KeptFrame: Sendable {
    var frame: ReceivedFrame
    /// When the frame was reported.
    var atSeconds: Double
    /// The level of the band meanwhile, as the peak of a sine in dBFS, if it could be measured.
    var levelDecibels: Double?
}

/// What a run keeps until its end.
struct LoopbackRecording {
    var program: LoopbackProgram
    var isCancelled = false
    /// Samples of the program that were played.
    var leftCount: Int
    /// When the first sample of each token left, for those that did.
    var departureSeconds: [Double]
    var opening: RecordedWindow
    var closing: RecordedWindow
    /// Samples recorded before playback began.
    var recordedBefore = 0
    var heard: [KeptFrame]
    /// The number of frames beyond those that are kept.
    var unkeptFrameCount = 0
    var dropouts: [LoopbackDropout] = []

    /// Whether a token was played to its end.
    func wasPlayed(_ sendingIndex: Int) -> Bool {
        program.sendings[sendingIndex].samples.upperBound <= leftCount
    }
}
