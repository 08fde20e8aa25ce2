/// Makes every payload hop over the whole band, also one of zeros.
///
///     mask[n] = ⌊((n + 1) · 40503 mod 2¹⁶) / 2¹⁶ · M⌋,   tone = codeword tone ⊕ mask[n]
///
/// 40503/2¹⁶ is next to the golden ratio's fraction: neighbouring masks are 0.38 of the band apart, so a codeword
/// that stands still is sent as a sequence that never stays in the reach of its own echo, and never looks like a
/// steady tone to the receiver. The trellis code is linear, hence the all-zero payload without this would be close
/// to a single steady tone.
public enum ToneScrambler {
    /// The mask for data tone `step` among 2^`toneBits` tones.
    public static func mask(step: Int, toneBits: Int) -> Int {
        ((step + 1) * 40_503 & 0xFFFF) >> (16 - toneBits)
    }
}
