import EarshotBasics
import EarshotCoding
import EarshotDSP
import TestSupport
import Testing

@testable import EarshotModem

/// The three numbers of a still frame's phases, and the likelihoods that follow from them.
@Suite(.optimized) struct StillChannelTests {
    private static let start = 500.0

    /// The frame has 10 dB and is 0.05 symbols and 0.1 spacings beside the view's place. The offset is found
    /// within half a step of the grid, 1/(4·52) turn a symbol, and a tenth of a step for noise. The delay is found
    /// within one and a half steps of 1/(4·M) symbol, because the previous symbol fills a part of each. The sent
    /// tone is the likeliest one in each symbol.
    @Test(arguments: Profile.all, [UInt64(1), 2, 3]) func theNumbersAreFound(profile: Profile, seed: UInt64) {
        let format = BasebandFormat(profile: profile)
        let (length, spacing) = (Double(format.samplesPerSymbol), Float(profile.toneSpacingHertz))
        let tones = FrameTones.tones(of: .token(seed: seed), profile: profile)
        let (delay, offset) = (0.05 * length, 0.1 * spacing)
        var scene = BasebandScene(count: 9_000, snrDecibels: 10, seed: seed)
        scene.add(tones, profile, start: Self.start + delay, offsetHertz: Double(offset), gain: ComplexSample(0.6, 0.8))
        let frame = MeasuredFrame.token(profile, start: Self.start, in: scene.history)
        var path = TrellisAttempt(profiles: [profile])
        path.prepare(frame.view, &frame.measurer)
        var channel = StillChannel(format: format)
        channel.measure(frame.view, metrics: path.metrics, frame.measurer.histories[0])
        var weights = [Float](repeating: 0, count: tones.count * profile.toneCount)
        for (symbol, tone) in tones.enumerated() { weights[symbol * profile.toneCount + tone] = 1 }
        channel.estimate(weights: weights, rank: 0)
        #expect(abs(channel.offsetHertz - offset) < 0.6 * spacing / 208, "\(channel.offsetHertz) Hz, seed \(seed)")
        #expect(
            abs(channel.delaySamples - delay) < 1.5 * length / Double(4 * profile.toneCount),
            "\(channel.delaySamples) samples, seed \(seed)")

        var likelihoods = [Float](repeating: 0, count: profile.toneCount)
        for (symbol, tone) in tones.enumerated() {
            channel.writeLogLikelihoods(symbol: symbol, into: &likelihoods, at: 0)
            #expect(likelihoods.firstIndex(of: likelihoods.max() ?? 0) == tone, "symbol \(symbol), seed \(seed)")
        }
    }

    /// Sync tones at 10 dB are in phase for any view within the grid. Those of noise seldom are: they were at 29, 37
    /// and 72 of 400 places. Places 40 samples apart share most of their symbols, so that as few as 100 are
    /// independent: four deviations of a share of 0.18 are 0.16.
    @Test(arguments: Profile.all) func coherence(profile: Profile) {
        let format = BasebandFormat(profile: profile)
        var channel = StillChannel(format: format)
        var noisyCount = 0
        let noise = BasebandScene(count: 30_000, snrDecibels: 0, seed: 4).history
        for index in 0..<400 {
            let frame = MeasuredFrame.token(profile, start: Self.start + Double(40 * index), in: noise)
            if channel.coherence(frame.view, noise) >= StillDecoder.minimumFaintCoherence { noisyCount += 1 }
        }
        #expect(noisyCount <= 136, "\(noisyCount) of 400, seed 4")
        for seed in 1...10 as ClosedRange<UInt64> {
            var scene = BasebandScene(count: 9_000, snrDecibels: 10, seed: seed)
            scene.add(
                FrameTones.tones(of: .token(seed: seed), profile: profile), profile,
                start: Self.start + 0.06 * Double(format.samplesPerSymbol),
                offsetHertz: -0.15 * profile.toneSpacingHertz)
            let history = scene.history
            let frame = MeasuredFrame.token(profile, start: Self.start, in: history)
            #expect(channel.coherence(frame.view, history) > 0.9, "seed \(seed)")
        }
    }
}
