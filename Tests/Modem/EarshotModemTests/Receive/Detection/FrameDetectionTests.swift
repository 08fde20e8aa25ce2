import TestSupport
import Testing

@testable import EarshotModem

/// Whether and where there is a frame.
@Suite(.optimized) struct FrameDetectionTests {
    /// The start is as wrong as refinement may leave it, by a sixteenth of a symbol and an eighth of a spacing.
    /// Detection finds the frame at 1 dB above each profile's 90 % point and does not drift away: it stays within an
    /// eighth of a symbol and a fifth of a spacing. (90 frames for each profile, seeds 1 to 30: at most 0.093 of a
    /// symbol and 0.166 of a spacing.) It does not move louder frames, because their Λ is clear.
    @Test(arguments: [(Profile.fast, -5.2), (.standard, -8.3), (.far, -11.1)], [-0.003, 0, 0.002])
    func aFrameIsFoundAndAligned(row: (profile: Profile, snrDecibels: Double), relativeOffset: Double) throws {
        let frame = try NoisyFrame(row.profile, snrDecibels: row.snrDecibels, relativeOffset: relativeOffset, seed: 98)
        let length = Double(frame.view.format.samplesPerSymbol)
        var detection = FrameDetection(profiles: [row.profile], likelihood: FrameLikelihood())
        for (time, offset) in [(0.0, Float(0)), (1.0 / 16, 0.125), (-1.0 / 16, -0.125)] {
            let candidate = frame.view.moved(
                by: time * length, offsetHertz: offset * Float(row.profile.toneSpacingHertz))
            let found = try #require(detection.detect(candidate, &frame.frame.measurer).detection, "seed 98")
            let view = found.view
            // A frame at the 90 % point has Λ = 33 ± 11 where it is aligned.
            #expect(found.logRatio > 9, "\(found.logRatio), seed 98")
            #expect(
                abs(view.place.start - frame.place.start) < length / 8,
                "\(view.place.start - frame.place.start), seed 98")
            #expect(
                abs(view.place.offsetHertz - frame.place.offsetHertz) < Float(row.profile.toneSpacingHertz) / 5,
                "\(view.place.offsetHertz - frame.place.offsetHertz) Hz, seed 98")
        }
    }

    /// Noise is refused: at most one place in e⁹ = 8,100 has Λ ≥ 9. Alignment looks at 21 places for each of 40, so the
    /// chance of one is below 0.1, and of two below 0.005.
    @Test(arguments: Profile.all) func noiseIsRefused(profile: Profile) throws {
        let noise = try NoisyFrame(profile, snrDecibels: 0, isFrame: false, seed: 99)
        var detection = FrameDetection(profiles: [profile], likelihood: FrameLikelihood())
        var count = 0
        for step in 0..<40 {
            let view = noise.view.moved(by: -10.3 * Double(step), offsetHertz: Float(step % 9) - 4)
            if detection.detect(view, &noise.frame.measurer).detection != nil { count += 1 }
        }
        #expect(count <= 1, "\(count) of 40, seed 99")
    }
}
