/// Makes every payload hop over the whole band, also one of zeros.
///
///     mask[n] = ⌊((n + 1) · 40503 mod 2¹⁶) / 2¹⁶ · M⌋,   tone = codeword tone ⊕ mask[n]
///
/// 40503/2¹⁶ is next to the golden ratio's fraction: neighbouring masks are 0.38 of the band apart, so a codeword
/// that stands still is sent as a sequence that never stays in the reach of its own echo, and never looks like a
/// steady tone to the receiver. The trellis code is linear, hence the all-zero payload without this would be close
/// to a single steady tone.
public enum ToneScrambler {
    /// The tone on the air for a codeword's tone at data tone `step`, and the reverse, among 2^`toneBits` tones.
    public static func scramble(_ tone: Int, step: Int, toneBits: Int) -> Int {
        tone ^ mask(step: step, toneBits: toneBits)
    }

    /// Sorts metrics of tones on the air by the codeword's tones: codeMetrics[n][c] = metrics[n][c ⊕ mask[start + n]].
    /// - Parameters:
    ///   - metrics: one for each tone of each step; shape [stepCount or more][2^toneBits].
    ///   - start: the scrambler's step that the first one has, 0 for a frame.
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

    /// The mask for data tone `step` among 2^`toneBits` tones.
    public static func mask(step: Int, toneBits: Int) -> Int {
        ((step + 1) * 40_503 & 0xFFFF) >> (16 - toneBits)
    }
}
