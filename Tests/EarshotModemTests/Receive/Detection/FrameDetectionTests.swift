import EarshotChannel
import EarshotCoding
import EarshotDSP
import RealModule
import TestSupport
import Testing

@testable import EarshotModem

/// A frame's place by itself: refinement, sync check and detection on real frames in noise.
struct NoisyFrame {
    let view: FrameView
    /// Where the frame begins, and its offset.
    let place: Candidate

    /// A token's frame at an SNR in 1,500 Hz, in white noise that begins two seconds earlier.
    init(_ profile: Profile, snrDecibels: Double, relativeOffset: Double = 0, isFrame: Bool = true, seed: UInt64) throws
    {
        var random = Randomness(seed: seed)
        let amplitude = isFrame ? Float(0.25) : 0
        let payload = try Payload(random.bytes(8))
        let clean = try Transmitter(profile: profile, sampleRateHertz: 48_000).samples(payload, amplitude: 0.25)
        var warped = Warped(StoredSound(clean), .steady(relativeOffset: relativeOffset, fractionalDelay: 0))
        let frame = warped.readAll()
        let lead = 48_000 * 2 + Int.random(in: 0..<1_000, using: &random)
        // A sine of peak A has the power A²/2; noise of variance σ² has σ²·1,500/24,000 in the band.
        let deviation = (0.25 * 0.25 / 2 / Double.exp(snrDecibels / 10 * .log(10)) * 16).squareRoot()
        var noise = WhiteNoise(seed: seed)
        let samples = (0..<lead + frame.count + 24_000).map { index -> Float in
            let place = index - lead
            let own = frame.indices.contains(place) ? frame[place] * amplitude / 0.25 : 0
            return own + Float(deviation) * noise.next()
        }
        let stages = ProfileStages(profile)
        var input = BasebandInput(sampleRateHertz: 48_000, profiles: [profile], keptCount: 16_000, heardCount: 64)
        for range in Randomness.evenPieces(of: samples.count, length: BasebandInput.maximumBlock) {
            input.take(samples.span.extracting(range))
            while input.appendQuantum() { _ = stages.searchBlocks(input.history) }
        }
        let offsetHertz = Float(relativeOffset * Double(profile.centreHertz))
        place = Candidate(start: Double(lead) / 16, offsetHertz: offsetHertz, score: 20, dominance: 1)
        view = FrameView(place: place, layout: .token, stages: stages, history: input.history)
    }
}

extension Randomness {
    /// 0 ..< count in consecutive pieces of `length`, the last one shorter.
    static func evenPieces(of count: Int, length: Int) -> [Range<Int>] {
        stride(from: 0, to: count, by: length).map { $0..<min($0 + length, count) }
    }
}

@Suite struct FrameDetectionTests {
    /// From as far as refinement may be wrong, a sixteenth of a symbol and an eighth of a spacing, detection finds the frame at 1 dB above
    /// each profile's 90 % point and does not drift away: it stays within an eighth of both. Louder frames are left where they are, because
    /// Λ is clear there.
    @Test(arguments: [(Profile.fast, -5.2), (.standard, -8.3), (.far, -11.1)], [-0.003, 0, 0.002])
    func aFrameIsFoundAndAligned(row: (profile: Profile, snrDecibels: Double), relativeOffset: Double) throws {
        let frame = try NoisyFrame(row.profile, snrDecibels: row.snrDecibels, relativeOffset: relativeOffset, seed: 98)
        let length = Double(frame.view.format.samplesPerSymbol)
        var detection = FrameDetection(profiles: [row.profile], likelihood: FrameLikelihood())
        for (time, offset) in [(0.0, Float(0)), (1.0 / 16, 0.125), (-1.0 / 16, -0.125)] {
            var view = frame.view.moved(by: time * length, offsetHertz: offset * Float(row.profile.toneSpacingHertz))
            let logRatio = detection.detect(&view)
            // A frame at the 90 % point has Λ = 33 ± 11 where it is aligned.
            #expect((logRatio ?? 0) > 9, "\(String(describing: logRatio)), seed 98")
            #expect(
                abs(view.place.start - frame.place.start) < length / 8,
                "\(view.place.start - frame.place.start), seed 98")
            #expect(
                abs(view.place.offsetHertz - frame.place.offsetHertz) < Float(row.profile.toneSpacingHertz) / 8 + 0.01,
                "\(view.place.offsetHertz - frame.place.offsetHertz) Hz, seed 98")
        }
    }

    /// Noise is refused: Λ ≥ 9 has at most one place in e⁹ = 8,100; alignment looks at 21 places for each, so of 40 the chance of one is
    /// below 0.1, and of two below 0.005.
    @Test(arguments: Profile.all) func noiseIsRefused(profile: Profile) throws {
        let noise = try NoisyFrame(profile, snrDecibels: 0, isFrame: false, seed: 99)
        var detection = FrameDetection(profiles: [profile], likelihood: FrameLikelihood())
        var count = 0
        for step in 0..<40 {
            var view = noise.view.moved(by: -10.3 * Double(step), offsetHertz: Float(step % 9) - 4)
            if detection.detect(&view) != nil { count += 1 }
        }
        #expect(count <= 1, "\(count) of 40, seed 99")
    }

    /// Refinement comes from the search's grid, up to an eighth of a symbol and a quarter of a spacing off, to a sixteenth and an eighth.
    @Test(arguments: [(Profile.fast, 0.0), (.standard, -3), (.far, -6)])
    func refinementFindsThePlace(row: (profile: Profile, snrDecibels: Double)) throws {
        let frame = try NoisyFrame(row.profile, snrDecibels: row.snrDecibels, relativeOffset: 0.001, seed: 100)
        let (length, spacing) = (Double(frame.view.format.samplesPerSymbol), Float(row.profile.toneSpacingHertz))
        for (time, offset) in [(0.0, Float(0)), (0.125, 0.25), (-0.125, -0.25), (0.125, -0.25)] {
            var candidate = frame.place
            candidate.start += time * length
            candidate.offsetHertz += offset * spacing
            let refined = try #require(frame.view.stages.refine(candidate, frame.view.history))
            #expect(
                abs(refined.start - frame.place.start) < length / 8, "\(refined.start - frame.place.start), seed 100")
            #expect(abs(refined.offsetHertz - frame.place.offsetHertz) < spacing / 8, "seed 100")
            #expect(refined.score > 12, "seed 100")
        }
    }

    /// Every sync tone of a clear frame is the loudest of its symbol; in noise half of them are not.
    @Test(arguments: Profile.all) func theSyncCheckTellsAFrameFromNoise(profile: Profile) throws {
        var check = SyncCheck(profiles: [profile])
        let frame = try NoisyFrame(profile, snrDecibels: 10, seed: 101)
        let clear = check.examine(frame.view)
        #expect(clear.dominance > SyncCheck.sureDominance && clear.announcedByteCount == nil, "seed 101")
        let noise = try NoisyFrame(profile, snrDecibels: 10, isFrame: false, seed: 102)
        // A tone's mean share of the loudest of M is 0.6/(ln M + 0.58) in ln(1 + x): 0.2 and less; eight of them vary by 0.07.
        for step in 0..<20 {
            let found = check.examine(noise.view.moved(by: -13.7 * Double(step)))
            #expect(found.dominance < SyncCheck.minimumDominance, "seed 102")
        }
    }
}
