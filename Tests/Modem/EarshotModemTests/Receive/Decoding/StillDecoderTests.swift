import EarshotBasics
import EarshotCoding
import EarshotDSP
import TestSupport
import Testing

@testable import EarshotModem

/// Frames between devices at rest decode at SNRs at which their energies alone are not enough.
@Suite(.optimized) struct StillDecoderTests {
    private static let start = 500.0

    private func scene(_ profile: Profile, _ snrDecibels: Double, seed: UInt64) -> (
        payload: Payload, frame: MeasuredFrame
    ) {
        let payload = Payload.token(seed: seed)
        var scene = BasebandScene(count: 9_000, snrDecibels: snrDecibels, seed: seed)
        scene.add(
            FrameTones.tones(of: payload, profile: profile), profile, start: Self.start + 1,
            offsetHertz: 0.04 * profile.toneSpacingHertz)
        return (payload, MeasuredFrame.token(profile, start: Self.start, in: scene.history))
    }

    /// 0.7 dB below the SNRs at which the energies decode 90 % at the ideal place. A prototype decoded
    /// 95 % there by phases and 25 % by energies.
    @Test(arguments: [("fast", -7.2), ("standard", -10.6), ("far", -13.4)])
    func phasesDecodeWhatEnergiesDoNot(row: (name: String, snr: Double)) throws {
        let profile = try #require(Profile.all.first { $0.name == row.name })
        let format = BasebandFormat(profile: profile)
        var still = StillDecoder(format: format, likelihood: FrameLikelihood())
        var path = TrellisAttempt(profiles: [profile])
        var (byPhases, byEnergies) = (0, 0)
        for seed in 1...40 as ClosedRange<UInt64> {
            let (payload, frame) = scene(profile, row.snr, seed: seed)
            path.prepare(frame.view, &frame.measurer)
            if case .decoded = path.decode(frame.view, &frame.measurer).outcome { byEnergies += 1 }
            let outcome = still.decode(frame.view, peakCount: 3, with: &path, &frame.measurer).outcome
            guard case .decoded(let decoded) = outcome else { continue }
            #expect(decoded.payload == payload, "seed \(seed)")
            byPhases += 1
        }
        // At 90 %, fewer than 31 of 40 decode in one of 100 cases.
        #expect(byPhases >= 31, "\(byPhases) of 40, seeds 1 to 40")
        #expect(byEnergies < byPhases - 8, "\(byEnergies) and \(byPhases) of 40")
    }

    /// Noise never decodes.
    @Test(arguments: Profile.all) func noiseIsRefused(profile: Profile) {
        let noise = BasebandScene(count: 16_000, snrDecibels: 0, seed: 52).history
        var still = StillDecoder(format: BasebandFormat(profile: profile), likelihood: FrameLikelihood())
        var path = TrellisAttempt(profiles: [profile])
        for index in 0..<100 {
            let frame = MeasuredFrame.token(profile, start: Self.start + Double(60 * index), in: noise)
            let outcome = still.decode(frame.view, peakCount: 3, with: &path, &frame.measurer).outcome
            if case .decoded = outcome { Issue.record("place \(index), seed 52") }
        }
    }
}
