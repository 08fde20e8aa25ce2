import EarshotCoding

/// A payload whose CRC matches, where it was found, and the evidence.
struct DecodedFrame {
    var payload: Payload
    /// Where it was found: the start and offset that the decoding used.
    var place: Candidate
    /// See `ReceivedFrame.snrDecibels`.
    var snrDecibels: Float
    /// See `FrameEvidence.pathMetric`.
    var pathMetric: Float

    /// What is reported of it.
    /// - Parameter view: the frame at its place.
    func received(_ view: FrameView, _ clock: InputClock) -> ReceivedFrame {
        ReceivedFrame(
            payload: payload, profileName: view.profile.name, startSample: clock.inputSample(place.start),
            endSample: clock.inputSample(place.start + view.length), offsetHertz: Double(place.offsetHertz),
            snrDecibels: snrDecibels, pathMetric: pathMetric)
    }
}

/// What became of an attempt to decode a frame.
enum DecodingOutcome {
    /// It is one.
    case decoded(DecodedFrame)
    /// Nothing fits better than it would fit noise.
    case pathMetricOfNoise
    /// A codeword fits, but its CRC does not match.
    case checkMismatch
    /// There seems to be a frame, and noise, a room or others' tones hide it. Mending it has not been tried yet.
    case disturbed
}
