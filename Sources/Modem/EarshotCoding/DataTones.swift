/// The data tones between code and air: each is moved to its place (`ToneInterleaver`) and then scrambled
/// (`ToneScrambler`).
///
///     air[place[j]] = codeword[j] ⊕ mask[place[j]]
///
/// The mask depends on the place, so neighbours on the air keep the scrambler's distance.
public enum DataTones {
    /// The tones on the air of a codeword.
    /// - Parameters:
    ///   - codeword: a tone for each step of the code, each in 0 ..< 2^toneBits; shape [stepCount], that of a frame.
    ///   - toneBits: log₂ M.
    ///   - scramblerStart: the scrambler's number of the first place, 0 for a frame.
    /// - Returns: the tones by place; shape [stepCount].
    public static func onAir(_ codeword: [UInt8], toneBits: Int, scramblerStart: Int = 0) -> [Int] {
        let interleaver = ToneInterleaver(stepCount: codeword.count)
        var air = [Int](repeating: 0, count: codeword.count)
        for (step, tone) in codeword.enumerated() {
            let place = interleaver.place(ofStep: step)
            air[place] = ToneScrambler.scramble(Int(tone), place: scramblerStart + place, toneBits: toneBits)
        }
        return air
    }

    /// Sorts metrics of tones on the air by the steps and tones of the code:
    /// codeMetrics[j][c] = metrics[place[j]][c ⊕ mask[start + place[j]]].
    /// - Parameters:
    ///   - metrics: one for each tone at each place; shape [stepCount or more][2^toneBits].
    ///   - interleaver: the order of a frame of stepCount data tones.
    ///   - stepCount: the number of data tones.
    ///   - toneBits: log₂ M.
    ///   - scramblerStart: the scrambler's number of the first place, 0 for a frame.
    ///   - codeMetrics: receives them; shape like `metrics`. Cost: no allocation.
    public static func sortByCode(
        _ metrics: [Float], _ interleaver: ToneInterleaver, stepCount: Int, toneBits: Int, scramblerStart: Int = 0,
        into codeMetrics: inout [Float]
    ) {
        let toneCount = 1 << toneBits
        let source = metrics.span
        var target = codeMetrics.mutableSpan
        for step in 0..<stepCount {
            let place = interleaver.place(ofStep: step)
            let mask = ToneScrambler.mask(place: scramblerStart + place, toneBits: toneBits)
            let (first, own) = (place * toneCount, step * toneCount)
            for tone in 0..<toneCount {
                target[own + tone] = source[first + (tone ^ mask)]
            }
        }
    }
}
