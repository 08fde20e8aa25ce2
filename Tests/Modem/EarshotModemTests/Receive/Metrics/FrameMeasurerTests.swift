import EarshotCoding
import EarshotDSP
import TestSupport
import Testing

@testable import EarshotModem

/// The energies of several channels together, compared with those of each.
@Suite(.optimized) struct FrameMeasurerTests {
    private static let profile = Profile.standard
    private static let start = 500.0

    /// A frame with this gain in each channel, and noise of its own.
    private func channels(_ gains: [Float], seed: UInt64) -> [BasebandHistory] {
        gains.enumerated().map { number, gain in
            var scene = BasebandScene(count: 6_000, snrDecibels: 3, seed: seed + UInt64(1_000 * number))
            let tones = FrameTones.tones(of: .token(seed: seed), profile: Self.profile)
            scene.add(tones, Self.profile, start: Self.start, gain: ComplexSample(gain, 0))
            return scene.history
        }
    }

    private func energies(_ frame: MeasuredFrame, ofChannel channel: Int? = nil) -> [Float] {
        var energies = [Float](repeating: -1, count: 54 * Self.profile.toneCount)
        if let channel {
            frame.measurer.measure(frame.view, ofChannel: channel, 0..<54, into: &energies)
        } else {
            frame.measurer.measure(frame.view, 0..<54, into: &energies)
        }
        return energies
    }

    /// A channel alone has its own energies, independent of the other channels.
    @Test(arguments: 0..<3) func aloneIsUnchanged(channel: Int) {
        var weights = SIMD8<Float>()
        weights[channel] = 0.3
        let frame = MeasuredFrame.token(
            Self.profile, start: Self.start, weights: weights, in: channels([1, 0.5, 2], seed: 5))
        #expect(energies(frame) == energies(frame, ofChannel: channel))
    }

    /// E = N_b·x̂(Σ r·E_a/N_a), term by term; and the same channels in another order give the same.
    @Test func agreesWithASlowTwin() {
        let histories = channels([1, 0.6, 0.8], seed: 6)
        let frame = MeasuredFrame.token(
            Self.profile, start: Self.start, weights: [1, 0.3, 0.5, 0, 0, 0, 0, 0], in: histories)
        var sum = ChannelSum()
        sum.prepare(frame.place.shares, frame.noise.coherence)
        let toneCount = Self.profile.toneCount
        let own = (0..<3).map { energies(frame, ofChannel: $0) }
        let inverses = (0..<3).map { channel in
            var inverse = [Float](repeating: 0, count: toneCount)
            frame.measurer.writeInverseNoise(frame.view, ofChannel: channel, into: &inverse)
            return inverse
        }
        let found = energies(frame)
        for cell in found.indices {
            let tone = cell % toneCount
            let ratio = (0..<3).reduce(Float(0)) {
                $0 + frame.place.shares.values[$1] * own[$1][cell] * inverses[$1][tone]
            }
            let expected = sum.equivalent(ratio) / inverses[0][tone]
            #expect(abs(found[cell] - expected) <= 1e-3 / inverses[0][tone] + 1e-4 * expected, "cell \(cell), seed 6")
        }
        let turned = MeasuredFrame.token(
            Self.profile, start: Self.start, weights: [0.5, 0.3, 1, 0, 0, 0, 0, 0],
            in: [histories[2], histories[1], histories[0]])
        let other = energies(turned)
        for cell in found.indices {
            #expect(abs(found[cell] - other[cell]) <= 1e-3 / inverses[0][cell % toneCount], "cell \(cell), seed 6")
        }
    }

    /// A symbol that another channel lost counts there as the mean of noise. The other symbols do not change. The test
    /// measures with a stage of its own.
    @Test func aLostSymbolIsNoise() {
        let histories = channels([1, 0.6], seed: 7)
        let frame = MeasuredFrame.token(
            Self.profile, start: Self.start, weights: [1, 0.8, 0, 0, 0, 0, 0, 0], in: histories)
        let toneCount = Self.profile.toneCount
        let view = frame.view
        var stage = FrameMeasurer(format: view.format, histories: frame.histories, noise: frame.noise)
        var whole = [Float](repeating: -1, count: 54 * toneCount)
        _ = stage.measure(view, 0..<54, into: &whole)
        #expect(whole == energies(frame), "seed 7")
        let own = energies(frame, ofChannel: 0)
        let lost = 20..<23
        let symbol = view.symbolLength
        histories[1].mask(
            Int(Self.start + Double(lost.lowerBound) * symbol)..<Int(Self.start + Double(lost.upperBound) * symbol))
        var found = whole
        let erased = stage.measure(view, 0..<54, into: &found)
        #expect(!lost.contains { erased.contains($0) }, "the best channel lost nothing")
        var sum = ChannelSum()
        sum.prepare(frame.place.shares, frame.noise.coherence)
        var inverse = [Float](repeating: 0, count: toneCount)
        frame.measurer.writeInverseNoise(frame.view, ofChannel: 0, into: &inverse)
        for cell in found.indices {
            let (symbol, tone) = (cell / toneCount, cell % toneCount)
            if lost.contains(symbol) {
                let expected = sum.equivalent(own[cell] * inverse[tone] + frame.place.shares.values[1]) / inverse[tone]
                #expect(abs(found[cell] - expected) <= 1e-3 / inverse[tone] + 1e-4 * expected, "cell \(cell), seed 7")
            } else if symbol < lost.lowerBound - 1 || symbol > lost.upperBound {
                #expect(found[cell] == whole[cell], "cell \(cell), seed 7")
            }
        }
    }
}
