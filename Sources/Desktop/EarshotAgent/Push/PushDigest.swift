import Foundation

/// Distinguishes contents: 128 bits of FNV-1a. It need not be secure: with a collision, a provider could only hide its
/// own reports.
enum PushDigest {
    static func of(_ parts: [Data]) -> String {
        var halves: (UInt64, UInt64) = (0xCBF2_9CE4_8422_2325, 0x6C62_272E_07BB_0142)
        func add(_ byte: UInt8) {
            halves.0 = (halves.0 ^ UInt64(byte)) &* 0x100_0000_01B3
            halves.1 = (halves.1 ^ UInt64(byte ^ 0x5A)) &* 0x100_0000_01B3
        }
        for part in parts {
            for byte in part { add(byte) }
            for shift in stride(from: 0, to: 64, by: 8) { add(UInt8(truncatingIfNeeded: part.count >> shift)) }
        }
        return [halves.0, halves.1].map { half in
            let digits = String(half, radix: 16)
            return String(repeating: "0", count: 16 - digits.count) + digits
        }.joined()
    }
}
