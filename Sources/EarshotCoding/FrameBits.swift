/// Between a payload and the trellis code's input: payload bytes then CRC, most significant bit first, two bits a
/// step. Both directions are here.
public enum FrameBits {
    /// The input pair (0..3) of every step of the payload's frame; shape [dataToneCount].
    public static func pairs(of payload: Payload) -> [UInt8] {
        let check = CRC16.frameCheck(payload)
        let bytes = payload.bytes + [UInt8(check >> 8), UInt8(check & 0xFF)]
        return bytes.flatMap { byte in [byte >> 6, byte >> 4 & 3, byte >> 2 & 3, byte & 3] }
    }

    /// The payload in decoded pairs, or nil where its CRC does not match.
    /// - Parameter pairs: decoded input pairs, 0..3; shape [4·byteCount + 8]. Cost: no allocation.
    public static func payload(in pairs: Span<UInt8>, byteCount: Int) -> Payload? {
        precondition(pairs.count == 4 * byteCount + 8, "\(pairs.count) pairs for \(byteCount) bytes")
        var payload = Payload(zeroBytes: byteCount)
        for index in 0..<byteCount {
            payload[index] = byte(at: index, in: pairs)
        }
        let check = UInt16(byte(at: byteCount, in: pairs)) << 8 | UInt16(byte(at: byteCount + 1, in: pairs))
        return check == CRC16.frameCheck(payload) ? payload : nil
    }

    private static func byte(at index: Int, in pairs: Span<UInt8>) -> UInt8 {
        var byte: UInt8 = 0
        for position in 4 * index..<4 * index + 4 {
            byte = byte << 2 | pairs[position] & 3
        }
        return byte
    }
}
