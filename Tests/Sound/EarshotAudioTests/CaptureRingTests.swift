import Dispatch
import EarshotSystem
import TestSupport
import Testing

@testable import EarshotAudio

@Suite struct CaptureRingTests {
    private static func header(_ frameCount: Int, notice: CaptureNotice? = nil) -> CaptureBlock {
        var block = CaptureBlock()
        block.frameCount = frameCount
        block.notice = notice
        return block
    }

    @Test func blocksAndNoticesComeInTheirOrder() {
        let ring = CaptureRing(slotCount: 4, slotFrameCount: 3, channelCount: 2)
        let notice = CaptureNotice.lost(.overrun)
        // More blocks than the ring has slots, so the indices wrap around.
        for round in 0..<10 {
            let first = Float(10 * round)
            #expect(
                ring.put(Self.header(2)) { samples in for index in 0..<4 { samples[index] = first + Float(index) } })
            #expect(ring.put(Self.header(0, notice: notice)) { _ in })
            #expect(ring.put(Self.header(1)) { samples in for index in 0..<2 { samples[index] = -first } })
            #expect(ring.filledCount == 3)
            var taken: [(CaptureNotice?, [Float])] = []
            while ring.take({ taken.append(($0.notice, $1.indices.map { [samples = $1] in samples[$0] })) }) {}
            #expect(taken.map(\.0) == [nil, notice, nil])
            #expect(taken.map(\.1) == [[first, first + 1, first + 2, first + 3], [], [-first, -first]])
        }
    }

    @Test func aFullRingRejectsBlocksAndKeepsItsContent() {
        let ring = CaptureRing(slotCount: 3, slotFrameCount: 1, channelCount: 1)
        for number in 0..<3 { #expect(ring.put(Self.header(1)) { $0[0] = Float(number) }) }
        var isFilled = false
        #expect(!ring.put(Self.header(1)) { _ in isFilled = true })
        #expect(!isFilled)
        var taken: [Float] = []
        #expect(ring.take { taken.append($1[0]) })
        // Exactly one slot is free.
        #expect(ring.put(Self.header(1)) { $0[0] = 3 })
        #expect(!ring.put(Self.header(1)) { $0[0] = 4 })
        while ring.take({ taken.append($1[0]) }) {}
        #expect(taken == [0, 1, 2, 3])
        #expect(!ring.take { _, _ in })
    }

    /// A ring may run out of frames too: blocks stay in one piece, and the end stays empty if a block does not fit.
    @Test func aRingOfFewFramesKeepsBlocksInOnePiece() {
        let ring = CaptureRing(slotCount: 8, slotFrameCount: 4, channelCount: 1, frameCapacity: 10)
        func put(_ count: Int, _ value: Float) -> Bool {
            ring.put(Self.header(count)) { for index in 0..<count { $0[index] = value } }
        }
        var taken: [[Float]] = []
        func take() -> Bool { ring.take { taken.append($1.indices.map { [samples = $1] in samples[$0] }) } }
        #expect(put(4, 1) && put(4, 2))
        // Two frames are left at the end, none at the start.
        #expect(!put(3, 3))
        #expect(put(2, 3) && !put(1, 4))
        #expect(take())
        #expect(put(4, 4) && !put(1, 5))
        while take() {}
        #expect(put(3, 5) && put(4, 6) && !put(4, 7))
        while take() {}
        let lengths = [4, 4, 2, 4, 3, 4]
        #expect(taken == lengths.enumerated().map { [Float](repeating: Float($0 + 1), count: $1) })
    }

    @Test func aWaitEndsAtItsDeadlineOrWhenTheRingIsRung() async throws {
        try await onThread {
            let ring = CaptureRing(slotCount: 2, slotFrameCount: 1, channelCount: 1)
            let begin = MonotonicTime.nanoseconds
            ring.wait(until: .now() + .milliseconds(20))
            #expect(MonotonicTime.nanoseconds - begin >= 19_000_000)
            ring.ring()
            // Without the ring above, this wait would never return.
            ring.wait(until: .distantFuture)
        }
    }

    @Test(arguments: [nil, 200]) func everySampleArrivesOnceAndInOrder(frameCapacity: Int?) async throws {
        let ring = CaptureRing(slotCount: 8, slotFrameCount: 64, channelCount: 2, frameCapacity: frameCapacity)
        let passage = RingPassage(seconds: 3)
        async let written = onThread {
            passage.write { header, fill in ring.put(header, fill: fill) }
        }
        async let read = onThread {
            passage.read(wait: { ring.wait(until: .now() + .milliseconds(100)) }, take: { ring.take($0) })
        }
        let (sent, received) = try await (written, read)
        #expect(received.faults.isEmpty, "\(received.faults.prefix(5))")
        #expect(received.numberCount == sent.numberCount)
        #expect(received.noticeCount == sent.noticeCount)
        // Both ends of the ring were reached, so neither side only followed the other.
        #expect(sent.refusalCount > 100 && received.vainCount > 100, "\(sent), \(received)")
        print("ring: \(sent.numberCount) samples, refused \(sent.refusalCount), vain \(received.vainCount) times")
    }
}
