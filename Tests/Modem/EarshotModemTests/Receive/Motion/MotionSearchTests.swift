import EarshotBasics
import EarshotChannel
import EarshotCoding
import EarshotDSP
import RealModule
import TestSupport
import Testing

@testable import EarshotModem

/// The search for the path of a frame with a constant or changing offset. The test makes the
/// frame in the baseband by its definition.
@Suite(.optimized) struct MotionSearchTests {
    /// A frame whose offset is f[k] = offset + rate·k in symbol k, phase-continuous, in noise.
    private func view(
        _ profile: Profile, offsetHertz: Double, hertzPerSymbol: Double, noisePower: Float,
        random: inout SeededGenerator
    ) throws -> (view: FrameView, histories: ChannelHistories, starts: [Double], tones: [Int]) {
        let format = BasebandFormat(profile: profile)
        let tones = FrameTones.tones(of: try Payload(random.bytes(8)), profile: profile)
        let history = BasebandHistory(keptCount: (tones.count + 8) * format.samplesPerSymbol)
        var (x, starts) = ([ComplexSample](), [Double]())
        var (start, turns) = (100.0, 0.0)
        var symbol = -1
        var end = start
        while symbol < tones.count + 2 {
            let n = Double(x.count)
            if n >= end {
                symbol += 1
                starts.append(end)
                start = end
                end = start + format.symbolLength(offsetHertz: Float(offsetHertz + hertzPerSymbol * Double(symbol)))
            }
            var tone = ComplexSample()
            if tones.indices.contains(symbol) {
                let f =
                    Double(format.cyclesPerSample(tone: tones[symbol]))
                    + (offsetHertz + hertzPerSymbol * Double(symbol)) / Double(format.rateHertz)
                turns += f
                tone = ComplexSample(Float(Double.cos(2 * .pi * turns)), Float(Double.sin(2 * .pi * turns)))
            }
            let half = (1.5 * noisePower).squareRoot()
            x.append(
                tone
                    + ComplexSample(
                        Float.random(in: -half...half, using: &random), Float.random(in: -half...half, using: &random)))
        }
        history.append(x, 0..<x.count)
        let place = Candidate(
            start: 100, offsetHertz: Float(offsetHertz + 8 * hertzPerSymbol), score: 20, dominance: 1)
        return (FrameView(place: place, layout: .token, format: format), ChannelHistories([history]), starts, tones)
    }

    /// The offsets and starts of the track of a view, if its tones are known; nil if no path is likely enough.
    private func followed(
        _ view: FrameView, _ histories: ChannelHistories, tones: [Int]
    ) -> (offsetsHertz: [Float], starts: [Double])? {
        let measured = MeasuredFrame(view, histories, noise: settledNoise(view.format))
        var search = MotionSearch(profiles: Profile.all, likelihood: FrameLikelihood())
        guard
            search.search(
                view, along: view.track(), profileIndex: index(view.profile), measured.measurer
            ).isLikely
        else { return nil }
        var track = MotionTrack(format: view.format)
        let dataTones = (0..<view.layout.dataToneCount).map { UInt8(tones[view.layout.dataPlace($0)]) }
        search.follow(dataTones, view, into: &track)
        return (track.offsetsHertz, track.starts)
    }

    /// The settled noise of a band that has the frames' noise.
    private func settledNoise(_ format: BasebandFormat) -> ProfileNoise {
        let noise = ProfileNoise(format: format, channelCount: 1)
        let power = MotionSearchTests.noisePower / Float(format.samplesPerSymbol)
        let block = [Float](repeating: power * noiseQuantile(0.5), count: BandNoise.binCount(format) * 32)
        noise.channels[0].update(block: block)
        return noise
    }

    /// The path follows an offset that is constant or changes by 1.2 spacings over the frame, within a quarter of a
    /// spacing, and in time within a fiftieth of a symbol.
    @Test(arguments: Profile.all, [-1.0, 0, 1]) func aFrameIsFollowed(profile: Profile, direction: Double) throws {
        var random = SeededGenerator(seed: 87)
        let rate = direction * change(profile) / Double(FrameLayout.token.toneCount)
        for offsetHertz in [-60.0, 0, 35] {
            let (view, histories, starts, tones) = try view(
                profile, offsetHertz: offsetHertz, hertzPerSymbol: rate, noisePower: MotionSearchTests.noisePower,
                random: &random)
            let found = followed(view, histories, tones: tones)
            let path = try #require(found)
            for symbol in 0..<FrameLayout.token.toneCount {
                let expected = offsetHertz + rate * Double(symbol)
                #expect(
                    abs(Double(path.offsetsHertz[symbol]) - expected) < 0.25 * profile.toneSpacingHertz,
                    "symbol \(symbol): \(path.offsetsHertz[symbol]) Hz, not \(expected) Hz, seed 87")
                #expect(
                    abs(path.starts[symbol] - starts[symbol]) < Double(view.format.samplesPerSymbol) / 50,
                    "symbol \(symbol), seed 87")
            }
        }
    }

    /// No faster than a walk past.
    private func change(_ profile: Profile) -> Double {
        min(1.2 * profile.toneSpacingHertz, 110 * 52 * profile.symbolSeconds)
    }

    /// Even if its offset is unknown, the sent tone is the likeliest one of its symbol;
    /// half-way between two tones it may be the second.
    @Test(arguments: Profile.all, [-1.0, 0, 1]) func tonesAreFoundWithoutTheirOffset(
        profile: Profile, direction: Double
    ) throws {
        var random = SeededGenerator(seed: 89)
        let rate = direction * change(profile) / Double(FrameLayout.token.toneCount)
        let (view, histories, _, tones) = try view(
            profile, offsetHertz: 12, hertzPerSymbol: rate, noisePower: MotionSearchTests.noisePower, random: &random)
        let measured = MeasuredFrame(view, histories, noise: settledNoise(view.format))
        var search = MotionSearch(profiles: Profile.all, likelihood: FrameLikelihood())
        let isLikely = search.search(
            view, along: view.track(), profileIndex: index(view.profile), measured.measurer
        ).isLikely
        #expect(isLikely)
        var metrics = [Float](repeating: 0, count: view.layout.dataToneCount * profile.toneCount)
        search.writeToneLikelihoods(view, into: &metrics)
        let found = (0..<view.layout.dataToneCount).count { step in
            let own = metrics[step * profile.toneCount..<(step + 1) * profile.toneCount]
            let sent = own[own.startIndex + tones[view.layout.dataPlace(step)]]
            return own.count { $0 > sent } <= 1
        }
        #expect(found >= view.layout.dataToneCount - 1, "\(found) of \(view.layout.dataToneCount), seed 89")
    }

    /// In noise no path is likely enough to be decoded.
    @Test(arguments: Profile.all) func noiseHasNoTrack(profile: Profile) throws {
        var random = SeededGenerator(seed: 88)
        for _ in 0..<20 {
            let (loud, _, _, tones) = try view(
                profile, offsetHertz: 0, hertzPerSymbol: 0, noisePower: MotionSearchTests.noisePower, random: &random)
            let history = BasebandHistory(keptCount: 60 * loud.format.samplesPerSymbol)
            let half = (1.5 * MotionSearchTests.noisePower).squareRoot()
            let noise = (0..<60 * loud.format.samplesPerSymbol).map { _ in
                ComplexSample(
                    Float.random(in: -half...half, using: &random), Float.random(in: -half...half, using: &random))
            }
            history.append(noise, 0..<noise.count)
            let found = followed(loud, ChannelHistories([history]), tones: tones)
            #expect(found == nil, "seed 88")
        }
    }

    /// N·0.1: a tone has 10 dB over the noise.
    private static let noisePower: Float = 3

    private func index(_ profile: Profile) -> Int { Profile.all.firstIndex { $0.name == profile.name } ?? 0 }
}
