import EarshotBasics
import EarshotDSP
import RealModule
import TestSupport
import Testing

/// Every form of a block's kernels, compared with `ShortTimeSpectrum` and with sums written out.
@Suite(.optimized) struct BlockSpectrumTests {
    private static let rowCount = BlockSpectrum.rowCount
    /// Windows and highest bins of the three profiles, and others: odd, even, none, the highest.
    private static let shapes = [(32, 18), (64, 36), (128, 72), (32, 20), (64, 51), (128, 116), (128, 0)]

    @Test(arguments: KernelForm.all)
    func equalsTheShortTimeSpectrum(form: KernelForm) {
        for (window, highestBin) in Self.shapes {
            let spectrum = BlockSpectrum(windowLength: window, highestBin: highestBin, form: form)
            var twin = ShortTimeSpectrum(
                windowLength: window, hop: window / 4, rowCount: Self.rowCount, highestBin: highestBin)
            #expect(spectrum.inputCount == twin.inputCount && spectrum.binCount == 2 * highestBin + 1)
            for seed in 1...2 as ClosedRange<UInt64> {
                var random = SeededGenerator(seed: seed)
                let x = random.complex(spectrum.inputCount)
                var energies = [Float](repeating: -1, count: spectrum.binCount * Self.rowCount)
                spectrum.process(x.span, into: &energies)
                var expected = [Float](repeating: 0, count: Self.rowCount * twin.rowStride)
                twin.process(x.span, into: &expected, from: 0)
                for row in 0..<Self.rowCount {
                    for bin in 0..<spectrum.binCount {
                        // Twice the tolerance of ShortTimeSpectrum's own test, because both results round.
                        let error = abs(energies[bin * Self.rowCount + row] - expected[row * twin.rowStride + bin])
                        #expect(error < 4e-6, "row \(row), bin \(bin) of \(window), \(form), seed \(seed)")
                    }
                }
            }
        }
    }

    /// The floor of a block is that of every other row, with lost rows and without.
    @Test(arguments: KernelForm.all)
    func theFloorIsThatOfEveryOtherRow(form: KernelForm) {
        for binCount in [37, 73, 145] {
            var random = SeededGenerator(seed: UInt64(binCount))
            var floor = NoiseFloor(binCount: binCount, form: form)
            var twin = NoiseFloor(binCount: binCount)
            for block in 0..<12 {
                let shares: [Float] =
                    block % 3 == 0
                    ? [] : (0..<Self.rowCount).map { _ in [0, 0.2, 0.5, 1, 1, 1].randomElement(using: &random)! }
                // No row is louder than the others, so `RowLevels` changes none.
                let energies = (0..<binCount * Self.rowCount).map { index in
                    Float.random(in: 0.5...1.5, using: &random) * (shares.isEmpty ? 1 : shares[index % Self.rowCount])
                }
                floor.update(block: energies, heldShares: shares)
                let rows = stride(from: 0, to: Self.rowCount, by: 2).flatMap { row in
                    (0..<binCount).map { energies[$0 * Self.rowCount + row] }
                }
                let rowShares = stride(from: 0, to: shares.count, by: 2).map { shares[$0] }
                twin.update(rows, from: 0, rowCount: 16, rowStride: binCount, heldShares: rowShares)
                for (value, expected) in zip(floor.inverseFloor, twin.inverseFloor) {
                    // Sums of sixteen in another order.
                    #expect(abs(value / expected - 1) < 1e-5, "block \(block), \(form), seed \(binCount)")
                }
            }
        }
    }
}
