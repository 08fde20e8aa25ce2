import EarshotBasics
import TestSupport
import Testing

@testable import EarshotModem

/// The list of candidates keeps the best ones of those that were offered.
@Suite(.optimized) struct CandidateTests {
    @Test(arguments: [1, 3, 8]) func keepsTheBest(maximumCount: Int) {
        var random = SeededGenerator(seed: 52)
        let before = [Candidate(start: -1, offsetHertz: 0, score: 0), Candidate(start: -2, offsetHertz: 0, score: 0)]
        var kept = before
        let offered = (0..<40).map { index in
            Candidate(start: Double(index), offsetHertz: 0, score: Float.random(in: 8...30, using: &random))
        }
        for candidate in offered { kept.keepBest(candidate, from: before.count, maximumCount: maximumCount) }
        // Candidates that were in the list before do not count, however low their scores.
        #expect(Array(kept.prefix(before.count)) == before)
        let expected = offered.map(\.score).sorted(by: >).prefix(maximumCount)
        #expect(kept.dropFirst(before.count).map(\.score).sorted(by: >) == Array(expected), "seed 52")
    }

    /// A drift is a straight line through the middle of the sync pattern, and ends with it.
    @Test func aDriftIsAStraightLine() {
        var place = Candidate(start: 0, offsetHertz: 20, score: 0)
        #expect(!place.isDrifting && place.offsetHertz(atSymbol: 3) == 20 && place.offsetHertz(atSymbol: 90) == 20)
        place.driftHertz = 26
        #expect(place.isDrifting && place.offsetHertz(atSymbol: 8) == 20)
        // The groups begin thirteen places apart.
        #expect(place.offsetHertz(atSymbol: 13) - place.offsetHertz(atSymbol: 0) == 26)
        #expect(place.offsetHertz(atSymbol: 16) == 36 && place.offsetHertz(atSymbol: 90) == 36)
        // The first group is 7 Hz higher, 0.6 half spacings of `far`; the second 33 Hz, 2.8.
        let format = BasebandFormat(profile: .far)
        #expect(place.firstHalfSpacings(format) == 1 && place.driftHalfSpacings(format) == 2)
    }
}
