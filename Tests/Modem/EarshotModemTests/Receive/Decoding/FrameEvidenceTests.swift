import EarshotBasics
import EarshotCoding
import RealModule
import TestSupport
import Testing

@testable import EarshotModem

/// The evidence from energies that are set by hand, and the limits at which a path is believed.
@Suite(.optimized) struct FrameEvidenceTests {
    /// Energies of a token's frame: noise of mean 1 and, on the path and the sync pattern, `level(symbol)`.
    private struct Scene {
        let profile: Profile
        let tones: [UInt8]
        var energies: [Float]

        init(_ profile: Profile, random: inout SeededGenerator, level: (Int) -> Float) {
            let (layout, toneCount) = (FrameLayout.token, profile.toneCount)
            var energies = (0..<(layout.toneCount + ToneMetrics.echoSymbolCount) * toneCount).map { _ in
                -Float.log(Float.random(in: 1e-6...1, using: &random))
            }
            let tones = (0..<layout.dataToneCount).map { _ in
                UInt8.random(in: 0..<UInt8(toneCount), using: &random)
            }
            for (index, tone) in profile.syncTones.enumerated() {
                let symbol = FrameLayout.syncPlace(index)
                energies[symbol * toneCount + tone] = level(symbol)
            }
            for (step, tone) in tones.enumerated() {
                let symbol = layout.dataPlace(step)
                energies[symbol * toneCount + Int(tone)] = level(symbol)
            }
            (self.profile, self.tones, self.energies) = (profile, tones, energies)
        }

        func evidence(erased: ErasedSymbols = ErasedSymbols()) -> FrameEvidence {
            var metrics = ToneMetrics(
                maximumSymbolCount: FrameLayout.token.toneCount + ToneMetrics.echoSymbolCount,
                maximumToneCount: profile.toneCount)
            var held = energies
            for symbol in 0..<FrameLayout.token.toneCount where erased.contains(symbol) {
                for tone in 0..<profile.toneCount { held[symbol * profile.toneCount + tone] = 0 }
            }
            metrics.prepare(
                held, erased: erased, toneCount: profile.toneCount, frameSymbolCount: FrameLayout.token.toneCount)
            return EvidenceMeter.measure(tones, held, metrics, .token, profile)
        }
    }

    /// In a steady frame of 20 dB L = ln(1 + 100/N) with N near 1, every tone is the loudest, and sync tones are as
    /// loud as data tones. A hundredth of its tones, the minimum of N, is 1 as well.
    @Test(arguments: Profile.all) func aSteadyFrameIsBelieved(profile: Profile) {
        var random = SeededGenerator(seed: 63)
        let evidence = Scene(profile, random: &random) { _ in 100 }.evidence()
        // The median of 52 energies is good to 1/√52 = 14 %, which changes L by 0.14.
        #expect(abs(evidence.pathMetric - .log(101)) < 0.3)
        #expect(evidence.pathShare > 0.999 && evidence.isClear && evidence.isBelievable)
        #expect(abs(evidence.syncRatio - 1) < 0.05)
        #expect(abs(evidence.meanToneEnergy - 100) < 1e-3)
    }

    /// A frame of 20 to 60 dB is still believed if a part of it is 40 dB weaker and disappears in the noise.
    @Test(arguments: [100, 1e4, 1e6] as [Float]) func aFrameWithAWeakPartIsBelieved(level: Float) {
        var random = SeededGenerator(seed: 64)
        let evidence = Scene(.standard, random: &random) { (20..<30).contains($0) ? 1e-4 * level : level }.evidence()
        #expect(evidence.isBelievable && evidence.isBelievableCoherent, "\(evidence), seed 64")
    }

    /// A path through noise alone reaches neither the metric nor the share. L of an
    /// exponential energy has a mean of 0.6.
    @Test(arguments: Profile.all) func aPathThroughNoiseIsNot(profile: Profile) {
        var random = SeededGenerator(seed: 65)
        let evidence = Scene(profile, random: &random) { _ in -Float.log(0.5) }.evidence()
        #expect(evidence.pathMetric < 0.8 && !evidence.isBelievable && !evidence.isBelievableCoherent)
    }

    /// Symbols that were lost change no mean.
    @Test func erasedSymbolsDoNotCount() {
        var random = SeededGenerator(seed: 66)
        var erased = ErasedSymbols()
        for symbol in [3, 20, 21, 40] { erased.insert(symbol) }
        let evidence = Scene(.standard, random: &random) { _ in 100 }.evidence(erased: erased)
        #expect(abs(evidence.pathMetric - .log(101)) < 0.3 && abs(evidence.syncRatio - 1) < 0.05)
        #expect(abs(evidence.meanToneEnergy - 100) < 1e-3)
    }

    /// Each limit alone decides.
    @Test func everyLimitCounts() {
        func evidence(_ change: (inout FrameEvidence) -> Void) -> FrameEvidence {
            var evidence = FrameEvidence(
                pathMetric: 2, pathShare: 0.9, syncRatio: 1, meanToneEnergy: 10)
            change(&evidence)
            return evidence
        }
        #expect(evidence { _ in }.isBelievable && evidence { _ in }.isBelievableCoherent)
        let changes: [(inout FrameEvidence) -> Void] = [
            { $0.pathMetric = 1.05 }, { $0.pathShare = 0.5 }, { $0.syncRatio = 0.2 }, { $0.syncRatio = 1.6 },
        ]
        for change in changes {
            #expect(!evidence(change).isBelievable && !evidence(change).isBelievableCoherent)
        }
        // A frame must exceed its decoy by more if noise could fit as well.
        let steady = evidence { _ in }
        #expect(steady.minimumMarginOverDecoy(fit: 3) == 0 && steady.minimumMarginOverDecoy(fit: 1.5) == 0.01)
    }
}
