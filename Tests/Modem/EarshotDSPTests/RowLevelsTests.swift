import EarshotBasics
import EarshotDSP
import RealModule
import TestSupport
import Testing

/// The levels of a block's rows, through the floor that owns them.
@Suite(.optimized) struct RowLevelsTests {
    private static let binCount = 64
    private static let rowCount = BlockSpectrum.rowCount

    /// Energies of white noise in independent rows; shape [binCount][rowCount].
    private func noise(_ random: inout SeededGenerator, level: (_ row: Int) -> Double = { _ in 1 }) -> [Float] {
        (0..<Self.binCount * Self.rowCount).map { index in
            Float(-level(index % Self.rowCount) * .log(Double.random(in: 1e-12...1, using: &random)))
        }
    }

    private func meanDecibels(_ floor: borrowing NoiseFloor) -> Double {
        floor.inverseFloor.reduce(0) { $0 - decibels(Double($1)) } / Double(Self.binCount)
    }

    /// The level of a row of 64 bins has a deviation of π/√6/√64 nepers, 0.7 dB: 3 dB are four deviations.
    @Test func steadyNoiseIsEven() {
        var random = SeededGenerator(seed: 31)
        var floor = NoiseFloor(binCount: Self.binCount)
        var unevenCount = 0
        for _ in 0..<100 {
            floor.update(block: noise(&random))
            unevenCount += floor.rowDeviations == nil ? 0 : 1
        }
        #expect(unevenCount <= 2, "\(unevenCount) of 100 blocks, seed 31")
    }

    /// Half of the rows are 20 dB lower. Levels differ by 20 dB less the tolerance of 3 dB on either side, also for
    /// rows between two equal neighbours. The floor is between the two, so that neither half exceeds 20 dB.
    @Test func aGateMovesItsRows() throws {
        var random = SeededGenerator(seed: 32)
        var floor = NoiseFloor(binCount: Self.binCount)
        for _ in 0..<20 { floor.update(block: noise(&random) { $0 < 16 ? 1 : 0.01 }) }
        let found = floor.rowDeviations
        let deviations = try #require(found)
        let (open, closed) = (deviations[..<15].map { 3.01 * Double($0) }, deviations[16...].map { 3.01 * Double($0) })
        let difference = open.reduce(0, +) / Double(open.count) - closed.reduce(0, +) / Double(closed.count)
        #expect(abs(difference - (20 - 2 * 3.01)) < 1, "\(difference) dB, seed 32")
        #expect(open.allSatisfy { (0..<20).contains($0) } && closed.allSatisfy { (-20..<0).contains($0) })
    }

    /// The first four rows have 1,000 times the noise, as before an automatic gain has settled.
    /// Without the levels, four blocks of 32 rows would have a mean of 1,000·4/128, 15 dB. The mean of
    /// the logarithms rises by 30·4/128 = 0.9 dB.
    @Test func aBurstAtTheStartDoesNotStay() {
        var random = SeededGenerator(seed: 33)
        var floor = NoiseFloor(binCount: Self.binCount)
        floor.update(block: noise(&random) { $0 < 4 ? 1_000 : 1 })
        for _ in 0..<3 { floor.update(block: noise(&random)) }
        let rise = meanDecibels(floor)
        #expect(rise > 0 && rise < 3, "\(rise) dB, seed 33")
    }

    /// A tone hops in digital silence. Its rows are alike, so the floor is its power, spread over the band. The cells
    /// of its side lobes, here 50 dB lower, stay below the floor.
    @Test func aHoppingToneInSilenceIsNoNoise() {
        var random = SeededGenerator(seed: 34)
        var floor = NoiseFloor(binCount: Self.binCount)
        var energies = [Float](repeating: 0, count: Self.binCount * Self.rowCount)
        for _ in 0..<20 {
            energies = noise(&random) { _ in 1e-5 }
            for row in 0..<Self.rowCount {
                energies[Int.random(in: 0..<Self.binCount, using: &random) * Self.rowCount + row] = 1
            }
            floor.update(block: energies)
        }
        let level = meanDecibels(floor)
        #expect(abs(level - decibels(1 / Double(Self.binCount))) < 3, "\(level) dB, seed 34")
        let deviation = (floor.rowDeviations ?? [0]).min() ?? 0
        #expect(3.01 * deviation > -10, "\(3.01 * deviation) dB, seed 34")
    }

    @Test func lostRowsHaveNoLevel() {
        var random = SeededGenerator(seed: 35)
        var floor = NoiseFloor(binCount: Self.binCount)
        for _ in 0..<3 { floor.update(block: noise(&random)) }
        let shares = (0..<Self.rowCount).map { $0 < 20 ? Float(1) : 0 }
        floor.update(block: noise(&random) { $0 < 4 ? 100 : $0 < 20 ? 1 : 0 }, heldShares: shares)
        let deviations = floor.rowDeviations ?? []
        #expect(deviations.count == Self.rowCount && deviations[0] > 3 && deviations[21...].allSatisfy { $0 == 0 })
    }
}
