import EarshotModem

/// A frame as a run keeps it.
struct KeptFrame: Sendable {
    var frame: ReceivedFrame
    /// When it was known.
    var atSeconds: Double
    /// How loud the band was meanwhile, as the peak of a sine, where that could be measured.
    var levelDecibels: Double?
}

/// All that is left of a run when it is over.
struct LoopbackRecording {
    var program: LoopbackProgram
    var isCancelled = false
    /// Samples of the program that were played.
    var leftCount: Int
    /// When each token's first sample left, as far as they did.
    var departureSeconds: [Double]
    var opening: RecordedWindow
    var closing: RecordedWindow
    /// Samples recorded before playback began.
    var recordedBefore = 0
    var heard: [KeptFrame]
    /// Frames beyond what is kept.
    var unkeptFrameCount = 0
    var dropouts: [LoopbackDropout] = []

    /// Whether a token was played to its end.
    func wasPlayed(_ sendingIndex: Int) -> Bool {
        program.sendings[sendingIndex].samples.upperBound <= leftCount
    }
}
