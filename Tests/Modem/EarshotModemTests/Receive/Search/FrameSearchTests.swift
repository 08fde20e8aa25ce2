import EarshotCoding
import TestSupport
import Testing

@testable import EarshotModem

/// Finds attempts in the baseband that wait for their frames to end.
@Suite(.optimized) struct FrameSearchTests {
    /// The attempts whose sync pattern was checked, all frames over.
    private func attempts(_ search: inout FrameSearch, _ frame: NoisyFrame) -> [Attempt] {
        _ = search.findCandidates(frame.histories, bursts: nil)
        var measurer = FrameMeasurer(
            format: frame.view.format, histories: frame.histories, noise: search.noise(profileIndex: 0))
        var checked: [Attempt] = []
        while let attempt = search.queue.next(endIndex: frame.histories.endIndex) {
            guard attempt.layout == nil else {
                checked.append(attempt)
                continue
            }
            _ = search.checkSync(frame.view.at(attempt.candidate), profileIndex: 0, &measurer)
        }
        return checked
    }

    private func isNear(_ attempt: Attempt, _ frame: NoisyFrame) -> Bool {
        let length = Double(frame.view.format.samplesPerSymbol)
        return abs(attempt.candidate.start - frame.place.start) < length / 4
            && abs(attempt.candidate.offsetHertz - frame.place.offsetHertz) < Float(frame.view.profile.toneSpacingHertz)
                / 4
    }

    /// A clear frame becomes an attempt at its place, with a sure pattern and a token's
    /// length, and again after a restart.
    @Test(arguments: Profile.all) func aFrameBecomesAnAttempt(profile: Profile) throws {
        let frame = try NoisyFrame(profile, snrDecibels: 10, relativeOffset: 0.001, seed: 104)
        var search = FrameSearch(profiles: [profile])
        for _ in 0..<2 {
            let near = attempts(&search, frame).filter { isNear($0, frame) }
            #expect(
                near.contains { $0.layout == .token && $0.candidate.dominance >= SyncCheck.sureDominance }, "seed 104")
            // Nothing is searched twice without a restart.
            let again = attempts(&search, frame)
            #expect(again.isEmpty)
            search.restart(from: Int(frame.place.start), frame.histories)
        }
        #expect(search.candidateCount >= 2)
    }

    /// Within a masked frame an attempt needs a clear pattern: the others are removed, and none returns.
    @Test func aMaskedFrameLeavesOnlyClearPatterns() throws {
        let frame = try NoisyFrame(.standard, snrDecibels: 10, seed: 105)
        var search = FrameSearch(profiles: [.standard])
        for (place, dominance) in [(0.3, Float(0.7)), (0.3, 0.8), (0.95, 0.7)] {
            var candidate = frame.place
            candidate.start += place * frame.view.length
            candidate.dominance = dominance
            search.queue.insert(Attempt(candidate, frame.view.format, profileIndex: 0, layout: .token))
        }
        search.noteMaskedFrame(frame.view)
        var left: [Float] = []
        while let attempt = search.queue.next(endIndex: .max) { left.append(attempt.candidate.dominance) }
        // The last one begins within the last sync pattern's length, where another frame may begin.
        #expect(left.sorted() == [0.7, 0.8])
    }

    /// Noise alone gives candidates, and the counts add up.
    @Test func noiseIsCounted() throws {
        let noise = try NoisyFrame(.standard, snrDecibels: 10, isFrame: false, seed: 106)
        var search = FrameSearch(profiles: [.standard])
        let attempts = attempts(&search, noise)
        #expect(search.candidateCount >= search.rejectedCount)
        #expect(attempts.allSatisfy { $0.candidate.dominance >= SyncCheck.minimumDominance })
    }
}
