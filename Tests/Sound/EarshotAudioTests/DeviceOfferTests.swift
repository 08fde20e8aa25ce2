import Testing

@testable import EarshotAudio

/// The offers that can carry 18.5 to 20 kHz, with their reasons and warnings.
@Suite struct DeviceOfferTests {
    private func offer(
        _ kind: DeviceKind, card: Int? = nil, rates: [Int] = [44_100, 48_000], highest: Int? = nil,
        encodings: [DeviceEncoding] = [.s16], choice: Int? = 48_000, hardware: Int? = nil
    ) -> DeviceOffer {
        DeviceOffer(
            kind: kind, cardNumber: card, ratesHertz: rates,
            rateRangeHertz: (rates.first ?? 1)...(highest ?? rates.last ?? 1), encodings: encodings,
            otherEncodings: ["U8"], channelCounts: 1...2,
            choice: choice.map { DeviceOffer.Choice(sampleRateHertz: $0, encoding: .s16, channelCount: 1) },
            hardwareRateHertz: hardware)
    }

    @Test func certaintyDependsOnWhatIsKnown() {
        #expect(offer(.hardware, card: 0).canCarryBand.verdict == .yes)
        #expect(offer(.shared).canCarryBand.verdict == .yes)
        #expect(offer(.converter, card: 1).canCarryBand.verdict == .yes)
        #expect(offer(.converter).canCarryBand.verdict == .likely)
        // It reports 48 kHz and hides the rate from which it resamples.
        #expect(offer(.resampler, card: 1).canCarryBand.verdict == .likely)
        #expect(offer(.file, card: 1).canCarryBand.verdict == .likely)
        #expect(offer(.soundServer).canCarryBand.verdict == .likely)
        #expect(offer(.null).canCarryBand.verdict == .no)
    }

    @Test func theHardwareBehindAServerDecides() {
        let same = offer(.soundServer, hardware: 48_000).canCarryBand
        #expect(same.verdict == .yes)
        #expect(same.warning == nil)
        let other = offer(.soundServer, hardware: 44_100).canCarryBand
        #expect(other.verdict == .yes)
        #expect(other.warning?.contains("ask for 44100 Hz") == true)
        let headset = offer(.soundServer, hardware: 16_000).canCarryBand
        #expect(headset.verdict == .no)
        #expect(headset.reason.contains("16000 Hz"))
    }

    @Test func theReasonNamesTheMissingCapability() {
        let slow = offer(.hardware, rates: [8_000, 16_000], choice: nil).canCarryBand
        #expect(slow.verdict == .no)
        #expect(slow.reason == "it runs at 16000 Hz at most, and 44100 Hz are needed")
        #expect(
            offer(.converter, rates: [16_000], choice: nil).canCarryBand.reason.contains("resampling cannot restore"))
        let odd = offer(.hardware, rates: [64_000], choice: nil).canCarryBand
        #expect(odd.reason == "it has none of the rates 44100, 48000, 88200, 96000, 176400, 192000 Hz")
        let strange = offer(.hardware, encodings: [], choice: nil).canCarryBand
        #expect(strange.reason == "it has none of the encodings FLOAT_LE, S32_LE, S24_LE, S24_3LE, S16_LE")
        // Each value is supported, but not all of them together.
        #expect(offer(.hardware, choice: nil).canCarryBand.reason.hasPrefix("it has no combination"))
    }
}
