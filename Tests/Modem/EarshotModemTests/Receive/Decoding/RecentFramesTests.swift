import EarshotCoding
import Testing

@testable import EarshotModem

/// Each frame is reported once.
@Suite struct RecentFramesTests {
    private func token(_ number: Int) throws -> Payload {
        try Payload((0..<8).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) })
    }

    /// The same payload within half a frame is the same frame; another payload, profile or time makes it another frame.
    @Test func aFrameIsKnownWithinHalfItsLength() throws {
        let (own, other) = (try token(1), try token(2))
        var recent = RecentFrames()
        let isInserted = recent.insert(own, profileIndex: 1, start: 1_000, length: 400)
        #expect(isInserted)
        let cases: [(payload: Payload, profileIndex: Int, start: Double, isNew: Bool)] = [
            (own, 1, 1_000, false), (own, 1, 1_199, false), (own, 1, 801, false), (own, 1, 1_201, true),
            (own, 1, 799, true), (own, 0, 1_000, true), (other, 1, 1_000, true),
        ]
        for (payload, profileIndex, start, isNew) in cases {
            var copy = recent
            #expect(copy.contains(payload, profileIndex: profileIndex, start: start, length: 400) != isNew)
            let isInserted = copy.insert(payload, profileIndex: profileIndex, start: start, length: 400)
            #expect(isInserted == isNew, "\(start)")
        }
        #expect(recent.contains(profileIndex: 1, start: 1_050, within: 51))
        #expect(!recent.contains(profileIndex: 1, start: 1_050, within: 50))
        #expect(!recent.contains(profileIndex: 0, start: 1_000, within: 50))
    }

    /// 64 frames are remembered; the oldest goes first.
    @Test func theOldestIsForgotten() throws {
        var recent = RecentFrames()
        for number in 0..<100 {
            let isInserted = recent.insert(try token(number), profileIndex: 0, start: 0, length: 400)
            #expect(isInserted)
        }
        for number in 0..<100 {
            let isKnown = recent.contains(try token(number), profileIndex: 0, start: 0, length: 400)
            #expect(isKnown == (number >= 36), "frame \(number)")
        }
    }
}
