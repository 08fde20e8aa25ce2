import EarshotBasics
import EarshotChannel
import EarshotCoding
import EarshotDSP
import RealModule
import TestSupport
import Testing

@testable import EarshotModem

/// The track of a frame whose offset stands still or changes, made in the baseband by its definition.
@Suite(.optimized) struct MotionTrackTests {
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
            start: 100, offsetHertz: Float(offsetHertz + 3.5 * hertzPerSymbol), score: 20, dominance: 1)
        return (FrameView(place: place, layout: .token, format: format), ChannelHistories([history]), starts)
    }

    /// A constant offset is no motion, and the track stays within a tenth of a spacing.
    @Test(arguments: Profile.all) func aFrameThatStandsStillDoesNotMove(profile: Profile) throws {
        var random = SeededGenerator(seed: 86)
        for offsetHertz in [-60.0, 0, 35] {
            let (view, histories, _) = try view(
                profile, offsetHertz: offsetHertz, hertzPerSymbol: 0, noisePower: 0.01, random: &random)
            var track = MotionTrack(format: view.format)
            let isMoving = track.follow(view, histories)
            #expect(!isMoving, "\(offsetHertz) Hz, seed 86")
            let offsetsHertz = track.offsetsHertz
            for symbol in 8..<FrameLayout.token.toneCount {
                #expect(
                    abs(Double(offsetsHertz[symbol]) - offsetHertz) < 0.1 * profile.toneSpacingHertz,
                    "symbol \(symbol), seed 86")
            }
        }
    }

    /// An offset that changes by 1.2 spacings over the frame is followed: from the data on within a quarter of a spacing, and in time
    /// within a fiftieth of a symbol.
    @Test(arguments: Profile.all, [-1.0, 1]) func aFrameThatMovesIsFollowed(profile: Profile, direction: Double) throws
    {
        var random = SeededGenerator(seed: 87)
        let rate = direction * 1.2 * profile.toneSpacingHertz / Double(FrameLayout.token.toneCount)
        let (view, histories, starts) = try view(
            profile, offsetHertz: -direction * 20, hertzPerSymbol: rate, noisePower: 0.01, random: &random)
        var track = MotionTrack(format: view.format)
        let isMoving = track.follow(view, histories)
        #expect(isMoving)
        let (foundOffsetsHertz, foundStarts) = (track.offsetsHertz, track.starts)
        for symbol in 8..<FrameLayout.token.toneCount {
            let expected = -direction * 20 + rate * Double(symbol)
            #expect(
                abs(Double(foundOffsetsHertz[symbol]) - expected) < 0.25 * profile.toneSpacingHertz,
                "symbol \(symbol): \(foundOffsetsHertz[symbol]) Hz, not \(expected) Hz, seed 87")
            #expect(
                abs(foundStarts[symbol] - starts[symbol]) < Double(view.format.samplesPerSymbol) / 50,
                "symbol \(symbol), seed 87")
        }
    }
}
