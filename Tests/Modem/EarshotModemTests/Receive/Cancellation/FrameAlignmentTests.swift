import EarshotCoding
import EarshotDSP
import TestSupport
import Testing

@testable import EarshotModem

/// A frame's delay and offset, known because the scene made them.
@Suite(.optimized) struct FrameAlignmentTests {
    private static let start = 600.0

    /// Measures how far frames of `paths` are from a replica at `start` without an offset.
    private func measure(
        _ profile: Profile, seed: UInt64, paths: [(delay: Double, gain: ComplexSample)], offsetHertz: Double
    ) -> (delay: Double, offsetHertz: Double) {
        let format = BasebandFormat(profile: profile)
        let tones = FrameTones.tones(of: .token(seed: seed), profile: profile)
        var scene = BasebandScene(count: 9_000, snrDecibels: 10, seed: seed)
        for path in paths {
            scene.add(
                tones, profile, start: Self.start + path.delay, offsetHertz: offsetHertz, gain: path.gain)
        }
        var replica = FrameReplica(profiles: [profile])
        replica.make(tones, symbolCount: tones.count, format, start: Self.start, offsetHertz: 0)
        var alignment = FrameAlignment(profiles: [profile])
        return alignment.measure(
            replica, tones: tones, format, symbolLength: Double(format.samplesPerSymbol), scene.history)
    }

    /// The search tries a delay every two samples. The start is the delay after which the most energy follows.
    /// 10 samples take e^{−10/60} = 15 % of that energy, so the start may be that much early, which
    /// ChannelFit's 16 taps before the start make good, but never late. For offsets, a token's resolution is
    /// 1/(52·T), 1.8 Hz for `fast`. An early start turns every tone by a different phase, and an offset
    /// explains the trend of these phases: of 240 frames for each profile (seeds 1 to 60) 99 % were within
    /// 0.085 of the resolution and all within 0.1. Hence an eighth.
    @Test(
        arguments: Profile.all, [(0, 0), (5.3, 0.9), (-6.7, -1.3), (7, 2.2)] as [(Double, Double)])
    func findsDelayAndOffset(profile: Profile, row: (delay: Double, offsetHertz: Double)) {
        let found = measure(
            profile, seed: 71, paths: [(row.delay, ComplexSample(0.6, 0.8))], offsetHertz: row.offsetHertz)
        #expect((-10...2).contains(found.delay - row.delay), "\(found.delay) samples, seed 71")
        let resolutionHertz = profile.toneSpacingHertz / Double(FrameLayout.token.toneCount)
        #expect(abs(found.offsetHertz - row.offsetHertz) < resolutionHertz / 8, "\(found.offsetHertz) Hz, seed 71")
    }

    /// The first of two paths is the start, even if the second is louder: within an echo's decay, e^{−12/60}, the
    /// energy of both follows the first.
    @Test(arguments: [Float(0.5), 1, 1.4]) func startsWithTheFirstPath(echo: Float) {
        let found = measure(
            .standard, seed: 72, paths: [(-2, ComplexSample(1, 0)), (10, ComplexSample(0, echo))], offsetHertz: 0)
        #expect((-10...2).contains(found.delay + 2), "\(found.delay) samples, seed 72")
        #expect(abs(found.offsetHertz) < 0.05, "\(found.offsetHertz) Hz, seed 72")
    }
}
