import EarshotCoding
import EarshotDSP
import TestSupport
import Testing

@testable import EarshotModem

/// How much each channel counts.
@Suite(.optimized) struct ChannelWeightsTests {
    private static let profile = Profile.standard
    private static let start = 500.0

    private func channel(gain: Float, otherGain: Float = 0, seed: UInt64) -> BasebandHistory {
        var scene = BasebandScene(count: 6_000, snrDecibels: 0, seed: seed)
        scene.add(
            FrameTones.tones(of: .token(seed: 1), profile: Self.profile), Self.profile, start: Self.start,
            gain: ComplexSample(gain, 0))
        scene.add(
            FrameTones.tones(of: .token(seed: 2), profile: Self.profile), Self.profile, start: Self.start - 700,
            gain: ComplexSample(otherGain, 0))
        return scene.history
    }

    private func shares(_ channels: [BasebandHistory]) -> ChannelShares {
        let frame = MeasuredFrame.token(
            Self.profile, start: Self.start, weights: SIMD8(repeating: 1), in: channels)
        var weights = ChannelWeights(profiles: [Self.profile])
        return weights.measure(frame.view, &frame.measurer)
    }

    /// At 0 dB a tone of `standard` has 15 dB over the noise in its width. Two channels of the same level count alike,
    /// a channel of noise alone counts little, and a silent one not at all.
    @Test func onlyChannelsThatHearCount() {
        let silent = BasebandHistory(keptCount: 10_096)
        silent.append([ComplexSample](repeating: ComplexSample(), count: 6_000), 0..<6_000)
        let found = shares([channel(gain: 0, seed: 3), channel(gain: 1, seed: 4), channel(gain: 1, seed: 5), silent])
        #expect(found.values[1] > 0.7 && found.values[2] > 0.7, "\(found), seeds 3 to 5")
        #expect(found.values[0] < 0.5 && found.values[3] == 0, "\(found), seeds 3 to 5")
    }

    /// Of two channels with the same noise and level, the one where another talker is 20 dB louder counts for little: 0.29
    /// with these seeds, because side lobes of the loud tones fall on some of the eight sync tones.
    @Test func anotherTalkerCountsAsNoise() {
        let found = shares([channel(gain: 1, otherGain: 10, seed: 6), channel(gain: 1, seed: 7)])
        #expect(found.best == 1 && found.values[0] < 0.4, "\(found), seeds 6 and 7")
    }

    /// A channel of noise whose gate closes as the frame starts hears no frame. At −23 dB its e is 0.005 of the noise that was measured, and
    /// without a minimum 1/e would make chance in it the greatest weight of all.
    @Test(arguments: [Float(0.3), 0.07, 0.01], UInt64(20)...25) func aChannelThatFallsSilentCountsLittle(
        gain: Float, seed: UInt64
    ) {
        var samples = BasebandScene(count: 6_000, snrDecibels: 0, seed: seed).samples
        for index in Int(Self.start)..<samples.count { samples[index] = samples[index] * gain }
        let gated = BasebandHistory(keptCount: samples.count + 4_096)
        gated.append(samples, 0..<samples.count)
        let found = shares([gated, channel(gain: 1, seed: seed + 10)])
        #expect(found.best == 1 && found.values[0] < 0.5, "\(found), seed \(seed)")
    }

    /// A copy of a channel has no share, because its noise is not independent.
    @Test func aCopyDoesNotCount() {
        let found = shares([channel(gain: 1, seed: 8), channel(gain: 1, seed: 8)])
        #expect(found == .alone(0), "\(found)")
    }

    /// Shares are the weights divided by the greatest one; small ones become zero.
    @Test func sharesAreRelative() {
        let shares = ChannelShares(weights: [2, 4, 0.3, 0, 1, 0, 0, 0])
        #expect(shares.best == 1 && shares.values == [0.5, 1, 0, 0, 0.25, 0, 0, 0] && !shares.isAlone)
        #expect(ChannelShares(weights: SIMD8()) == .alone(0))
        #expect(shares.isClear(0) && shares.isClear(1) && !shares.isClear(4) && !shares.isClear(2))
        let other = shares.preferring(4)
        #expect(other.best == 4 && other.values == [0.5, 1, 0, 0, 1, 0, 0, 0])
        #expect(ChannelShares(weights: [0, 0, 7, 0, 0, 0, 0, 0]) == .alone(2))
    }
}
