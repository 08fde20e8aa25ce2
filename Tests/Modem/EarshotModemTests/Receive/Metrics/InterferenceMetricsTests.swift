import EarshotBasics
import EarshotCoding
import RealModule
import TestSupport
import Testing

@testable import EarshotModem

/// In a crowd a tone as loud as the sync tones is the likeliest, not the loudest one.
@Suite(.optimized) struct InterferenceMetricsTests {
    private static let layout = FrameLayout.token

    /// A token's frame of level 1 among noise of power `noise` and, in every other symbol, an interferer's tone `interferer` times as
    /// loud as the frame's.
    private func energies(
        _ profile: Profile, noise: Float, interferer: Float, scale: Float = 1, random: inout SeededGenerator
    ) -> (energies: [Float], tones: [Int]) {
        let toneCount = profile.toneCount
        var energies = (0..<Self.layout.toneCount * toneCount).map { _ in
            -scale * noise * .log(Float.random(in: 1e-6...1, using: &random))
        }
        let data = (0..<Self.layout.dataToneCount).map { _ in Int.random(in: 0..<toneCount, using: &random) }
        let tones = FrameLayout.arranged(sync: profile.syncTones, data)
        for (symbol, tone) in tones.enumerated() {
            if FrameLayout.syncIndex(at: symbol) == nil, symbol % 2 == 0 {
                let other = (tone + Int.random(in: 1..<toneCount, using: &random)) % toneCount
                energies[symbol * toneCount + other] = scale * interferer
            }
            energies[symbol * toneCount + tone] = scale * Float.random(in: 0.9...1.1, using: &random)
        }
        return (energies, tones)
    }

    private func metrics(_ energies: [Float], _ profile: Profile, erased: ErasedSymbols = ErasedSymbols()) -> [Float] {
        var metrics = InterferenceMetrics(
            maximumSymbolCount: Self.layout.toneCount, maximumToneCount: profile.toneCount)
        metrics.prepare(energies, erased: erased, profile, symbolCount: Self.layout.toneCount)
        var branch = [Float](repeating: -1, count: Self.layout.dataToneCount * profile.toneCount)
        metrics.writeBranchMetrics(layout: Self.layout, toneCount: profile.toneCount, into: &branch)
        return branch
    }

    /// An interferer 16 dB louder does not win a symbol: the frame's own tone has the largest metric in all of them.
    @Test(arguments: Profile.all) func theLouderToneIsNotTheFrames(profile: Profile) {
        var random = SeededGenerator(seed: 95)
        let (energies, tones) = energies(profile, noise: 0.01, interferer: 40, random: &random)
        let branch = metrics(energies, profile)
        for step in 0..<Self.layout.dataToneCount {
            let row = branch[step * profile.toneCount..<(step + 1) * profile.toneCount]
            #expect(
                row.firstIndex(of: row.max() ?? 0) == step * profile.toneCount + tones[Self.layout.dataPlace(step)],
                "step \(step), seed 95")
        }
    }

    /// No metric is negative or beyond twice the limit of 6, and a change of scale changes nothing: levels are relative to the sync tones.
    @Test(arguments: Profile.all) func levelsAreRelative(profile: Profile) {
        var (random, same) = (SeededGenerator(seed: 96), SeededGenerator(seed: 96))
        let branch = metrics(energies(profile, noise: 0.1, interferer: 10, random: &random).energies, profile)
        let scaled = metrics(
            energies(profile, noise: 0.1, interferer: 10, scale: 0x1p-20, random: &same).energies, profile)
        #expect(branch.allSatisfy { (0...12).contains($0) })
        for (a, b) in zip(branch, scaled) { #expect(abs(a - b) < 0.02, "seed 96") }
    }

    /// A lost symbol favours no tone.
    @Test func erasedSymbolsSayNothing() {
        var (random, erased) = (SeededGenerator(seed: 97), ErasedSymbols())
        for symbol in [12, 30] { erased.insert(symbol) }
        var energies = energies(.standard, noise: 0.1, interferer: 10, random: &random).energies
        for symbol in [12, 30] { for tone in 0..<32 { energies[symbol * 32 + tone] = 0 } }
        let branch = metrics(energies, .standard, erased: erased)
        for step in [8, 22] { #expect(branch[step * 32..<(step + 1) * 32].allSatisfy { $0 == 0 }) }
    }
}
