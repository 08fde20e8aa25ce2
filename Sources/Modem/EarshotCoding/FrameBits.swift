/// A payload as the trellis code's input, and back: mixed payload bytes, then their CRC, most significant bit first, two bits
/// a step.
public enum FrameBits {
    /// The input pair (0..3) of every step of the payload's frame; shape [dataToneCount].
    public static func pairs(of payload: Payload) -> [UInt8] {
        let sent = PayloadMixer.mix(payload)
        let check = CRC24.frameCheck(sent)
        let bytes = sent.bytes + [16, 8, 0].map { UInt8(truncatingIfNeeded: check >> $0) }
        return bytes.flatMap { byte in [byte >> 6, byte >> 4 & 3, byte >> 2 & 3, byte & 3] }
    }

    /// The payload in decoded pairs; nil if its CRC does not match.
    /// - Parameters:
    ///   - pairs: decoded input pairs, 0..3; shape [4·byteCount + 12]. Cost: no allocation.
    ///   - byteCount: the payload's length, 1 to 32.
    public static func payload(in pairs: Span<UInt8>, byteCount: Int) -> Payload? {
        precondition(pairs.count == 4 * byteCount + 12, "\(pairs.count) pairs for \(byteCount) bytes")
        var sent = Payload(zeroBytes: byteCount)
        for index in 0..<byteCount {
            sent[index] = byte(at: index, in: pairs)
        }
        var check: UInt32 = 0
        for index in byteCount..<byteCount + 3 {
            check = check << 8 | UInt32(byte(at: index, in: pairs))
        }
        return check == CRC24.frameCheck(sent) ? PayloadMixer.unmix(sent) : nil
    }

    private static func byte(at index: Int, in pairs: Span<UInt8>) -> UInt8 {
        var byte: UInt8 = 0
        for position in 4 * index..<4 * index + 4 {
            byte = byte << 2 | pairs[position] & 3
        }
        return byte
    }
}
