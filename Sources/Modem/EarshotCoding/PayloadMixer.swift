/// Makes the tones of different payloads unrelated: a fixed one-to-one map from the n payload bytes p to the n bytes x
/// on the air.
///
///     x = p;  three passes, i = 0 … n − 1,  i = n − 1 … 0,  i = 0 … n − 1:
///         c = CRC-24 of version and n
///         for each i:  x[i] = E(x[i] ⊕ (c mod 256)),  c = the CRC continued with x[i]
///     E(v) = (45^v mod 257) mod 256
///
/// People number their devices. The trellis code is linear and a pair of bits stays in its register for six steps. So
/// two tokens that differ in one bit would differ in about 20 of 44 tones, while random ones differ in 41 to 43. After
/// two passes every byte depends on every byte; the third removes a remaining bias in the first byte.
///
/// The check is computed from x. So it also depends on the whole payload, and it still detects every error of few bits
/// and every short burst. If the check of p seeded a sequence that scrambles p, an error in the check would change all
/// bits of p, and the check would miss one such error in 2²⁴. The frames on the air are the same set of codewords with
/// and without the map.
///
/// E is one-to-one because the powers of 45 modulo the prime 257 are all numbers from 1 to 256; it is the S-box of the cipher
/// SAFER. The map has no key and hides nothing.
///
/// Cost: 24·n shifts and 3·n look-ups for a frame that is sent or whose check matches. No allocation.
public enum PayloadMixer {
    /// E(v).
    private static let powers: InlineArray<256, UInt8> = {
        var powers = InlineArray<256, UInt8>(repeating: 0)
        var power = 1
        for exponent in 0..<256 {
            powers[exponent] = UInt8(truncatingIfNeeded: power)
            power = power * 45 % 257
        }
        return powers
    }()
    /// The inverse of E: E(logarithms[v]) = v.
    private static let logarithms: InlineArray<256, UInt8> = {
        var logarithms = InlineArray<256, UInt8>(repeating: 0)
        for exponent in 0..<256 {
            logarithms[Int(powers[exponent])] = UInt8(exponent)
        }
        return logarithms
    }()

    /// The bytes on the air for a payload.
    public static func mix(_ payload: Payload) -> Payload {
        var bytes = payload
        for pass in 0..<3 {
            var crc = CRC24(frameByteCount: bytes.count)
            for step in 0..<bytes.count {
                let index = pass == 1 ? bytes.count - 1 - step : step
                bytes[index] = powers[Int(bytes[index] ^ UInt8(truncatingIfNeeded: crc.value))]
                crc.update(bytes[index])
            }
        }
        return bytes
    }

    /// The payload for bytes on the air: `mix` backwards.
    public static func unmix(_ sent: Payload) -> Payload {
        var bytes = sent
        for pass in 0..<3 {
            var crc = CRC24(frameByteCount: bytes.count)
            for step in 0..<bytes.count {
                let index = pass == 1 ? bytes.count - 1 - step : step
                let mask = UInt8(truncatingIfNeeded: crc.value)
                crc.update(bytes[index])
                bytes[index] = logarithms[Int(bytes[index])] ^ mask
            }
        }
        return bytes
    }
}
