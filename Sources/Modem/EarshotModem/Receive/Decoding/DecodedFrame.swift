import EarshotCoding

/// A payload whose CRC matches, its place, and the evidence for it.
struct DecodedFrame {
    var payload: Payload
    /// The start and offset at which it was decoded.
    var place: Candidate
    /// See `ReceivedFrame.snrDecibels`.
    var snrDecibels: Float
    /// See `FrameEvidence.pathMetric`.
    var pathMetric: Float

    /// The frame as the receiver reports it.
    /// - Parameters:
    ///   - view: the frame at its place.
    ///   - clock: the place of the baseband in the input.
    func received(_ view: FrameView, _ clock: InputClock) -> ReceivedFrame {
        ReceivedFrame(
            payload: payload, profileName: view.profile.name, startSample: clock.inputSample(place.start),
            endSample: clock.inputSample(place.start + view.length), offsetHertz: Double(place.offsetHertz),
            snrDecibels: snrDecibels, pathMetric: pathMetric, channel: place.shares.best)
    }
}

/// The outcome of an attempt to decode a frame.
enum DecodingOutcome {
    /// The attempt decoded a frame.
    case decoded(DecodedFrame)
    /// No path fits better than one fits noise.
    case pathMetricOfNoise
    /// A codeword fits, but its CRC does not match.
    case checkMismatch
    /// There seems to be a frame, hidden by noise, a room or the tones of others. The iterative decoder has not tried it yet.
    case disturbed(logRatio: Float)
}
