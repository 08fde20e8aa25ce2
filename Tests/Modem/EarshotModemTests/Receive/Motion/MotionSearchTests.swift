import EarshotBasics
import EarshotChannel
import EarshotCoding
import EarshotDSP
import RealModule
import TestSupport
import Testing

@testable import EarshotModem

/// The search for the path of a frame whose offset stands still or changes, made in the baseband by its definition.
@Suite(.optimized) struct MotionSearchTests {
    /// A frame whose offset is f[k] = offset + rate·k in symbol k, phase-continuous, in noise.
    private func view(
        _ profile: Profile, offsetHertz: Double, hertzPerSymbol: Double, noisePower: Float,
        random: inout SeededGenerator
    ) throws -> (view: FrameView, histories: ChannelHistories, starts: [Double]) {
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
        return (FrameView(place: place, layout: .token, format: format), ChannelHistories([history]), starts)
    }

    private func search(_ view: FrameView, _ histories: ChannelHistories) -> MotionSearch {
        let measured = MeasuredFrame(view, histories, noise: settledNoise(view.format))
        var search = MotionSearch(format: view.format, likelihood: FrameLikelihood())
        _ = search.search(view, measured.measurer)
        return search
    }

    /// The noise of a band of noise like that of the frames.
    private func settledNoise(_ format: BasebandFormat) -> ProfileNoise {
        let noise = ProfileNoise(format: format, channelCount: 1)
        let power = MotionSearchTests.noisePower / Float(format.samplesPerSymbol)
        let block = [Float](repeating: power * noiseQuantile(0.5), count: BandNoise.binCount(format) * 32)
        noise.channels[0].update(block: block)
        return noise
    }

    /// A constant offset is a path, too: one of the tracks stays within half a spacing of it. Others slip by a spacing.
    @Test(arguments: Profile.all) func aFrameThatStandsStillHasATrack(profile: Profile) throws {
        var random = SeededGenerator(seed: 86)
        for offsetHertz in [-60.0, 0, 35] {
            let (view, histories, _) = try view(
                profile, offsetHertz: offsetHertz, hertzPerSymbol: 0, noisePower: MotionSearchTests.noisePower,
                random: &random)
            var search = search(view, histories)
            var track = MotionTrack(format: view.format)
            let stay = (0..<search.trackCount).contains { index in
                search.write(track: index, of: view, into: &track)
                let offsetsHertz = track.offsetsHertz
                return (0..<FrameLayout.token.toneCount).allSatisfy {
                    abs(Double(offsetsHertz[$0]) - offsetHertz) < 0.5 * profile.toneSpacingHertz
                }
            }
            #expect(stay, "\(offsetHertz) Hz, seed 86")
        }
    }

    /// An offset that changes by 1.2 spacings over the frame is followed: within a quarter of a spacing, and in time within a fiftieth of
    /// a symbol.
    @Test(arguments: Profile.all, [-1.0, 1]) func aFrameThatMovesIsFollowed(profile: Profile, direction: Double) throws
    {
        var random = SeededGenerator(seed: 87)
        // No faster than a walk past.
        let change = min(1.2 * profile.toneSpacingHertz, 110 * 52 * profile.symbolSeconds)
        let rate = direction * change / Double(FrameLayout.token.toneCount)
        let (view, histories, starts) = try view(
            profile, offsetHertz: -direction * 20, hertzPerSymbol: rate, noisePower: MotionSearchTests.noisePower,
            random: &random)
        var search = search(view, histories)
        try #require(search.trackCount > 0)
        var track = MotionTrack(format: view.format)
        search.write(track: 0, of: view, into: &track)
        let (foundOffsetsHertz, foundStarts) = (track.offsetsHertz, track.starts)
        for symbol in 0..<FrameLayout.token.toneCount {
            let expected = -direction * 20 + rate * Double(symbol)
            #expect(
                abs(Double(foundOffsetsHertz[symbol]) - expected) < 0.25 * profile.toneSpacingHertz,
                "symbol \(symbol): \(foundOffsetsHertz[symbol]) Hz, not \(expected) Hz, seed 87")
            #expect(
                abs(foundStarts[symbol] - starts[symbol]) < Double(view.format.samplesPerSymbol) / 50,
                "symbol \(symbol), seed 87")
        }
    }

    /// In noise nothing is likely enough to be decoded.
    @Test(arguments: Profile.all) func noiseHasNoTrack(profile: Profile) throws {
        var random = SeededGenerator(seed: 88)
        for _ in 0..<20 {
            let (loud, _, _) = try view(
                profile, offsetHertz: 0, hertzPerSymbol: 0, noisePower: MotionSearchTests.noisePower, random: &random)
            let history = BasebandHistory(keptCount: 60 * loud.format.samplesPerSymbol)
            let half = (1.5 * MotionSearchTests.noisePower).squareRoot()
            let noise = (0..<60 * loud.format.samplesPerSymbol).map { _ in
                ComplexSample(
                    Float.random(in: -half...half, using: &random), Float.random(in: -half...half, using: &random))
            }
            history.append(noise, 0..<noise.count)
            let search = search(loud, ChannelHistories([history]))
            #expect(search.trackCount == 0, "seed 88")
        }
    }

    /// N·0.1: a tone has 10 dB over the noise.
    private static let noisePower: Float = 3
}
