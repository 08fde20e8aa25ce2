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

    /// The frame that the receiver reports.
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
