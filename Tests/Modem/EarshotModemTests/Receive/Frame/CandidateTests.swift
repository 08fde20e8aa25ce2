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
        // What stood there before does not count, however low its score.
        #expect(Array(kept.prefix(before.count)) == before)
        let expected = offered.map(\.score).sorted(by: >).prefix(maximumCount)
        #expect(kept.dropFirst(before.count).map(\.score).sorted(by: >) == Array(expected), "seed 52")
    }
}
