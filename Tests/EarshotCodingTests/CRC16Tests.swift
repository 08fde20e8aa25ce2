import EarshotCoding
import TestSupport
import Testing

@Suite struct CRC16Tests {
    private func crc(_ bytes: [UInt8]) -> UInt16 {
        var crc = CRC16()
        for byte in bytes {
            crc.update(byte)
        }
        return crc.value
    }

    /// The check value of CRC-16/IBM-3740 in the catalogue of parametrised CRC algorithms.
    @Test func checkValueOfTheCatalogue() {
        #expect(crc(Array("123456789".utf8)) == 0x29B1)
        #expect(CRC16().value == 0xFFFF)
    }

    @Test func equalsLongDivision() {
        for seed in 1...50 as ClosedRange<UInt64> {
            var random = Randomness(seed: seed)
            let bytes = random.bytes(Int(seed))
            #expect(crc(bytes) == Reference.crc16(bytes), "seed \(seed)")
        }
    }

    /// crc(a) ⊕ crc(b) ⊕ crc(c) = crc(a ⊕ b ⊕ c) for messages of one length.
    @Test func isLinear() {
        for seed in 1...50 as ClosedRange<UInt64> {
            var random = Randomness(seed: seed)
            let (a, b, c) = (random.bytes(36), random.bytes(36), random.bytes(36))
            let sum = (0..<36).map { a[$0] ^ b[$0] ^ c[$0] }
            #expect(crc(a) ^ crc(b) ^ crc(c) == crc(sum), "seed \(seed)")
        }
    }

    /// By linearity an error goes unnoticed just if its own remainder is zero. Every burst of up to 16 bits has another
    /// remainder, and so has every pair of wrong bits closer than 32,767: both by the algebra of the polynomial.
    @Test func noticesBurstsAndPairsOfErrors() {
        let byteCount = 36
        let zero = crc([UInt8](repeating: 0, count: byteCount))
        func isNoticed(_ wrongBits: [Int]) -> Bool {
            var bytes = [UInt8](repeating: 0, count: byteCount)
            for bit in wrongBits {
                bytes[bit / 8] ^= 0x80 >> UInt8(bit % 8)
            }
            return crc(bytes) != zero
        }
        var random = Randomness(seed: 7)
        var missed = 0
        for first in 0..<8 * byteCount {
            for second in first + 1..<8 * byteCount where !isNoticed([first, second]) {
                missed += 1
            }
            for length in 1...16 where first + length <= 8 * byteCount {
                let inner = length < 3 ? [] : (1..<length - 1).filter { _ in Bool.random(using: &random) }
                let burst = Set([0, length - 1] + inner).map { first + $0 }
                missed += isNoticed(burst) ? 0 : 1
            }
        }
        #expect(missed == 0, "seed 7")
        // The generator itself, 17 bits long, is the shortest burst that is not.
        #expect(!isNoticed([20, 24, 31, 36]))
    }

    /// The example of docs/PROTOCOL.md, section 9.
    @Test func frameCheckCoversVersionAndLength() throws {
        let payload = try Payload(hex: "0123456789abcdef")
        #expect(CRC16.frameCheck(payload) == 0x0ED6)
        for count in 1...32 {
            var random = Randomness(seed: UInt64(count))
            let bytes = random.bytes(count)
            let expected = Reference.crc16([1, UInt8(count)] + bytes)
            #expect(CRC16.frameCheck(try Payload(bytes)) == expected, "seed \(count)")
        }
    }
}
