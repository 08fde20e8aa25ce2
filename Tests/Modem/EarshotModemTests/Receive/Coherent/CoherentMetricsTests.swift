import EarshotBasics
import EarshotCoding
import EarshotDSP
import RealModule
import TestSupport
import Testing

@testable import EarshotModem

/// The stage, compared with its formulas in Double, with sums instead of transforms.
@Suite(.optimized) struct CoherentMetricsTests {
    private static let start = 500.0

    /// The stage's estimate for a frame with the given tones, all of them believed.
    private struct Estimate {
        var hertz: Float
        var coherentRatio: Float
        /// L; shape [dataToneCount][M].
        var metrics: [Float]
        /// N of each tone, by which the metrics are divided.
        var toneNoise: [Float]
    }

    private func estimate(_ frame: MeasuredFrame, tones: [Int], noise: Float) throws -> Estimate {
        let (view, layout) = (frame.view, frame.view.layout)
        var coherent = CoherentMetrics(format: view.format)
        var path = TrellisAttempt(profiles: [view.profile])
        path.prepare(view, &frame.measurer)
        let weights = [Float](repeating: 1, count: layout.toneCount)
        coherent.correlate(view, tones: tones, weights: weights, noise: noise, frame.measurer)
        let peak = coherent.remainingHertz(rank: 0, stillHertz: nil)
        let hertz = try #require(peak)
        let channel = coherent.estimate(
            symbolCount: layout.toneCount, offsetHertz: hertz, noise: noise)
        var metrics = [Float](repeating: 0, count: layout.dataToneCount * view.profile.toneCount)
        coherent.writeBranchMetrics(
            view, tones: tones, metrics: path.metrics, frame.measurer, into: &metrics)
        return Estimate(
            hertz: hertz, coherentRatio: channel.coherentRatio, metrics: metrics,
            toneNoise: (0..<view.profile.toneCount).map { path.metrics.noise($0) })
    }

    /// A noisy frame through two paths, and tones for it of which a quarter is wrong.
    private func scene(
        _ profile: Profile, seed: UInt64, snrDecibels: Double
    ) -> (scene: BasebandScene, tones: [Int]) {
        let tones = FrameTones.tones(of: .token(seed: seed), profile: profile)
        var scene = BasebandScene(count: 9_000, snrDecibels: snrDecibels, seed: seed)
        scene.add(tones, profile, start: Self.start, offsetHertz: 1.7, gain: ComplexSample(0.6, 0.8))
        scene.add(tones, profile, start: Self.start + 20, offsetHertz: 1.7, gain: ComplexSample(0, 0.5))
        var random = SeededGenerator(seed: seed)
        let wrong = Set((0..<44).map { FrameLayout.token.dataPlace($0) }.shuffled(using: &random).prefix(11))
        return (
            scene,
            tones.indices.map { wrong.contains($0) ? Int.random(in: 0..<profile.toneCount, using: &random) : tones[$0] }
        )
    }

    /// Compares L of all tones. Sums of a thousand terms in single precision, and phasors good to
    /// −110 dB, cause errors of 10⁻⁴ of the greatest L.
    @Test(arguments: [Profile.fast, .standard], [UInt64(1), 2]) func agreesWithASlowTwin(
        profile: Profile, seed: UInt64
    ) throws {
        let (scene, tones) = scene(profile, seed: seed, snrDecibels: -4)
        let noise = Float(2 * powerRatio(decibels: 4)) / Float(BasebandFormat(profile: profile).samplesPerSymbol)
        let frame = MeasuredFrame.token(profile, start: Self.start, in: scene.history)
        let found = try estimate(frame, tones: tones, noise: noise)
        let twin = CoherentTwin(
            scene, profile, tones: tones, start: Int(Self.start), hertz: Double(found.hertz), noise: Double(noise))
        #expect(abs(Double(found.coherentRatio) / twin.coherentRatio - 1) < 1e-3, "seed \(seed)")
        let expected = twin.metrics(toneNoise: found.toneNoise.map { Double($0) })
        let greatest = expected.reduce(0) { max($0, abs($1)) }
        let error = zip(found.metrics, expected).reduce(0) { max($0, abs(Double($1.0) - $1.1)) }
        #expect(error < 1e-3 * greatest, "\(error) of \(greatest), seed \(seed)")
    }

    /// At −4 dB the offset is found within a twentieth of its resolution of 1/(52·T),
    /// although a quarter of the tones is wrong.
    @Test(arguments: Profile.all, [UInt64(3), 4]) func findsTheOffset(profile: Profile, seed: UInt64) throws {
        let (scene, tones) = scene(profile, seed: seed, snrDecibels: -4)
        let noise = Float(2 * powerRatio(decibels: 4)) / Float(BasebandFormat(profile: profile).samplesPerSymbol)
        let found = try estimate(.token(profile, start: Self.start, in: scene.history), tones: tones, noise: noise)
        #expect(
            abs(found.hertz - 1.7) < 0.05 * Float(profile.toneSpacingHertz) / 52 * 5, "\(found.hertz), seed \(seed)")
    }

    /// Tones that were never sent show no channel: almost nothing exceeds θ times the noise.
    @Test(arguments: [UInt64(5), 6, 7]) func wrongTonesTellNothing(seed: UInt64) throws {
        let profile = Profile.standard
        let (scene, tones) = scene(profile, seed: seed, snrDecibels: -4)
        var random = SeededGenerator(seed: seed)
        let wrong = (0..<52).map { _ in Int.random(in: 0..<32, using: &random) }
        let noise = Float(2 * powerRatio(decibels: 4)) / 64
        let frame = MeasuredFrame.token(profile, start: Self.start, in: scene.history)
        let (right, none) = (
            try estimate(frame, tones: tones, noise: noise), try estimate(frame, tones: wrong, noise: noise)
        )
        #expect(
            none.coherentRatio < 0.2 * right.coherentRatio,
            "\(none.coherentRatio), \(right.coherentRatio), seed \(seed)")
    }

    /// Two channels with the same samples and noise give twice the L, the peak of J and the energy of one. If gain and
    /// noise of the second are tenfold, the result is the same.
    @Test(arguments: [Float(1), 10]) func channelsAddUp(gain: Float) throws {
        let profile = Profile.standard
        let (scene, tones) = scene(profile, seed: 9, snrDecibels: -4)
        let noise = Float(2 * powerRatio(decibels: 4)) / Float(BasebandFormat(profile: profile).samplesPerSymbol)
        let other = BasebandHistory(keptCount: scene.samples.count + 4_096)
        other.append(scene.samples.map { $0 * gain }, 0..<scene.samples.count)
        let frame = MeasuredFrame.token(
            profile, start: Self.start, weights: [1, 0, 0, 0, 0, 0, 0, 0], in: [scene.history, other])
        let one = frame.view
        var two = one
        two.place.shares = ChannelShares(weights: [1, 1, 0, 0, 0, 0, 0, 0])
        func estimate(_ view: FrameView, _ path: borrowing TrellisAttempt) throws -> Estimate {
            let layout = view.layout
            var coherent = CoherentMetrics(format: view.format, channelCount: 2)
            let weights = [Float](repeating: 1, count: layout.toneCount)
            coherent.correlate(view, tones: tones, weights: weights, noise: noise, frame.measurer)
            let peak = coherent.remainingHertz(rank: 0, stillHertz: nil)
            let hertz = try #require(peak)
            let channel = coherent.estimate(
                symbolCount: layout.toneCount, offsetHertz: hertz, noise: noise)
            var metrics = [Float](repeating: 0, count: layout.dataToneCount * profile.toneCount)
            coherent.writeBranchMetrics(
                view, tones: tones, metrics: path.metrics, frame.measurer, into: &metrics)
            return Estimate(hertz: hertz, coherentRatio: channel.coherentRatio, metrics: metrics, toneNoise: [])
        }
        var path = TrellisAttempt(profiles: [profile])
        path.prepare(one, &frame.measurer)
        let (alone, both) = try (estimate(one, path), estimate(two, path))
        #expect(abs(both.hertz - alone.hertz) < 0.01)
        #expect(abs(both.coherentRatio / alone.coherentRatio - 2) < 0.01, "\(both.coherentRatio)")
        let greatest = alone.metrics.map { abs($0) }.max() ?? 0
        for (a, b) in zip(alone.metrics, both.metrics) {
            #expect(abs(b - 2 * a) < 0.02 * greatest, "\(a), \(b), seed 9")
        }
    }
}
