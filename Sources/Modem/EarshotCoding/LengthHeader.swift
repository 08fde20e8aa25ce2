/// The payload's length in six tones, for every frame that is not a token's.
///
///     l = byte count − 1 = 16·b + a,   a in 0..15, b in 0..1
///     g[i] = a ⊕ (b · k[i]) ⊕ s[i]     k, s: the constants below
///     tone[i] = (M/16)·g[i] + M/32     (M = 16: tone[i] = g[i])
///
/// k is six different non-zero numbers, so two lengths differ in all six tones (same b) or in at least five. Only every
/// (M/16)-th tone is used, which avoids errors between neighbouring tones.
public enum LengthHeader {
    /// The number of tones in the header.
    public static let toneCount = 6

    private static let multipliers: InlineArray<6, UInt8> = [1, 7, 10, 13, 4, 15]
    private static let scramble: InlineArray<6, UInt8> = [9, 2, 12, 5, 15, 7]

    /// Tone `index` (`0 ..< toneCount`) of the header for a payload of `byteCount` bytes, among `toneAlphabet`
    /// (16, 32 or 64) tones.
    public static func tone(_ index: Int, byteCount: Int, toneAlphabet: Int) -> Int {
        let l = UInt8(byteCount - 1)
        let a = l & 15
        let g = (l & 16 == 0 ? a : a ^ multipliers[index]) ^ scramble[index]
        return toneAlphabet / 16 * Int(g) + toneAlphabet / 32
    }
}
