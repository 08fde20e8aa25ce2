import EarshotCoding
import TestSupport
import Testing

/// The scrambler forwards and backwards.
@Suite(.optimized) struct ToneScramblerTests {
    /// mask[n] equals the formula in whole numbers, and scrambling a tone twice restores it.
    @Test(arguments: [4, 5, 6]) func scramblingTwiceIsNothing(toneBits: Int) {
        for place in 0..<200 {
            let mask = ((place + 1) * 40_503 % 65_536) * (1 << toneBits) / 65_536
            #expect(ToneScrambler.mask(place: place, toneBits: toneBits) == mask)
            for tone in 0..<1 << toneBits {
                let air = ToneScrambler.scramble(tone, place: place, toneBits: toneBits)
                #expect(air == tone ^ mask)
                #expect(ToneScrambler.scramble(air, place: place, toneBits: toneBits) == tone)
            }
        }
    }

    @Test(arguments: [4, 5, 6])
    func masksAreTonesAndNeighboursFarApart(toneBits: Int) {
        let toneCount = 1 << toneBits
        let masks = (0..<FrameLayout.longest.dataToneCount).map { ToneScrambler.mask(place: $0, toneBits: toneBits) }
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
        let masks = (0..<8).map { ToneScrambler.mask(place: $0, toneBits: 5) }
        #expect(masks == [19, 7, 27, 15, 2, 22, 10, 30])
    }
}
