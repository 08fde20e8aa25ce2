import EarshotBasics
import EarshotCoding
import TestSupport
import Testing

@Suite(.optimized) struct FrameLayoutTests {
    @Test func tokenHasFiftyTwoTones() {
        #expect(FrameLayout.token.toneCount == 52)
        #expect(FrameLayout.token.headerToneCount == 0)
        #expect(FrameLayout.token.dataToneCount == 44)
    }

    @Test func otherLengthsHaveAHeader() {
        for count in 1...32 where count != 8 {
            let layout = FrameLayout(payloadByteCount: count)
            #expect(layout.headerToneCount == 6)
            #expect(layout.dataToneCount == 4 * count + 12)
            #expect(layout.toneCount == 26 + 4 * count)
        }
        #expect(FrameLayout.shortest.toneCount == 30)
        #expect(FrameLayout.longest.toneCount == 154)
    }

    /// docs/PROTOCOL.md, section 2: sync tones at 0 ... 3 and 13 ... 16, and the others in order at all other places.
    @Test(arguments: 1...32) func everyPlaceHasOneTone(byteCount: Int) {
        let layout = FrameLayout(payloadByteCount: byteCount)
        let sync = (0..<FrameLayout.syncToneCount).map { FrameLayout.syncPlace($0) }
        let others =
            (0..<layout.headerToneCount).map { FrameLayout.headerPlace($0) }
            + (0..<layout.dataToneCount).map { layout.dataPlace($0) }
        #expect(sync == [0, 1, 2, 3, 13, 14, 15, 16] && FrameLayout.syncSpanToneCount == 17)
        #expect(others == others.sorted())
        #expect(Set(sync + others) == Set(0..<layout.toneCount))
        #expect(sync.count + others.count == layout.toneCount)
        for place in 0..<layout.toneCount {
            #expect(FrameLayout.syncIndex(at: place) == sync.firstIndex(of: place))
        }
        let tones = FrameLayout.arranged(sync: sync, others)
        #expect(tones == Array(0..<layout.toneCount))
    }
}

@Suite(.optimized) struct LengthHeaderTests {
    private func header(_ byteCount: Int, _ toneAlphabet: Int) -> [Int] {
        (0..<LengthHeader.toneCount).map {
            LengthHeader.tone($0, byteCount: byteCount, toneAlphabet: toneAlphabet)
        }
    }

    @Test(arguments: [16, 32, 64])
    func anyTwoLengthsDifferInFiveTonesOfSix(toneAlphabet: Int) {
        for first in 1...32 {
            for second in 1..<first {
                let differences = zip(header(first, toneAlphabet), header(second, toneAlphabet)).filter { $0 != $1 }
                #expect(differences.count >= 5, "\(first) and \(second) bytes")
            }
        }
    }

    /// Each header tone is in the middle of its sixteenth of the alphabet.
    @Test(arguments: [16, 32, 64])
    func tonesKeepClearOfTheirNeighbours(toneAlphabet: Int) {
        let share = toneAlphabet / 16
        let used = Set((1...32).flatMap { header($0, toneAlphabet) })
        #expect(used == Set((0..<16).map { share * $0 + share / 2 }))
    }
}

@Suite(.optimized) struct FrameBitsTests {
    @Test func payloadComesBackAtEveryLength() throws {
        for count in 1...32 {
            var random = SeededGenerator(seed: UInt64(count))
            let payload = try Payload(random.bytes(count))
            let pairs = FrameBits.pairs(of: payload)
            #expect(pairs.count == FrameLayout(payloadByteCount: count).dataToneCount)
            #expect(FrameBits.payload(in: pairs.span, byteCount: count) == payload, "seed \(count)")
        }
    }

    /// The example of docs/PROTOCOL.md, section 9.
    @Test func firstPairsOfTheWorkedExample() throws {
        let pairs = FrameBits.pairs(of: try Payload(hex: "0123456789abcdef"))
        // The first two bytes on the air, 0xA67F = 10 10 01 10 01 11 11 11 in binary.
        #expect(pairs.prefix(8) == [2, 2, 1, 2, 1, 3, 3, 3])
        // The check 0xFBD656 = 11 11 10 11 11 01 01 10 01 01 01 10 in binary.
        #expect(pairs.suffix(12) == [3, 3, 2, 3, 3, 1, 1, 2, 1, 1, 1, 2])
    }

    /// No frame of version 1 or 2 has a check that matches, for any bytes on the air. See `CRC24`.
    @Test(arguments: [UInt8(1), 2]) func noFrameOfAnOlderVersionIsAccepted(version: UInt8) {
        var random = SeededGenerator(seed: 6)
        for count in Payload.validCounts {
            for _ in 0..<200 {
                let bytes = random.bytes(count)
                let check = Reference.crc24([version, UInt8(count)] + bytes)
                let sent = bytes + [16, 8, 0].map { UInt8(truncatingIfNeeded: check >> $0) }
                let pairs = sent.flatMap { [$0 >> 6, $0 >> 4 & 3, $0 >> 2 & 3, $0 & 3] }
                #expect(FrameBits.payload(in: pairs.span, byteCount: count) == nil, "\(bytes)")
            }
        }
    }

    /// A CRC notices every single wrong pair: a burst of two bits.
    @Test func everyWrongPairIsNoticed() throws {
        var random = SeededGenerator(seed: 5)
        for count in [1, 8, 32] {
            let pairs = FrameBits.pairs(of: try Payload(random.bytes(count)))
            for step in pairs.indices {
                for error in 1...3 as ClosedRange<UInt8> {
                    var wrong = pairs
                    wrong[step] ^= error
                    let payload = FrameBits.payload(in: wrong.span, byteCount: count)
                    #expect(payload == nil, "pair \(step) of \(count) bytes, seed 5")
                }
            }
        }
    }
}
