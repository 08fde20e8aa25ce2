import EarshotCoding
import EarshotDSP
import TestSupport
import Testing

@testable import EarshotModem

/// Whether something is left beside a frame.
@Suite(.optimized) struct ResidualDetectorTests {
    private static let start = 500.0

    /// Whether something is left beside a frame at 20 dB, with another one of amplitude `other` half a token later.
    private func isAnything(_ profile: Profile, seed: UInt64, other: Float?) -> Bool {
        let tones = FrameTones.tones(of: .token(seed: seed), profile: profile)
        let format = BasebandFormat(profile: profile)
        var scene = BasebandScene(count: 1_000 + 52 * format.samplesPerSymbol, snrDecibels: 20, seed: seed)
        scene.add(tones, profile, start: Self.start)
        if let other {
            let otherTones = FrameTones.tones(of: .token(seed: seed + 1_000), profile: profile)
            scene.add(
                otherTones, profile, start: Self.start + Double(20 * format.samplesPerSymbol),
                gain: ComplexSample(0, other))
        }
        var detector = ResidualDetector(profiles: [profile])
        let frame = MeasuredFrame.token(profile, start: Self.start, in: scene.history)
        return detector.isAnything(beside: frame.view, tones, &frame.measurer)
    }

    /// 95 % of lone frames in noise leave nothing. Of 60, 3 are to be expected that do, and 12 and more come with a probability below
    /// 10⁻⁴: Σ C(60, k)·0.05^k·0.95^(60 − k) from 12 on is 4·10⁻⁵.
    @Test(arguments: Profile.all) func aLoneFrameLeavesNothing(profile: Profile) {
        let count = (UInt64(0)..<60).count { isAnything(profile, seed: 2_000 + $0, other: nil) }
        #expect(count <= 11, "\(count) of 60, seeds from 2,000 on")
    }

    /// A frame 10 dB weaker, still 10 dB over the noise in 1,500 Hz, covers 32 of 52 symbols: of `fast` each of these has about
    /// 10 dB + 10·log₁₀ 16 − 3.4 dB (the greatest of noise's cells) = 18 dB or 4.2 nats, times 32/52: D = 2.6, 20 deviations above the limit.
    @Test(arguments: Profile.all) func aSecondFrameIsLeft(profile: Profile) {
        for seed in UInt64(2_000)..<2_020 {
            #expect(isAnything(profile, seed: seed, other: 0.316), "seed \(seed)")
        }
    }

    /// Symbols that were lost say nothing: not even of a loud frame.
    @Test func whatWasLostSaysNothing() {
        let profile = Profile.standard
        let tones = FrameTones.tones(of: .token(seed: 7), profile: profile)
        var scene = BasebandScene(count: 5_000, snrDecibels: 20, seed: 7)
        scene.add(tones, profile, start: Self.start)
        let history = scene.history
        history.mask(0..<4_900)
        var detector = ResidualDetector(profiles: [profile])
        let frame = MeasuredFrame.token(profile, start: Self.start, in: history)
        let isAnything = detector.isAnything(beside: frame.view, tones, &frame.measurer)
        #expect(!isAnything)
    }
}
