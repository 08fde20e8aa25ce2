import EarshotCoding
import Testing

/// The scrambler forwards, backwards, and for metrics.
@Suite struct ToneScramblerTests {
    /// mask[n] is the formula in whole numbers, and a tone that is scrambled twice is itself.
    @Test(arguments: [4, 5, 6]) func scramblingTwiceIsNothing(toneBits: Int) {
        for step in 0..<200 {
            let mask = ((step + 1) * 40_503 % 65_536) * (1 << toneBits) / 65_536
            #expect(ToneScrambler.mask(step: step, toneBits: toneBits) == mask)
            for tone in 0..<1 << toneBits {
                let air = ToneScrambler.scramble(tone, step: step, toneBits: toneBits)
                #expect(air == tone ^ mask)
                #expect(ToneScrambler.scramble(air, step: step, toneBits: toneBits) == tone)
            }
        }
    }

    /// The metric of a codeword's tone is that of its tone on the air, from any step of the scrambler on.
    @Test(arguments: [4, 5, 6], [0, 10_000]) func metricsFollowTheirTones(toneBits: Int, start: Int) {
        let (stepCount, toneCount) = (44, 1 << toneBits)
        let metrics = (0..<stepCount * toneCount).map(Float.init)
        var sorted = [Float](repeating: -1, count: metrics.count)
        ToneScrambler.unscramble(metrics, stepCount: stepCount, toneBits: toneBits, start: start, into: &sorted)
        for step in 0..<stepCount {
            for tone in 0..<toneCount {
                let air = ToneScrambler.scramble(tone, step: start + step, toneBits: toneBits)
                #expect(sorted[step * toneCount + tone] == metrics[step * toneCount + air], "step \(step)")
            }
        }
    }
}
