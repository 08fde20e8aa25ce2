import EarshotBasics
import EarshotCoding
import TestSupport
import Testing

/// Data tones mapped to the air, and metrics mapped back.
@Suite(.optimized) struct DataTonesTests {
    private static let stepCounts = Payload.validCounts.map { FrameLayout(payloadByteCount: $0).dataToneCount }

    /// Each place holds the tone of one step, under the place's mask.
    @Test(arguments: [4, 5, 6], [0, 10_000]) func eachToneIsScrambledAtItsPlace(toneBits: Int, start: Int) {
        var random = SeededGenerator(seed: 91)
        for stepCount in Self.stepCounts {
            let codeword = (0..<stepCount).map { _ in UInt8.random(in: 0..<1 << UInt8(toneBits), using: &random) }
            let air = DataTones.onAir(codeword, toneBits: toneBits, scramblerStart: start)
            let interleaver = ToneInterleaver(stepCount: stepCount)
            for (step, tone) in codeword.enumerated() {
                let place = interleaver.place(ofStep: step)
                let expected = Int(tone) ^ ToneScrambler.mask(place: start + place, toneBits: toneBits)
                #expect(air[place] == expected, "step \(step) of \(stepCount), seed 91")
            }
        }
    }

    /// The metric of a codeword's tone is that of its tone on the air, for every length
    /// and every start of the scrambler.
    @Test(arguments: [4, 5, 6], [0, 10_000]) func metricsFollowTheirTones(toneBits: Int, start: Int) {
        let toneCount = 1 << toneBits
        for stepCount in Self.stepCounts {
            let metrics = (0..<stepCount * toneCount).map(Float.init)
            var sorted = [Float](repeating: -1, count: metrics.count)
            DataTones.sortByCode(
                metrics, ToneInterleaver(stepCount: stepCount), stepCount: stepCount, toneBits: toneBits,
                scramblerStart: start, into: &sorted)
            for tone in 0..<toneCount {
                let codeword = [UInt8](repeating: UInt8(tone), count: stepCount)
                let air = DataTones.onAir(codeword, toneBits: toneBits, scramblerStart: start)
                let interleaver = ToneInterleaver(stepCount: stepCount)
                for step in 0..<stepCount {
                    let place = interleaver.place(ofStep: step)
                    let expected = metrics[place * toneCount + air[place]]
                    #expect(sorted[step * toneCount + tone] == expected, "step \(step) of \(stepCount)")
                }
            }
        }
    }
}
