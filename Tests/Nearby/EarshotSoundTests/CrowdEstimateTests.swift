import EarshotDiscovery
import EarshotSound
import Testing

@testable import EarshotSound

@Suite struct CrowdEstimateTests {
    @Test func `a known and an unknown device are equally likely to be heard`() {
        var crowd = CrowdEstimate()
        crowd.beginRound(neighbourCount: 30)
        // Half of the heard devices were known, so there are twice as many.
        for index in 0..<200 { crowd.hear(isKnown: index.isMultiple(of: 2)) }
        #expect((55...62).contains(crowd.count(neighbourCount: 30)))
        var known = CrowdEstimate()
        known.beginRound(neighbourCount: 30)
        for _ in 0..<200 { known.hear(isKnown: true) }
        #expect(known.count(neighbourCount: 30) == 31)
    }

    @Test func `no crowd is larger than its tokens allow, unless the band is busy without them`() {
        var crowd = CrowdEstimate()
        #expect(crowd.count(neighbourCount: 30, limit: 12) == 12)
        for _ in 0..<5 { crowd.finishSlot(.undecoded(isFull: false)) }
        #expect(crowd.count(neighbourCount: 30, limit: 12) == 64)
    }

    @Test func `two or three tokens make no crowd`() {
        var crowd = CrowdEstimate()
        crowd.beginRound(neighbourCount: 3)
        for _ in 0..<3 { crowd.hear(isKnown: false) }
        #expect(crowd.count(neighbourCount: 6) == 7)
    }

    @Test(arguments: [false, true])
    func `busy slots without a token double the estimate from the second slot on`(isFull: Bool) {
        var crowd = CrowdEstimate()
        crowd.finishSlot(.undecoded(isFull: isFull))
        #expect(crowd.count(neighbourCount: 2) == 3)
        for expected in [8.0, 16, 32, 64] {
            crowd.finishSlot(.undecoded(isFull: isFull))
            #expect(crowd.count(neighbourCount: 2) == expected)
        }
        crowd.finishSlot(.heard)
        #expect(crowd.count(neighbourCount: 2) == 64)
        for _ in 0..<60 { crowd.finishSlot(.quiet) }
        #expect(crowd.count(neighbourCount: 2) == 3)
    }

    @Test func `sound that stays full while few devices talk is no crowd, until it pauses`() {
        var crowd = CrowdEstimate()
        // One step, ten doublings to 4,096, and four more slots.
        for _ in 0..<15 { crowd.finishSlot(.undecoded(isFull: true)) }
        #expect(crowd.count(neighbourCount: 2) == 3)
        for _ in 0..<50 { crowd.finishSlot(.undecoded(isFull: true)) }
        #expect(crowd.count(neighbourCount: 2) == 3)
        crowd.finishSlot(.quiet)
        for _ in 0..<3 { crowd.finishSlot(.undecoded(isFull: true)) }
        #expect(crowd.count(neighbourCount: 2) == 16)
    }

    @Test func `no crowd is larger than the maximum`() {
        var crowd = CrowdEstimate()
        for _ in 0..<100 { crowd.finishSlot(.undecoded(isFull: false)) }
        #expect(crowd.count(neighbourCount: 2) == CrowdEstimate.maximum)
    }
}
