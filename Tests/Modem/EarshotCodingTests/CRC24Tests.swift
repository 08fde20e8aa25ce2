import EarshotBasics
import EarshotCoding
import TestSupport
import Testing

@Suite(.optimized) struct CRC24Tests {
    private func crc(_ bytes: [UInt8]) -> UInt32 {
        var crc = CRC24()
        for byte in bytes {
            crc.update(byte)
        }
        return crc.value
    }

    /// The check value of CRC-24/FLEXRAY-A in the catalogue of parametrised CRC algorithms.
    @Test func checkValueOfTheCatalogue() {
        #expect(crc(Array("123456789".utf8)) == 0x7979BD)
        #expect(CRC24().value == 0xFEDCBA)
    }

    @Test func equalsLongDivision() {
        for seed in 1...50 as ClosedRange<UInt64> {
            var random = SeededGenerator(seed: seed)
            let bytes = random.bytes(Int(seed))
            #expect(crc(bytes) == Reference.crc24(bytes), "seed \(seed)")
        }
    }

    /// crc(a) ⊕ crc(b) ⊕ crc(c) = crc(a ⊕ b ⊕ c) for messages of one length.
    @Test func isLinear() {
        for seed in 1...50 as ClosedRange<UInt64> {
            var random = SeededGenerator(seed: seed)
            let (a, b, c) = (random.bytes(37), random.bytes(37), random.bytes(37))
            let sum = (0..<37).map { a[$0] ^ b[$0] ^ c[$0] }
            #expect(crc(a) ^ crc(b) ^ crc(c) == crc(sum), "seed \(seed)")
        }
    }

    /// The change of the CRC by each single wrong bit of `bitCount`. Several wrong bits
    /// change it by the exclusive or, by linearity.
    private func remainders(bitCount: Int) -> [UInt32] {
        let zero = crc([UInt8](repeating: 0, count: bitCount / 8))
        return (0..<bitCount).map { bit in
            var bytes = [UInt8](repeating: 0, count: bitCount / 8)
            bytes[bit / 8] = 0x80 >> UInt8(bit % 8)
            return crc(bytes) ^ zero
        }
    }

    /// An error goes unnoticed only if its remainder is zero. By the algebra of the polynomial, the remainder of a
    /// burst of up to 24 bits is never zero.
    @Test func noticesBursts() {
        let remainders = remainders(bitCount: 280)
        var random = SeededGenerator(seed: 7)
        var missed = 0
        for first in remainders.indices {
            for length in 1...24 where first + length <= remainders.count {
                let inner = length < 3 ? [] : (1..<length - 1).filter { _ in Bool.random(using: &random) }
                let burst = Set([0, length - 1] + inner)
                missed += burst.reduce(0) { $0 ^ remainders[first + $1] } == 0 ? 1 : 0
            }
        }
        #expect(missed == 0, "seed 7")
        // The shortest unnoticed burst is the generator itself, 25 bits long.
        let generator = [24, 22, 20, 19, 18, 16, 14, 13, 11, 10, 8, 7, 6, 3, 1, 0].map { 20 + 24 - $0 }
        #expect(generator.reduce(0) { $0 ^ remainders[$1] } == 0)
    }

    /// The CRC notices up to five wrong bits of the longest frame's 280 (256 of payload, 24 of
    /// check), and up to seven of a token's 88.
    ///
    /// The generator is divisible by x + 1, so the remainder of every single bit has an odd number of bits, and an odd
    /// number of wrong bits is always noticed. Two pairs of bits with one remainder would be four unnoticed wrong bits,
    /// so no two pairs may share one. In a token no two sets of three bits may either: that would be six.
    @Test func noticesFewWrongBits() {
        let longest = remainders(bitCount: 280)
        #expect(longest.allSatisfy { $0.nonzeroBitCount % 2 == 1 })
        var pairs = Set<UInt32>()
        for second in longest.indices {
            for first in 0..<second {
                pairs.insert(longest[first] ^ longest[second])
            }
        }
        #expect(pairs.count == 280 * 279 / 2 && !pairs.contains(0))
        let token = remainders(bitCount: 88)
        var triples = Set<UInt32>()
        for third in token.indices {
            for second in 0..<third {
                for first in 0..<second {
                    triples.insert(token[first] ^ token[second] ^ token[third])
                }
            }
        }
        #expect(triples.count == 88 * 87 * 86 / 6 && triples.isDisjoint(with: token))
    }

    /// The example of docs/PROTOCOL.md, section 9.
    @Test func frameCheckCoversVersionAndLength() throws {
        #expect(CRC24.frameCheck(try Payload(hex: "a67f1f7a798ddd4b")) == 0xFBD656)
        for count in 1...32 {
            var random = SeededGenerator(seed: UInt64(count))
            let bytes = random.bytes(count)
            let expected = Reference.crc24([3, UInt8(count)] + bytes)
            #expect(CRC24.frameCheck(try Payload(bytes)) == expected, "seed \(count)")
        }
    }
}
