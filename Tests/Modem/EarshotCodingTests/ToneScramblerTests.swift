import EarshotCoding
import TestSupport
import Testing

/// The scrambler forwards, backwards, and for metrics.
@Suite(.optimized) struct ToneScramblerTests {
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

    @Test(arguments: [4, 5, 6])
    func masksAreTonesAndNeighboursFarApart(toneBits: Int) {
        let toneCount = 1 << toneBits
        let masks = (0..<FrameLayout.longest.dataToneCount).map { ToneScrambler.mask(step: $0, toneBits: toneBits) }
        #expect(masks.allSatisfy { (0..<toneCount).contains($0) })
        for (mask, next) in zip(masks, masks.dropFirst()) {
            // 40503/65536 = 0.618: a step of 0.618·M up or 0.382·M down, each rounded by less than one tone.
            let step = Double(next - mask) / Double(toneCount)
            let distance = min(abs(step - 0.618), abs(step + 0.382)) * Double(toneCount)
            #expect(distance < 1.001, "from \(mask) to \(next)")
        }
    }

    /// The first masks for M = 32, worked out by hand: ⌊0.61803·(n + 1) mod 1 · 32⌋.
    @Test func firstMasks() {
        // 0.6180, 0.2360, 0.8541, 0.4721, 0.0901, 0.7082, 0.3262, 0.9443 times 32.
        let masks = (0..<8).map { ToneScrambler.mask(step: $0, toneBits: 5) }
        #expect(masks == [19, 7, 27, 15, 2, 22, 10, 30])
    }
}
