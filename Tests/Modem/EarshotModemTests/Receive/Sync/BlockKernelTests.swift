import CEarshotKernels
import EarshotBasics
import EarshotDSP
import TestSupport
import Testing

/// Every form of the kernels that make cells and scores of a block's energies, compared with the formulas written out.
@Suite(.optimized) struct BlockKernelTests {
    private static let rowCount = 32

    @Test(arguments: KernelForm.all)
    func cellsSaturate(form: KernelForm) {
        let (binCount, stride, c) = (37, 50, Float(3))
        var random = SeededGenerator(seed: 71)
        // From far below the noise to where products overflow.
        let energies = (0..<binCount * Self.rowCount).map { _ in
            Float.random(in: 0...1, using: &random) * [1e-9, 1, 1e4, 1e30].randomElement(using: &random)!
        }
        let inverse = (0..<binCount).map { _ in Float.random(in: 0.1...10, using: &random) }
        var cells = [Float](repeating: -1, count: binCount * stride)
        earshot_block_saturate(form.number, energies, binCount, inverse, c, &cells, stride)
        for bin in 0..<binCount {
            for row in 0..<stride {
                let cell = cells[bin * stride + row]
                guard row < Self.rowCount else {
                    #expect(cell == -1)
                    continue
                }
                let x = Double(energies[bin * Self.rowCount + row]) * Double(inverse[bin])
                // c − c²/(c + x): three roundings of values up to c.
                #expect(
                    abs(Double(cell) - 3 * x / (3 + x)) < 3 * 3 * 0x1p-23, "bin \(bin), row \(row), \(form), seed 71")
            }
        }
    }

    @Test(arguments: KernelForm.all)
    func scoresAreSumsOfEight(form: KernelForm) {
        let (offsetCount, stride, sumStride) = (11, 150, 40)
        var random = SeededGenerator(seed: 72)
        let cells = (0..<(2 * 31 + offsetCount) * stride).map { _ in Float.random(in: 0...3, using: &random) }
        let firsts = (0..<8).map { 2 * Int.random(in: 0...31, using: &random) * stride + 4 * $0 + 7 }
        var sums = [Float](repeating: -1, count: offsetCount * sumStride)
        var maxima = [Float](repeating: -1, count: Self.rowCount)
        earshot_block_patterns(form.number, cells, firsts, stride, offsetCount, &sums, sumStride, &maxima)
        for row in 0..<Self.rowCount {
            var highest: Float = 0
            for offset in 0..<offsetCount {
                let expected = firsts.reduce(Float(0)) { $0 + cells[offset * stride + $1 + row] }
                let sum = sums[offset * sumStride + row]
                // Eight additions of sums below 24, in another order.
                #expect(abs(sum - expected) < 8 * 24 * 0x1p-24, "row \(row), offset \(offset), \(form), seed 72")
                highest = max(highest, sum)
            }
            #expect(maxima[row] == highest, "row \(row), \(form), seed 72")
        }
        #expect(sums[Self.rowCount..<sumStride].allSatisfy { $0 == -1 })
    }

    @Test(arguments: KernelForm.all, [(1, 1), (5, 1), (4, 2)])
    func driftsRaiseSums(form: KernelForm, drifts: (reach: Int, step: Int)) {
        let (offsetCount, stride, sumStride, extra) = (11, 150, 40, Float(0.75))
        var random = SeededGenerator(seed: 73)
        let cells = (0..<(2 * 31 + offsetCount) * stride).map { _ in Float.random(in: 0...3, using: &random) }
        let firsts = (0..<8).map { 2 * Int.random(in: 0...31, using: &random) * stride + 4 * $0 + 7 }
        var sums = [Float](repeating: -1, count: offsetCount * sumStride)
        var maxima = [Float](repeating: -1, count: Self.rowCount)
        earshot_block_patterns(form.number, cells, firsts, stride, offsetCount, &sums, sumStride, &maxima)
        let plain = sums
        var groups = [Float](repeating: 0, count: offsetCount * 2 * Self.rowCount)
        earshot_block_drifts(
            form.number, cells, firsts, stride, offsetCount, drifts.reach, drifts.step, extra, &groups, &sums,
            sumStride,
            &maxima)
        var raisedCount = 0
        for row in 0..<Self.rowCount {
            var highest: Float = 0
            for offset in 0..<offsetCount {
                var expected = plain[offset * sumStride + row]
                for drift in Swift.stride(from: -drifts.reach, through: drifts.reach, by: drifts.step) where drift != 0
                {
                    // Half of an odd drift is rounded towards higher first groups.
                    let first = offset - Int((Double(drift) / 2).rounded(.down))
                    let second = first + drift
                    guard (0..<offsetCount).contains(first), (0..<offsetCount).contains(second) else { continue }
                    let sum = (0..<8).reduce(Float(0)) {
                        $0 + cells[($1 < 4 ? first : second) * stride + firsts[$1] + row]
                    }
                    expected = max(expected, sum - extra)
                }
                let sum = sums[offset * sumStride + row]
                #expect(abs(sum - expected) < 8 * 24 * 0x1p-24, "row \(row), offset \(offset), \(form), seed 73")
                raisedCount += sum > plain[offset * sumStride + row] ? 1 : 0
                highest = max(highest, sum)
            }
            #expect(maxima[row] == highest, "row \(row), \(form), seed 73")
        }
        #expect(raisedCount > 0)
        #expect(sums[Self.rowCount..<sumStride].allSatisfy { $0 == -1 })
    }
}
