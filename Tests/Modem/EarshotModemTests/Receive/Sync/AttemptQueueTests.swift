import EarshotBasics
import EarshotCoding
import TestSupport
import Testing

@testable import EarshotModem

/// The queue against a slow twin: an unordered list that is searched for each answer.
@Suite(.optimized) struct AttemptQueueTests {
    private func attempt(
        due: Int, score: Float, start: Double = 0, dominance: Float = 0.7, isExamined: Bool = true,
        offsetHertz: Float = 0,
        profileIndex: Int = 0
    ) -> Attempt {
        Attempt(
            profileIndex: profileIndex,
            candidate: Candidate(start: start, offsetHertz: offsetHertz, score: score, dominance: dominance),
            layout: isExamined ? .token : nil, due: due)
    }

    /// Of the attempts that are due, the unexamined come first, then the highest score.
    @Test func nextIsTheBestOfThoseThatAreDue() {
        var random = SeededGenerator(seed: 51)
        var queue = AttemptQueue()
        var twin: [Attempt] = []
        var endIndex = 0
        for _ in 0..<2_000 {
            if twin.count < 100, Bool.random(using: &random) {
                let new = attempt(
                    due: endIndex + Int.random(in: -5...40, using: &random),
                    score: Float.random(in: 8...30, using: &random), isExamined: Bool.random(using: &random))
                let isTaken = queue.insert(new)
                #expect(isTaken)
                twin.append(new)
            } else {
                endIndex += Int.random(in: 0...3, using: &random)
                let due = twin.indices.filter { twin[$0].due <= endIndex }
                let best = due.max { a, b in
                    let (isA, isB) = (twin[a].layout == nil, twin[b].layout == nil)
                    return isA == isB ? twin[a].candidate.score < twin[b].candidate.score : isB
                }
                let found = queue.next(endIndex: endIndex)
                #expect(found?.candidate == best.map { twin[$0].candidate }, "seed 51")
                if let best { twin.remove(at: best) }
            }
            #expect(queue.isEmpty == twin.isEmpty)
        }
    }

    /// A full queue drops the lowest score, whether that is an old attempt or the new one.
    @Test func aFullQueueDropsTheLowestScore() {
        var queue = AttemptQueue()
        for index in 0..<AttemptQueue.capacity {
            let isTaken = queue.insert(attempt(due: index, score: Float(100 + index)))
            #expect(isTaken)
        }
        let isWeakTaken = queue.insert(attempt(due: 0, score: 1))
        let isStrongTaken = queue.insert(attempt(due: 0, score: 1_000))
        #expect(!isWeakTaken && !isStrongTaken)
        var scores: [Float] = []
        while let next = queue.next(endIndex: AttemptQueue.capacity) { scores.append(next.candidate.score) }
        #expect(scores == [1_000] + (1..<AttemptQueue.capacity).reversed().map { Float(100 + $0) })
    }

    /// Attempts within half a symbol in time and 0.6 spacings in frequency, in the same profile.
    @Test func attemptsNearAPlaceGo() {
        let format = BasebandFormat(profile: .standard)
        let (half, near) = (Double(format.samplesPerSymbol) / 2, Float(0.6 * Profile.standard.toneSpacingHertz))
        let place = Candidate(start: 1_000, offsetHertz: 10, score: 10)
        let cases: [(start: Double, offsetHertz: Float, profileIndex: Int, goes: Bool)] = [
            (1_000, 10, 0, true), (1_000 + half - 0.1, 10, 0, true), (1_000 - half + 0.1, 10 + near - 0.1, 0, true),
            (1_000 + half + 0.1, 10, 0, false), (1_000, 10 - near - 0.1, 0, false), (1_000, 10, 1, false),
        ]
        for (start, offsetHertz, profileIndex, goes) in cases {
            var queue = AttemptQueue()
            _ = queue.insert(
                attempt(due: 0, score: 9, start: start, offsetHertz: offsetHertz, profileIndex: profileIndex))
            queue.removeAttempts(near: place, profileIndex: 0, format)
            #expect(queue.isEmpty == goes, "start \(start), offset \(offsetHertz), profile \(profileIndex)")
        }
    }

    /// Within a masked stretch only clear patterns stay; an unexamined candidate has no dominance yet and stays.
    @Test func attemptsInAMaskedStretchGo() {
        let cases: [(start: Double, dominance: Float, isExamined: Bool, goes: Bool)] = [
            (10, 0.7, true, true), (10, 0.8, true, false), (20, 0.7, true, false), (10, 0.7, false, false),
        ]
        for (start, dominance, isExamined, goes) in cases {
            var queue = AttemptQueue()
            _ = queue.insert(attempt(due: 0, score: 9, start: start, dominance: dominance, isExamined: isExamined))
            // All attempts are of the first channel.
            queue.removeAttempts(startingIn: 5..<20, in: .alone(1), lessClearThan: 0.75)
            #expect(!queue.isEmpty, "in another channel")
            queue.removeAttempts(startingIn: 5..<20, in: .alone(0), lessClearThan: 0.75)
            #expect(queue.isEmpty == goes, "start \(start), dominance \(dominance)")
        }
    }

    @Test func aSureFrameIsOnlyOneThatWasExamined() {
        for (dominance, isExamined, isSure) in [(Float(0.98), true, false), (0.99, true, true), (1, false, false)] {
            var queue = AttemptQueue()
            _ = queue.insert(attempt(due: 0, score: 9, dominance: dominance, isExamined: isExamined))
            #expect(queue.holdsSureFrame(endIndex: -1) == isSure, "dominance \(dominance)")
            #expect(!queue.holdsSureFrame(endIndex: 0), "a frame that is over is on the air no more")
        }
    }

    /// First looks come before second ones, and second ones before a third that follows a brief one, at any
    /// score. Among second looks the likelier frame comes first.
    @Test func cheapLooksComeFirst() {
        var queue = AttemptQueue()
        var looks = [
            attempt(due: 0, score: 30, start: 1), attempt(due: 0, score: 10, start: 2),
            attempt(due: 0, score: 9, start: 3),
            attempt(due: 0, score: 8, start: 4, isExamined: false), attempt(due: 0, score: 40, start: 5),
        ]
        (looks[4].hasWaited, looks[4].wasBrief, looks[4].logRatio) = (true, true, 60)
        (looks[0].hasWaited, looks[0].logRatio) = (true, 20)
        (looks[1].hasWaited, looks[1].logRatio) = (true, 40)
        for look in looks { queue.insert(look) }
        var starts: [Double] = []
        while let next = queue.next(endIndex: 0) { starts.append(next.candidate.start) }
        #expect(starts == [4, 3, 2, 1, 5])
    }

    /// Looks that the budget does not allow stay, and expire with their samples.
    @Test func dearLooksStay() {
        var queue = AttemptQueue()
        var second = attempt(due: 0, score: 30, start: 10)
        second.hasWaited = true
        queue.insert(second)
        queue.insert(attempt(due: 0, score: 9, start: 20))
        #expect(queue.next(endIndex: 0, costliestAttempt: .syncCheck) == nil)
        #expect(queue.next(endIndex: 0, costliestAttempt: .first)?.candidate.start == 20)
        #expect(queue.next(endIndex: 0, costliestAttempt: .first) == nil)
        queue.removeExpired(before: 10, endIndex: 0)
        #expect(queue.expiredCount == 0 && !queue.isEmpty)
        queue.removeExpired(before: 11, endIndex: -1)
        #expect(queue.expiredCount == 0, "its samples are not complete")
        queue.removeExpired(before: 11, endIndex: 0)
        #expect(queue.expiredCount == 1 && queue.isEmpty)
    }

    /// A frame of another length waits for the token at its place, and for no other.
    @Test func theEndOfTheTokenAtAPlace() {
        let format = BasebandFormat(profile: .standard)
        var short = attempt(due: 50, score: 9, start: 1_000)
        short.layout = FrameLayout(payloadByteCount: 3)
        let cases: [(other: Attempt, end: Int?)] = [
            (attempt(due: 120, score: 9, start: 1_001), 120),
            (attempt(due: 120, score: 9, start: 1_001, profileIndex: 1), nil),
            (attempt(due: 120, score: 9, start: 1_001, isExamined: false), nil),
            (attempt(due: 120, score: 9, start: 1_000 + Double(format.samplesPerSymbol)), nil),
            (short, nil),
        ]
        for (other, end) in cases {
            var queue = AttemptQueue()
            queue.insert(other)
            #expect(queue.endOfToken(at: short, format) == end, "\(other)")
            #expect(queue.endOfToken(at: attempt(due: 50, score: 9, start: 1_000), format) == nil)
        }
    }

    /// An attempt waits only for a frame that began before it, ends after it, is clear, and scores more.
    @Test func theEndOfAClearerFrame() {
        let own = attempt(due: 100, score: 12, start: 50)
        let cases: [(other: Attempt, end: Int?)] = [
            (attempt(due: 120, score: 20, start: 40, dominance: 0.8), 120),
            (attempt(due: 90, score: 20, start: 40, dominance: 0.8), nil),
            (attempt(due: 120, score: 11, start: 40, dominance: 0.8), nil),
            (attempt(due: 120, score: 20, start: 60, dominance: 0.8), nil),
            (attempt(due: 120, score: 20, start: 60, dominance: 0.99), 120),
            (attempt(due: 120, score: 20, start: 40, dominance: 0.74), nil),
            (attempt(due: 120, score: 20, start: 40, dominance: 0.8, isExamined: false), nil),
        ]
        for (other, end) in cases {
            var queue = AttemptQueue()
            _ = queue.insert(other)
            #expect(queue.end(ofClearerThan: own, clearDominance: 0.75) == end, "\(other)")
        }
    }

    /// A drifting pattern and a constant one at the same place do not replace each other; a decoded frame ends both.
    @Test func driftsAreKeptApart() {
        let format = BasebandFormat(profile: .far)
        var queue = AttemptQueue()
        let stays = attempt(due: 10, score: 10)
        var drifts = attempt(due: 11, score: 11)
        drifts.candidate.driftHertz = 23.4
        queue.insert(stays)
        queue.insert(drifts)
        queue.removeAttempts(like: drifts.candidate, profileIndex: 0, format)
        #expect(queue.next(endIndex: 11)?.candidate == stays.candidate)
        #expect(queue.isEmpty)
        queue.insert(stays)
        queue.insert(drifts)
        queue.removeAttempts(near: stays.candidate, profileIndex: 0, format)
        #expect(queue.isEmpty)
    }
}
