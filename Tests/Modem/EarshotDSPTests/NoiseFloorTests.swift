import EarshotBasics
import EarshotDSP
import RealModule
import TestSupport
import Testing

@Suite(.optimized) struct NoiseFloorTests {
    private static let binCount = 64
    private static let rowCount = 32

    /// Energies of white noise of mean 1 in independent rows: exponentially distributed.
    private func noise(_ random: inout SeededGenerator, mean: Double = 1) -> [[Double]] {
        (0..<Self.rowCount).map { _ in
            (0..<Self.binCount).map { _ in -mean * .log(Double.random(in: 1e-12...1, using: &random)) }
        }
    }

    /// The floor after all blocks, which are given at an offset and with a wider stride, as the receiver does.
    private func floor(_ blocks: [[[Double]]]) -> [Double] {
        var floor = NoiseFloor(binCount: Self.binCount)
        for rows in blocks {
            let energies = [Float](repeating: .nan, count: 5) + rows.flatMap { $0.map { Float($0) } + [.nan, .nan] }
            floor.update(energies, from: 5, rowCount: rows.count, rowStride: Self.binCount + 2)
        }
        return floor.inverseFloor.map { 1 / Double($0) }
    }

    private func blocks(_ count: Int, seed: UInt64, mean: Double = 1) -> [[[Double]]] {
        var random = SeededGenerator(seed: seed)
        return (0..<count).map { _ in noise(&random, mean: mean) }
    }

    private func meanDecibels(_ floor: [Double]) -> Double {
        floor.reduce(0) { $0 + decibels($1) } / Double(floor.count)
    }

    @Test(arguments: [1, 2, 8, 30])
    func equalsTheDefinition(blockCount: Int) {
        let blocks = blocks(blockCount, seed: UInt64(blockCount))
        for (bin, (value, expected)) in zip(floor(blocks), Reference.noiseFloor(blocks)).enumerated() {
            // fastLog2 is good to 0.008 of 3 dB. Its errors usually average out over 32
            // rows, but the limit does not rely on that.
            #expect(abs(decibels(value / expected)) < 0.03, "bin \(bin), seed \(blockCount)")
        }
    }

    /// Lost rows change nothing, and partly lost rows count by the rest.
    @Test func lostRowsDoNotCount() {
        let blocks = blocks(9, seed: 12)
        var whole = NoiseFloor(binCount: Self.binCount)
        var holed = NoiseFloor(binCount: Self.binCount)
        for (index, block) in blocks.enumerated() {
            let rows = block[..<20]
            let left = rows.flatMap { $0.map { Float($0) } }
            whole.update(left, from: 0, rowCount: 20, rowStride: Self.binCount)
            // Every second row lost half of its window, twelve rows are lost entirely, and now and then a whole block.
            let shares = (0..<32).map { $0 < 20 ? ($0 % 2 == 0 ? 1 : Float(0.5)) : 0 }
            let scaled = zip(left, 0...).map { $0 * shares[$1 / Self.binCount] }
            let energies = scaled + [Float](repeating: 0, count: 12 * Self.binCount)
            holed.update(energies, from: 0, rowCount: 32, rowStride: Self.binCount, heldShares: shares)
            if index % 3 == 0 {
                let nothing = [Float](repeating: 0, count: 32 * Self.binCount)
                let fewShares = (0..<32).map { $0 < 15 ? Float(1) : 0 }
                holed.update(nothing, from: 0, rowCount: 32, rowStride: Self.binCount, heldShares: fewShares)
            }
        }
        let isSame = whole.inverseFloor == holed.inverseFloor
        #expect(isSame, "seed 12")
    }

    /// Smoothing by 1/8 is as good as a mean over 15 blocks. A mean of logarithms over 480 rows has a deviation of
    /// 1.28/√480 = 0.06, or 0.25 dB. The larger of it and the median over bins is 0.4 · 0.25 = 0.1 dB too high.
    @Test(arguments: [1e-10, 1e-3, 1])
    func noiseHasItsOwnLevel(mean: Double) {
        for seed in 1...5 as ClosedRange<UInt64> {
            let floor = floor(blocks(20, seed: seed, mean: mean)).map { $0 / mean }
            #expect(abs(meanDecibels(floor)) < 0.5, "\(meanDecibels(floor)) dB, seed \(seed)")
            #expect(floor.allSatisfy { abs(decibels($0)) < 2 }, "seed \(seed)")
        }
    }

    @Test func aSteadyToneRaisesOnlyItsOwnBins() {
        var blocks = blocks(20, seed: 11)
        for block in blocks.indices {
            for row in blocks[block].indices {
                blocks[block][row][20] += 1_000
                blocks[block][row][21] += 500
            }
        }
        let floor = floor(blocks)
        // All of the tone's power, plus e^γ = 2.5 dB, because it does not fluctuate as noise does.
        #expect(abs(decibels(floor[20] / 1_000) - 2.5) < 0.3)
        #expect(abs(decibels(floor[21] / 500) - 2.5) < 0.3)
        let others = floor.enumerated().filter { $0.offset != 20 && $0.offset != 21 }.map(\.element)
        #expect(abs(meanDecibels(others)) < 0.5, "seed 11")
        #expect(others.allSatisfy { abs(decibels($0)) < 2 }, "seed 11")
    }

    /// A signal 20 dB above the noise, in one bin of 64 at a time. The mean logarithm rises by ln(100)/64 = 0.07,
    /// 0.3 dB. The mean energy, which is the floor's other branch, rises by 100/64, to 4.1 dB over noise alone (1 +
    /// 1.56). A steady tone of that power would raise its bin by 20 dB.
    @Test func aHoppingSignalRaisesTheFloorByItsShareOnly() {
        var random = SeededGenerator(seed: 12)
        var blocks = blocks(20, seed: 13)
        for block in blocks.indices {
            for row in blocks[block].indices {
                blocks[block][row][Int.random(in: 0..<Self.binCount, using: &random)] += 100
            }
        }
        let rise = meanDecibels(floor(blocks))
        #expect(rise > 0 && rise < decibels(1 + 100.0 / 64) + 0.5, "\(rise) dB, seeds 12 and 13")
    }

    /// The floor takes at least −150 dB as noise, so that 1/floor is finite.
    @Test func digitalSilenceHasAFloor() {
        let silence = [[[Double]]](
            repeating: [[Double]](repeating: [Double](repeating: 0, count: Self.binCount), count: Self.rowCount),
            count: 5)
        for value in floor(silence) {
            // e^γ over the minimum power: 2.5 dB.
            #expect(abs(decibels(value / 1e-15) - 2.5) < 0.1)
        }
    }

    /// When the noise rises by 20 dB, the first block already counts by half, so that one block later the floor is at
    /// most 3 dB short. When the noise falls by 20 dB, the floor follows slowly, with a memory of eight blocks.
    @Test func risesAtOnceAndFallsSlowly() {
        let quiet = blocks(20, seed: 14)
        let loud = blocks(1, seed: 15, mean: 100)
        let risen = meanDecibels(floor(quiet + loud))
        #expect(risen > 20 - 3.5 && risen < 20, "\(risen) dB, seeds 14 and 15")
        let fallen = meanDecibels(floor(blocks(20, seed: 16, mean: 100) + blocks(1, seed: 17)))
        #expect(fallen > 16 && fallen < 20, "\(fallen) dB, seeds 16 and 17")
        let settled = meanDecibels(floor(blocks(20, seed: 18, mean: 100) + blocks(60, seed: 19)))
        #expect(abs(settled) < 0.6, "\(settled) dB, seeds 18 and 19")
    }
}
