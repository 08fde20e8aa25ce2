/// The frame's check: CRC-16 with the polynomial x¹⁶ + x¹² + x⁵ + 1 (0x1021), start value 0xFFFF, bits most
/// significant first, no final inversion.
///
/// Known as CRC-16/IBM-3740 (or "CCITT-FALSE") in the catalogue of parametrised CRC algorithms; its check value,
/// the CRC of the nine ASCII digits "123456789", is 0x29B1. Passes a random error pattern once in 65,536 times.
public struct CRC16: Sendable {
    /// The CRC of all bytes taken in so far.
    public private(set) var value: UInt16 = 0xFFFF

    /// The CRC of no bytes yet.
    public init() {}

    /// Takes one more byte in. Cost: eight shifts.
    public mutating func update(_ byte: UInt8) {
        value ^= UInt16(byte) << 8
        for _ in 0..<8 {
            value = value & 0x8000 == 0 ? value << 1 : value << 1 ^ 0x1021
        }
    }

    /// The check of a frame: over the protocol version, the payload's byte count, and the payload's bytes.
    ///
    /// Version and count are not sent; a receiver that guessed them wrong fails the check.
    public static func frameCheck(_ payload: Payload) -> UInt16 {
        var crc = CRC16()
        crc.update(FrameLayout.protocolVersion)
        crc.update(UInt8(payload.count))
        for index in 0..<payload.count {
            crc.update(payload[index])
        }
        return crc.value
    }
}
