/// The frame's check: CRC-24 with the polynomial x²⁴ + x²² + x²⁰ + x¹⁹ + x¹⁸ + x¹⁶ + x¹⁴ + x¹³ + x¹¹ + x¹⁰ + x⁸ + x⁷ + x⁶
/// + x³ + x + 1 (0x5D6DCB), start value 0xFEDCBA, bits most significant first, no final inversion.
///
/// Known as CRC-24/FLEXRAY-A in the catalogue of parametrised CRC algorithms; its check value, the CRC of the nine
/// ASCII digits "123456789", is 0x7979BD. It misses one random error pattern in 16,777,216. It detects every error of
/// up to seven bits in a token with its check (88 bits), of up to five in the longest payload's (280 bits), of any odd
/// number of bits, and every burst of up to 24.
public struct CRC24: Sendable {
    /// The CRC of all bytes so far, 24 bits.
    public private(set) var value: UInt32 = 0xFE_DCBA

    /// The CRC of no bytes.
    public init() {}

    /// The CRC with which each frame begins: over the protocol version and the number of payload bytes.
    ///
    /// Version and count are not sent: if a receiver assumes wrong ones, the check fails. Two versions differ within
    /// one byte, a burst that the CRC always detects, so the check of an intact frame of another version never matches.
    init(frameByteCount: Int) {
        update(FrameLayout.protocolVersion)
        update(UInt8(frameByteCount))
    }

    /// Adds one byte. Cost: eight shifts.
    public mutating func update(_ byte: UInt8) {
        // The register is at the upper end of the word, so that bits shifted out leave the word.
        var register = value << 8 ^ UInt32(byte) << 24
        for _ in 0..<8 {
            register = register & 0x8000_0000 == 0 ? register << 1 : register << 1 ^ 0x5D6D_CB00
        }
        value = register >> 8
    }

    /// The check of a frame: over the protocol version, the number of payload bytes, and the bytes on the air.
    /// - Parameter sent: the bytes on the air; see `PayloadMixer`.
    public static func frameCheck(_ sent: Payload) -> UInt32 {
        var crc = CRC24(frameByteCount: sent.count)
        for index in 0..<sent.count {
            crc.update(sent[index])
        }
        return crc.value
    }
}
