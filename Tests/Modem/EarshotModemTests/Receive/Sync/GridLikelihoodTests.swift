import CEarshotKernels
import EarshotBasics
import EarshotCoding
import EarshotDSP
import RealModule
import TestSupport
import Testing

@testable import EarshotModem

/// Λ on the search's grid, compared with its formula, and how well it tells frames from noise.
@Suite(.optimized) struct GridLikelihoodTests {
    private static let binStride = SearchCells.stride
    private static let offsetCount = 11
    private static let row = 3

    /// Cells of noise, E/N exponentially distributed and independent.
    private func noise(_ random: inout SeededGenerator) -> SearchCells {
        let cells = SearchCells(binCount: 2 * 31 + Self.offsetCount)
        for index in cells.values.indices {
            cells.values[index] = cell(-Float.log(Float.random(in: 1e-6...1, using: &random)))
        }
        for row in cells.heldShares.indices { cells.heldShares[row] = 1 }
        return cells
    }

    private func cell(_ x: Float) -> Float { x / (1 + x / SyncSearch.saturation) }

    /// Puts a frame of random tones into noise, at an energy of `ratio` over noise.
    private func add(_ ratio: Float, to cells: SearchCells, offset: Int, _ random: inout SeededGenerator) {
        for symbol in 0..<GridLikelihood.maximumSymbolCount {
            let tone =
                FrameLayout.syncIndex(at: symbol).map { Profile.standard.syncTones[$0] }
                ?? Int.random(in: 0..<32, using: &random)
            let index = (offset + 2 * tone) * Self.binStride + Self.row + 4 * symbol
            // A constant and noise: |√ratio + z|², z complex with |z|² of mean 1.
            let z =
                unitPhasor(turns: Double.random(in: 0..<1, using: &random))
                * (-Float.log(Float.random(in: 1e-6...1, using: &random))).squareRoot()
            cells.values[index] = cell((ComplexSample(ratio.squareRoot(), 0) + z).power)
        }
    }

    @Test(arguments: KernelForm.all)
    func sumsEqualTheFormula(form: KernelForm) {
        var random = SeededGenerator(seed: 81)
        let table = (0..<64).map { _ in Float.random(in: 0...9, using: &random) }
        // Below 0 and beyond the table too.
        let cells = (0..<40 * 70).map { _ in Float.random(in: -1...4, using: &random) }
        var sums = [Float](repeating: 0, count: 16)
        earshot_grid_ratios(form.number, cells, 70, 40, table, 64 / 3, nil, &sums)
        for symbol in 0..<16 {
            var expected: Float = 0
            for tone in 0..<40 {
                expected += table[min(max(Int(cells[70 * tone + 4 * symbol] * (64 / 3)), 0), 63)]
            }
            #expect(sums[symbol] == expected, "symbol \(symbol), \(form), seed 81")
        }
    }

    /// Λ equals that of `FrameLikelihood` within the steps of its table: 64 of c, which
    /// are a tenth of φ where most cells are.
    @Test func equalsTheLikelihoodOfFrames() {
        var random = SeededGenerator(seed: 82)
        var grid = GridLikelihood(profile: .standard)
        grid.prepare(.alone(0))
        let likelihood = FrameLikelihood()
        for round in 0..<20 {
            let cells = noise(&random)
            if round % 2 == 0 { add(4, to: cells, offset: 5, &random) }
            let symbolCount = FrameLayout.syncSpanToneCount + round % 12
            let first = 5 * Self.binStride + Self.row
            let energies = (0..<symbolCount).flatMap { symbol in
                (0..<32).map { tone in
                    let c = cells.values[first + 2 * tone * Self.binStride + 4 * symbol]
                    return c / (1 - c / SyncSearch.saturation)
                }
            }
            let expected = likelihood.logRatio(
                energies, inverseNoise: [Float](repeating: 1, count: 32), profile: .standard, symbols: 0..<symbolCount,
                erased: ErasedSymbols())
            let ratio =
                grid.syncLogRatio([cells], from: first)
                + grid.dataLogRatio([cells], from: first, symbolCount: symbolCount)
            #expect(abs(ratio - expected) < 2.5, "\(ratio), not \(expected), round \(round), seed 82")
        }
    }

    /// A tone has 5.8 dB, of which the grid loses half a decibel. By the table of `FrameDetection` a frame has Λ of 32
    /// ± 10 after 32 symbols, and noise −23 ± 6 anywhere.
    @Test func tellsFramesFromNoise() {
        var random = SeededGenerator(seed: 83)
        var grid = GridLikelihood(profile: .standard)
        var (likelyFrames, likelyNoise) = (0, 0)
        for _ in 0..<200 {
            let cells = noise(&random)
            let isNoiseLikely = grid.isLikely(
                [cells], .alone(0), row: Self.row, offset: 5, offsetCount: Self.offsetCount, symbolCount: 32)
            likelyNoise += isNoiseLikely ? 1 : 0
            add(3.4, to: cells, offset: 4, &random)
            // Beside its place too.
            let isFrameLikely = grid.isLikely(
                [cells], .alone(0), row: Self.row, offset: 5, offsetCount: Self.offsetCount, symbolCount: 32)
            likelyFrames += isFrameLikely ? 1 : 0
        }
        #expect(likelyFrames >= 197, "\(likelyFrames), seed 83")
        #expect(likelyNoise <= 4, "\(likelyNoise), seed 83")
    }

    /// Two channels that each hear a frame at 2 dB less tell it from noise as well as one does. A channel without
    /// weight changes nothing, and a symbol that one of them lost does not count.
    @Test func severalChannelsTellFramesFromNoise() {
        var random = SeededGenerator(seed: 84)
        var (one, two) = (GridLikelihood(profile: .standard), GridLikelihood(profile: .standard, channelCount: 2))
        let equal = ChannelShares(weights: [1, 1, 0, 0, 0, 0, 0, 0])
        var (likelyFrames, likelyNoise) = (0, 0)
        for _ in 0..<200 {
            let cells = [noise(&random), noise(&random)]
            func isLikely(_ shares: ChannelShares) -> Bool {
                two.isLikely(
                    cells, shares, row: Self.row, offset: 5, offsetCount: Self.offsetCount, symbolCount: 32)
            }
            likelyNoise += isLikely(equal) ? 1 : 0
            let seed = UInt64.random(in: 0...1_000_000, using: &random)
            for channel in 0..<2 {
                // The same tones in both channels, the noise each its own.
                var tones = SeededGenerator(seed: seed)
                for _ in 0..<channel { _ = Float.random(in: 0...1, using: &random) }
                add(2.1, to: cells[channel], offset: 5, &tones)
            }
            likelyFrames += isLikely(equal) ? 1 : 0
            two.prepare(.alone(1))
            one.prepare(.alone(0))
            let first = 5 * Self.binStride + Self.row
            #expect(two.syncLogRatio(cells, from: first) == one.syncLogRatio([cells[1]], from: first), "seed 84")
            #expect(
                two.dataLogRatio(cells, from: first, symbolCount: 32)
                    == one.dataLogRatio([cells[1]], from: first, symbolCount: 32), "seed 84")
        }
        #expect(likelyFrames >= 195, "\(likelyFrames), seed 84")
        #expect(likelyNoise <= 6, "\(likelyNoise), seed 84")
        let cells = [noise(&random), noise(&random)]
        two.prepare(equal)
        let first = 5 * Self.binStride + Self.row
        let all = two.dataLogRatio(cells, from: first, symbolCount: 17)
        for symbol in 4..<13 { cells[1].heldShares[Self.row + 4 * symbol] = 0.5 }
        #expect(all != 0 && two.dataLogRatio(cells, from: first, symbolCount: 17) == 0, "seed 84")
    }

    /// With a drifting frame's own drift, the grid tells it from noise. Without the drift it finds
    /// fewer, although the limit is lower there.
    @Test(arguments: [-5, -1, 2, 5]) func followsADrift(drift: Int) {
        var random = SeededGenerator(seed: 85)
        var grid = GridLikelihood(profile: .standard)
        var (likely, likelyWithout) = (0, 0)
        for _ in 0..<200 {
            let cells = noise(&random)
            let first = 5 - (drift >> 1)
            let other = noise(&random)
            add(3.4, to: cells, offset: first, &random)
            add(3.4, to: other, offset: first + drift, &random)
            // After the first group's end all symbols are those of a frame at a higher offset.
            for bin in 0..<2 * 31 + Self.offsetCount {
                for row in Self.row + 4 * FrameLayout.syncGroupToneCount..<SearchCells.stride {
                    cells.values[bin * Self.binStride + row] = other.values[bin * Self.binStride + row]
                }
            }
            func isLikely(_ drift: Int) -> Bool {
                grid.isLikely(
                    [cells], .alone(0), row: Self.row, offset: first, drift: drift, offsetCount: Self.offsetCount,
                    symbolCount: 32)
            }
            likely += isLikely(drift) ? 1 : 0
            likelyWithout += isLikely(0) ? 1 : 0
        }
        #expect(likely >= 197, "\(likely), seed 85")
        #expect(likelyWithout < likely, "\(likelyWithout), seed 85")
    }
}
