import TestSupport
import Testing

@testable import EarshotModem

/// A candidate's exact place.
@Suite(.optimized) struct CandidateRefinementTests {
    /// Refinement reduces the errors of the search's grid, up to an eighth of a symbol and a quarter of
    /// a spacing, to a sixteenth and an eighth.
    @Test(arguments: [(Profile.fast, 0.0), (.standard, -3), (.far, -6)])
    func refinementFindsThePlace(row: (profile: Profile, snrDecibels: Double)) throws {
        let frame = try NoisyFrame(row.profile, snrDecibels: row.snrDecibels, relativeOffset: 0.001, seed: 100)
        var refinement = CandidateRefinement(format: frame.view.format)
        let (length, spacing) = (Double(frame.view.format.samplesPerSymbol), Float(row.profile.toneSpacingHertz))
        for (time, offset) in [(0.0, Float(0)), (0.125, 0.25), (-0.125, -0.25), (0.125, -0.25)] {
            var candidate = frame.place
            candidate.start += time * length
            candidate.offsetHertz += offset * spacing
            let refined = refinement.refine(
                candidate, frame.histories, frame.frame.noise, ChannelSum())
            #expect(
                abs(refined.start - frame.place.start) < length / 8, "\(refined.start - frame.place.start), seed 100")
            #expect(abs(refined.offsetHertz - frame.place.offsetHertz) < spacing / 8, "seed 100")
            #expect(refined.score > 12, "seed 100")
        }
    }

    /// One place of noise in 700 has a score of 8.65. Refinement climbs among 117 places, so it lets at most 17 %
    /// of noise's candidates pass. At that bound more than 12 of 30 pass with a probability of 6·10⁻⁴.
    /// Neighbouring places are alike, so far fewer pass.
    @Test(arguments: Profile.all) func noiseIsRefused(profile: Profile) throws {
        let noise = try NoisyFrame(profile, snrDecibels: 0, isFrame: false, seed: 103)
        var refinement = CandidateRefinement(format: noise.view.format)
        var count = 0
        for step in 0..<30 {
            var candidate = noise.place
            candidate.start -= 31.7 * Double(step)
            let refined = refinement.refine(
                candidate, noise.histories, noise.frame.noise, ChannelSum())
            if refined.score >= noise.view.format.minimumRefinedScore { count += 1 }
        }
        #expect(count <= 12, "\(count) of 30, seed 103")
    }
}
