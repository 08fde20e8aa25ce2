import EarshotCoding
import Testing

@testable import EarshotModem

/// The report of a decoded frame.
@Suite struct DecodedFrameTests {
    /// Baseband is at 3,000 Hz and input at 48,000 Hz: 16 input samples to each baseband sample, plus
    /// the hole that the clock passed over. A token in `standard` has 52 symbols of 64 samples, 0.2 %
    /// fewer if the offset is 0.2 % of the centre.
    @Test func placesBecomeInputSamples() {
        var clock = InputClock(inputRateHertz: 48_000, basebandRateHertz: 3_000)
        clock.pass(1_000)
        let view = FrameView(
            place: Candidate(start: 500.25, offsetHertz: 38.5, score: 20), layout: .token,
            format: BasebandFormat(profile: .standard))
        let frame = DecodedFrame(payload: .token(seed: 1), place: view.place, snrDecibels: 7, pathMetric: 2)
        let received = frame.received(view, clock)
        #expect(received.startSample == 16 * 1_500 + 4)
        #expect(received.endSample == Int((16 * (1_500.25 + 52 * 64 / 1.002)).rounded()))
        #expect(received.payload == .token(seed: 1) && received.profileName == "standard")
        #expect(received.offsetHertz == 38.5 && received.snrDecibels == 7 && received.pathMetric == 2)
        #expect(received.combinedCount == 1 && !received.isRecognised)
    }
}
