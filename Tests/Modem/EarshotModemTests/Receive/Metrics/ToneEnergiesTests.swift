import EarshotBasics
import EarshotDSP
import RealModule
import TestSupport
import Testing

@testable import EarshotModem

/// Batches of symbols against the definition, one tone after the other.
@Suite(.optimized) struct ToneEnergiesTests {
    /// Noise of mean power 1 a sample, of which a stretch is lost.
    private func history(_ samples: [ComplexSample], lost: Range<Int>) -> BasebandHistory {
        let history = BasebandHistory(keptCount: samples.count)
        history.append(samples, 0..<lost.lowerBound)
        history.appendLost(lost.count)
        history.append(samples, lost.upperBound..<samples.count)
        return history
    }

    /// Eleven symbols are one batch and part of another. One begins before the input, one
    /// is lost, and one is partly lost.
    @Test(arguments: Profile.all, [false, true])
    func equalTheDefinition(profile: Profile, windowed: Bool) {
        let format = BasebandFormat(profile: profile)
        let (length, toneCount, symbolCount) = (format.samplesPerSymbol, profile.toneCount, 11)
        var random = SeededGenerator(seed: 41)
        let samples = random.complex(14 * length)
        let lost = 5 * length..<6 * length + length / 2
        let history = history(samples, lost: lost)
        var energies = ToneEnergies(format: format)
        var measured = [Float](repeating: -1, count: symbolCount * toneCount)
        let (start, offsetHertz) = (0.3 * Double(length), Float(12.5))
        // First tuned to something else, which must leave no trace.
        energies.measure(history, start: start, offsetHertz: -3, symbolCount: 2, windowed: !windowed, into: &measured)
        let erased = energies.measure(
            history, start: start, offsetHertz: offsetHertz, symbolCount: symbolCount, windowed: windowed,
            into: &measured)
        for symbol in 0..<symbolCount {
            let first = Int((start + Double(symbol) * format.symbolLength(offsetHertz: offsetHertz)).rounded())
            var x = (0..<length).map {
                ComplexDouble(lost.contains(first + $0) ? ComplexSample() : samples[first + $0])
            }
            let heldShare = Double((0..<length).count { !lost.contains(first + $0) }) / Double(length)
            if windowed {
                for n in 0..<length {
                    x[n] = x[n].times(ComplexDouble(0.5 - 0.5 * .cos(2 * .pi * (Double(n) + 0.5) / Double(length)), 0))
                }
            }
            #expect(erased.contains(symbol) == (heldShare < Double(NoiseFloor.minimumHeldShare)))
            for tone in 0..<toneCount {
                let f = Double(format.cyclesPerSample(tone: tone) + format.cyclesPerSample(offsetHertz: offsetHertz))
                let scale = heldShare < Double(NoiseFloor.minimumHeldShare) ? 0 : 1 / heldShare
                let expected = scale * Reference.toneEnergy(x, cyclesPerSample: f)
                // |x|² ≤ 2 a sample, so E ≤ 2; the mixer's phase is good to 2.4e-5, E to twice that, scaled by up to 4.
                #expect(
                    abs(Double(measured[symbol * toneCount + tone]) - expected) < 4e-4,
                    "symbol \(symbol), tone \(tone), seed 41")
            }
        }
    }

    /// Noise tone by tone is the median over the symbols that were not lost, for every number of them.
    @Test func noiseIsTheMedianOfEachTone() {
        var random = SeededGenerator(seed: 42)
        let toneCount = 16
        for symbolCount in [1, 2, 3, 8, 14, 53, 146] {
            let energies = (0..<(symbolCount + ToneMetrics.echoSymbolCount) * toneCount).map { cell in
                // Each tone is far louder than the one before, so only the quietest has the common noise.
                Float.random(in: 1...2, using: &random) * Float(1 << (cell % toneCount))
            }
            var erased = ErasedSymbols()
            for symbol in 0..<symbolCount where symbol % 5 == 3 {
                erased.insert(symbol)
            }
            var metrics = ToneMetrics(maximumSymbolCount: 148, maximumToneCount: toneCount)
            metrics.prepare(energies, erased: erased, toneCount: toneCount, frameSymbolCount: symbolCount)
            let last = toneCount - 1
            let column = (0..<symbolCount).filter { $0 % 5 != 3 }.map { energies[$0 * toneCount + last] }
            let expected = Reference.median(column) / 0.693_147_2
            #expect(abs(metrics.noise(last) / expected - 1) < 1e-6, "\(symbolCount) symbols, seed 42")
        }
    }

    /// Λ of energies above and below the table's end, compared with its formula with the table's own cells.
    @Test func theLikelihoodIsTheMeanOfRatios() {
        var random = SeededGenerator(seed: 43)
        let likelihood = FrameLikelihood()
        for profile in Profile.all {
            let toneCount = profile.toneCount
            let energies = (0..<12 * toneCount).map { _ in Float.random(in: 0...90, using: &random) }
            let inverseNoise = (0..<toneCount).map { _ in Float.random(in: 0.2...1, using: &random) }
            var expected: Float = 0
            for symbol in 8..<12 {
                let inverseLevel = SymbolLevel.inverse(
                    energies.span, from: symbol * toneCount, inverseNoise.span, toneCount)
                let ratios = (0..<toneCount).map {
                    likelihood.ratio(energies[symbol * toneCount + $0] * inverseNoise[$0] * inverseLevel)
                }
                expected += 0.693_147_2 * fastLog2(ratios.reduce(0, +) / Float(toneCount))
            }
            let found = likelihood.logRatio(
                energies, inverseNoise: inverseNoise, profile: profile, symbols: 8..<12, erased: ErasedSymbols())
            // A product rounded differently may fall into the next cell, 1.5 % away.
            #expect(abs(found - expected) < 0.02, "\(profile), seed 43")
        }
    }

    /// If the place drifts, each symbol is measured at its own offset, as along a track.
    @Test(arguments: Profile.all) func followADrift(profile: Profile) {
        let format = BasebandFormat(profile: profile)
        var random = SeededGenerator(seed: 43)
        let symbolCount = 20
        let samples = random.complex((symbolCount + 2) * format.samplesPerSymbol)
        let history = history(samples, lost: 0..<0)
        var place = Candidate(start: 11, offsetHertz: 20, score: 0)
        place.driftHertz = 39
        var energies = ToneEnergies(format: format)
        var measured = [Float](repeating: 0, count: symbolCount * profile.toneCount)
        energies.measure(history, place, symbolCount: symbolCount, into: &measured)
        for (symbol, hertz) in [(0, Float(-4)), (3, 5), (8, 20), (13, 35), (16, 44), (19, 44)] {
            var alone = [Float](repeating: 0, count: symbolCount * profile.toneCount)
            let start = place.start + Double(symbol) * format.symbolLength(offsetHertz: 20)
            energies.measure(history, start: start, offsetHertz: hertz, symbolCount: 1, into: &alone)
            let row = symbol * profile.toneCount..<(symbol + 1) * profile.toneCount
            #expect(measured[row].elementsEqual(alone[..<profile.toneCount]), "symbol \(symbol), seed 43")
        }
    }
}
