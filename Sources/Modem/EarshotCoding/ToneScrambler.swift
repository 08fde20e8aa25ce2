/// Makes every payload hop over the whole band, even one of zeros.
///
///     mask[n] = ⌊((n + 1) · 40503 mod 2¹⁶) / 2¹⁶ · M⌋,   tone = codeword tone ⊕ mask[n]
///
/// 40503/2¹⁶ is next to the golden ratio's fraction, so neighbouring masks are 0.38 of the band apart. A codeword that
/// stands still therefore leaves the reach of its own echo with every tone, and does not look like a pilot tone to the
/// receiver. The trellis code is linear: without the scrambler the all-zero payload would be close to a single steady tone.
public enum ToneScrambler {
    /// The tone on the air for a codeword's tone, and the codeword's tone for a tone on the air.
    /// - Parameters:
    ///   - tone: 0 ..< 2^toneBits.
    ///   - step: the data tone, 0 for the frame's first.
    ///   - toneBits: log₂ M.
    public static func scramble(_ tone: Int, step: Int, toneBits: Int) -> Int {
        tone ^ mask(step: step, toneBits: toneBits)
    }

    /// Sorts metrics of tones on the air by the codeword's tones: codeMetrics[n][c] = metrics[n][c ⊕ mask[start + n]].
    /// - Parameters:
    ///   - metrics: one for each tone of each step; shape [stepCount or more][2^toneBits].
    ///   - stepCount: how many steps are sorted.
    ///   - toneBits: log₂ M.
    ///   - start: the scrambler's step at the first step, 0 for a frame.
    ///   - codeMetrics: receives them; shape like `metrics`. Cost: no allocation.
    public static func unscramble(
        _ metrics: [Float], stepCount: Int, toneBits: Int, start: Int = 0, into codeMetrics: inout [Float]
    ) {
        let toneCount = 1 << toneBits
        let source = metrics.span
        var target = codeMetrics.mutableSpan
        for step in 0..<stepCount {
            let mask = mask(step: start + step, toneBits: toneBits)
            let first = step * toneCount
            for tone in 0..<toneCount {
                target[first + tone] = source[first + (tone ^ mask)]
            }
        }
    }

    /// The mask for data tone `step` among 2^`toneBits` tones, 0 ..< 2^`toneBits`.
    public static func mask(step: Int, toneBits: Int) -> Int {
        ((step + 1) * 40_503 & 0xFFFF) >> (16 - toneBits)
    }
}
