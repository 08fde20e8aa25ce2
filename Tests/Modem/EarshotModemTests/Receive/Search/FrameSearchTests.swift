import EarshotCoding
import Testing

@testable import EarshotModem

/// From the baseband to attempts that wait for their frames to end.
@Suite struct FrameSearchTests {
    /// The attempts whose sync pattern was checked, all frames over.
    private func attempts(_ search: inout FrameSearch, _ frame: NoisyFrame, _ stages: ProfileStages) -> [Attempt] {
        let history = frame.view.history
        _ = search.findCandidates(frame.view.histories, [stages], bursts: nil)
        var checked: [Attempt] = []
        while let attempt = search.queue.next(endIndex: history.endIndex) {
            guard attempt.layout == nil else {
                checked.append(attempt)
                continue
            }
            _ = search.checkSync(FrameView(place: attempt.candidate, layout: .token, stages: stages, history: history))
        }
        return checked
    }

    private func isNear(_ attempt: Attempt, _ frame: NoisyFrame) -> Bool {
        let length = Double(frame.view.format.samplesPerSymbol)
        return abs(attempt.candidate.start - frame.place.start) < length / 4
            && abs(attempt.candidate.offsetHertz - frame.place.offsetHertz) < Float(frame.view.profile.toneSpacingHertz)
                / 4
    }

    /// A clear frame becomes an attempt at its place, with a sure pattern and a token's length; after a restart once more.
    @Test(arguments: Profile.all) func aFrameBecomesAnAttempt(profile: Profile) throws {
        let frame = try NoisyFrame(profile, snrDecibels: 10, relativeOffset: 0.001, seed: 104)
        let stages = ProfileStages(profile)
        var search = FrameSearch(profiles: [profile])
        for _ in 0..<2 {
            let near = attempts(&search, frame, stages).filter { isNear($0, frame) }
            #expect(
                near.contains { $0.layout == .token && $0.candidate.dominance >= SyncCheck.sureDominance }, "seed 104")
            // Nothing is searched twice without a restart.
            let again = attempts(&search, frame, stages)
            #expect(again.isEmpty)
            search.restart(from: Int(frame.place.start), frame.view.histories, [stages])
        }
        #expect(search.candidateCount >= 2)
    }

    /// Within a masked frame an attempt needs a clear pattern: others go, and none comes back.
    @Test func aMaskedFrameLeavesOnlyClearPatterns() throws {
        let frame = try NoisyFrame(.standard, snrDecibels: 10, seed: 105)
        var search = FrameSearch(profiles: [.standard])
        for (place, dominance) in [(0.3, Float(0.7)), (0.3, 0.8), (0.95, 0.7)] {
            var candidate = frame.place
            candidate.start += place * frame.view.length
            candidate.dominance = dominance
            search.queue.insert(Attempt(candidate, frame.view.stages, layout: .token))
        }
        search.noteMaskedFrame(frame.view)
        var left: [Float] = []
        while let attempt = search.queue.next(endIndex: .max) { left.append(attempt.candidate.dominance) }
        // The last one begins within the last sync pattern's length, where a frame of its own may begin.
        #expect(left.sorted() == [0.7, 0.8])
    }

    /// Noise alone gives candidates, and the counts add up.
    @Test func noiseIsCounted() throws {
        let noise = try NoisyFrame(.standard, snrDecibels: 10, isFrame: false, seed: 106)
        var search = FrameSearch(profiles: [.standard])
        let attempts = attempts(&search, noise, ProfileStages(.standard))
        #expect(search.candidateCount >= search.rejectedCount)
        #expect(attempts.allSatisfy { $0.candidate.dominance >= SyncCheck.minimumDominance })
    }
}
