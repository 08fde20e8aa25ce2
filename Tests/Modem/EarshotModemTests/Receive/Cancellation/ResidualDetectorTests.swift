import EarshotCoding
import EarshotDSP
import TestSupport
import Testing

@testable import EarshotModem

/// Whether something is left beside a frame.
@Suite(.optimized) struct ResidualDetectorTests {
    /// 31 symbols of `far` come before the frame, to measure the noise.
    private static let start = 4_000.0

    /// Whether something is left beside a frame, with another one of amplitude `other` some symbols later.
    private func isAnything(
        _ profile: Profile, seed: UInt64, other: Float?, snrDecibels: Double = 20, symbolsLater: Int = 20
    ) -> Bool {
        let tones = FrameTones.tones(of: .token(seed: seed), profile: profile)
        let format = BasebandFormat(profile: profile)
        var scene = BasebandScene(
            count: Int(Self.start) + 500 + 52 * format.samplesPerSymbol, snrDecibels: snrDecibels, seed: seed)
        scene.add(tones, profile, start: Self.start)
        if let other {
            let otherTones = FrameTones.tones(of: .token(seed: seed + 1_000), profile: profile)
            scene.add(
                otherTones, profile, start: Self.start + Double(symbolsLater * format.samplesPerSymbol),
                gain: ComplexSample(0, other))
        }
        var detector = ResidualDetector(profiles: [profile])
        let frame = MeasuredFrame.token(profile, start: Self.start, in: scene.history)
        return detector.isAnything(beside: frame.view, tones, &frame.measurer)
    }

    /// 95 % of lone frames in noise leave nothing. Of 60 frames, 3 leave something on average, and 12 or more with a
    /// probability below 10⁻⁴: Σ C(60, k)·0.05^k·0.95^(60 − k) from 12 on is 4·10⁻⁵.
    @Test(arguments: Profile.all) func aLoneFrameLeavesNothing(profile: Profile) {
        let count = (UInt64(0)..<60).count { isAnything(profile, seed: 2_000 + $0, other: nil) }
        #expect(count <= 11, "\(count) of 60, seeds from 2,000 on")
    }

    /// A frame 10 dB weaker, still 10 dB over the noise in 1,500 Hz, covers 32 of 52 symbols. In `fast` each of these
    /// has a tone of 10 dB + 10·log₁₀ 16 = 22 dB, for which ln φ is 18, the table's last value. In a third of them the
    /// tone is free and Λ grows by 16, by 170 in all, which is more than 15 deviations.
    @Test(arguments: Profile.all) func aSecondFrameIsLeft(profile: Profile) {
        for seed in UInt64(2_000)..<2_020 {
            #expect(isAnything(profile, seed: seed, other: 0.316), "seed \(seed)")
        }
    }

    /// At the edge of decoding, an equal talker six symbols later is detected beside a frame in at least nine of ten
    /// cases. Of 60 cases, 42 or fewer have a probability of Σ C(60, k)·0.9^k·0.1^(60 − k) up to 42 = 1.5·10⁻⁵.
    @Test(arguments: zip(Profile.all, [-5, -8.6, -11.4]))
    func anEqualTalkerAtTheEdgeIsSeen(profile: Profile, snrDecibels: Double) {
        let count = (UInt64(0)..<60).count {
            isAnything(profile, seed: 3_000 + $0, other: 1, snrDecibels: snrDecibels, symbolsLater: 6)
        }
        #expect(count >= 43, "\(count) of 60, seeds from 3,000 on")
    }

    /// At the edge of decoding, at most one lone frame in five is taken for two. Of 60 frames, 26 or more have a
    /// probability of Σ C(60, k)·0.2^k·0.8^(60 − k) from 26 on = 3.4·10⁻⁵.
    @Test(arguments: zip(Profile.all, [-5, -8.6, -11.4]))
    func aQuietLoneFrameLeavesLittle(profile: Profile, snrDecibels: Double) {
        let count = (UInt64(0)..<60).count {
            isAnything(profile, seed: 3_000 + $0, other: nil, snrDecibels: snrDecibels)
        }
        #expect(count <= 25, "\(count) of 60, seeds from 3,000 on")
    }

    /// Lost symbols give no evidence, not even of a loud frame.
    @Test func whatWasLostSaysNothing() {
        let profile = Profile.standard
        let tones = FrameTones.tones(of: .token(seed: 7), profile: profile)
        var scene = BasebandScene(count: 9_000, snrDecibels: 20, seed: 7)
        scene.add(tones, profile, start: Self.start)
        let history = scene.history
        history.mask(0..<8_900)
        var detector = ResidualDetector(profiles: [profile])
        let frame = MeasuredFrame.token(profile, start: Self.start, in: history)
        let isAnything = detector.isAnything(beside: frame.view, tones, &frame.measurer)
        #expect(!isAnything)
    }
}
