/// Makes every payload hop over the whole band, even one of zeros.
///
///     mask[i] = ⌊((i + 1) · 40503 mod 2¹⁶) / 2¹⁶ · M⌋,   tone at place i = codeword tone ⊕ mask[i]
///
/// 40503/2¹⁶ is next to the golden ratio's fraction, so the masks of neighbouring places are 0.38 of the band apart. So
/// even a constant codeword moves out of the range of its own echo with every tone, and does not look like a pilot tone
/// to the receiver. The trellis code is linear: without the scrambler the all-zero payload would be close to a single
/// steady tone.
public enum ToneScrambler {
    /// The tone on the air for a codeword's tone, and the codeword's tone for a tone on the air.
    /// - Parameters:
    ///   - tone: 0 ..< 2^toneBits.
    ///   - place: the place on the air, 0 for the frame's first data tone.
    ///   - toneBits: log₂ M.
    public static func scramble(_ tone: Int, place: Int, toneBits: Int) -> Int {
        tone ^ mask(place: place, toneBits: toneBits)
    }

    /// The mask of the data tone at `place` among 2^`toneBits` tones, 0 ..< 2^`toneBits`.
    public static func mask(place: Int, toneBits: Int) -> Int {
        ((place + 1) * 40_503 & 0xFFFF) >> (16 - toneBits)
    }
}
