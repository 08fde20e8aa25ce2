import EarshotBasics
import EarshotCoding
import TestSupport
import Testing

@testable import EarshotModem

/// The length that a header announces, from energies that are set by hand.
@Suite(.optimized) struct LengthHypothesesTests {
    /// Noise of mean 1 in all tones, and the tones of a preamble `ratio` times as loud.
    private func energies(
        _ profile: Profile, byteCount: Int?, headerRatio: Float, syncRatio: Float = 100, random: inout SeededGenerator
    ) -> [Float] {
        let (toneCount, symbolCount) = (profile.toneCount, SyncCheck.preambleToneCount + ToneMetrics.echoSymbolCount)
        var energies = (0..<symbolCount * toneCount).map { _ in
            Float.random(in: 0.5...1.5, using: &random)
        }
        for (index, tone) in profile.syncTones.enumerated() {
            energies[FrameLayout.syncPlace(index) * toneCount + tone] = syncRatio
        }
        if let byteCount {
            for index in 0..<LengthHeader.toneCount {
                let tone = LengthHeader.tone(index, byteCount: byteCount, toneAlphabet: toneCount)
                energies[FrameLayout.headerPlace(index) * toneCount + tone] = headerRatio
            }
        }
        return energies
    }

    private func announced(_ energies: [Float], _ profile: Profile) -> Int? {
        let symbolCount = SyncCheck.preambleToneCount + ToneMetrics.echoSymbolCount
        var metrics = ToneMetrics(maximumSymbolCount: symbolCount, maximumToneCount: profile.toneCount)
        metrics.prepare(
            energies, erased: ErasedSymbols(), toneCount: profile.toneCount,
            frameSymbolCount: SyncCheck.preambleToneCount)
        return LengthHypotheses.announcedByteCount(metrics, profile: profile)
    }

    /// A clear header announces its length, for every length but a token's, which has no header.
    @Test(arguments: Profile.all) func aClearHeaderIsRead(profile: Profile) {
        var random = SeededGenerator(seed: 53)
        for byteCount in Payload.validCounts where byteCount != Payload.tokenCount {
            let energies = energies(profile, byteCount: byteCount, headerRatio: 100, random: &random)
            #expect(announced(energies, profile) == byteCount, "seed 53")
        }
    }

    /// Without a header no length stands out. One of these tones has at most ln(1 + 1.5 · ln 2/0.9) = 0.77 (noise is
    /// the median over ln 2, at least 0.9 here), and the threshold is a mean of 1.07.
    @Test(arguments: Profile.all) func noiseAnnouncesNothing(profile: Profile) {
        var random = SeededGenerator(seed: 54)
        for _ in 0..<20 {
            let energies = energies(profile, byteCount: nil, headerRatio: 0, random: &random)
            #expect(announced(energies, profile) == nil, "seed 54")
        }
    }

    /// A header far below the sync tones consists of another frame's tones: L = ln(1 + 6·0.69) = 1.6 is above the
    /// threshold, but not half of ln(1 + 3,000·0.69) = 7.6.
    @Test(arguments: Profile.all) func aHeaderFarBelowTheSyncTonesIsNone(profile: Profile) {
        var random = SeededGenerator(seed: 55)
        let weak = energies(profile, byteCount: 20, headerRatio: 6, syncRatio: 3_000, random: &random)
        #expect(announced(weak, profile) == nil, "seed 55")
        let strong = energies(profile, byteCount: 20, headerRatio: 6, syncRatio: 6, random: &random)
        #expect(announced(strong, profile) == 20, "seed 55")
    }

    /// λ whose header has `logRatio` in each tone, and other tones 0 ... 1.
    private func metrics(_ profile: Profile, byteCount: Int, logRatio: Float, _ random: inout SeededGenerator)
        -> [Float]
    {
        let toneCount = profile.toneCount
        var metrics = (0..<LengthHeader.toneCount * toneCount).map { _ in Float.random(in: 0...1, using: &random) }
        for index in 0..<LengthHeader.toneCount {
            metrics[index * toneCount + LengthHeader.tone(index, byteCount: byteCount, toneAlphabet: toneCount)] =
                logRatio
        }
        return metrics
    }

    /// Along all paths, the evidence of a header is Σ (λ − ln mean exp λ). With λ = 5 in each of its tones the mean of
    /// M = 16 tones is (e⁵ + 15·1.72)/16 = 10.9, so ln R = 6·(5 − 2.39) = 15.7. With 3 the mean is 2.9, and
    /// ln R = 6·(3 − 1.05) = 11.7; with 1.5, ln R is at most 6·(1.5 − 0.64) = 5.2, less than 7. Larger alphabets
    /// give more.
    @Test(arguments: Profile.all) func aHeaderIsReadAlongAllPaths(profile: Profile) {
        var random = SeededGenerator(seed: 56)
        for byteCount in Payload.validCounts where byteCount != Payload.tokenCount {
            for logRatio: Float in [3, 5] {
                let clear = metrics(profile, byteCount: byteCount, logRatio: logRatio, &random)
                #expect(
                    LengthHypotheses.announcedByteCount(clear, toneCount: profile.toneCount) == byteCount, "seed 56")
            }
            let unclear = metrics(profile, byteCount: byteCount, logRatio: 1.5, &random)
            #expect(LengthHypotheses.announcedByteCount(unclear, toneCount: profile.toneCount) == nil, "seed 56")
        }
    }
}
