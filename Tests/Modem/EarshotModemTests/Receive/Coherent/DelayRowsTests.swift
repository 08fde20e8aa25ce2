import EarshotBasics
import EarshotDSP
import TestSupport
import Testing

@testable import EarshotModem

/// Sums of rows of delays, compared with the same sums one by one.
@Suite(.optimized) struct DelayRowsTests {
    /// For numbers of delays below, at and above a multiple of eight, and for steps that pass the period's end once and often, up to a whole period. A sum of
    /// `count` products of numbers up to √2 is off by count²·2·2⁻²⁴ at most.
    @Test(arguments: [1, 7, 8, 13, 23, 43], [0, 1, 5, 16, 17]) func sums(delayCount: Int, step: Int) {
        var generator = SeededGenerator(seed: UInt64(delayCount))
        func random() -> ComplexSample { ComplexSample(2 * generator.uniform() - 1, 2 * generator.uniform() - 1) }
        let (rowCount, period) = (21, 17)
        var rows = DelayRows(rowCount: rowCount, delayCount: delayCount)
        for row in 0..<rowCount {
            for delay in 0..<delayCount { rows[row, delay] = random() }
        }
        let factors = (0..<period).map { _ in random() }
        var target = DelayRows(rowCount: 3, delayCount: delayCount)
        let summed = 2..<20
        rows.writeSum(summed, times: factors, step: step, period: period, into: &target, row: 1)
        for delay in 0..<delayCount {
            var (real, imaginary) = (0.0, 0.0)
            for (index, row) in summed.enumerated() {
                let (x, p) = (rows[row, delay], factors[index * step % period])
                real += Double(x.x) * Double(p.x) - Double(x.y) * Double(p.y)
                imaginary += Double(x.x) * Double(p.y) + Double(x.y) * Double(p.x)
            }
            let limit = Double(summed.count * summed.count) * 2 / 16_777_216
            #expect(abs(Double(target[1, delay].x) - real) < limit, "delay \(delay)")
            #expect(abs(Double(target[1, delay].y) - imaginary) < limit, "delay \(delay)")
            #expect(target[0, delay] == ComplexSample() && target[2, delay] == ComplexSample(), "delay \(delay)")
        }
    }

    @Test func rowsAreCleared() {
        var rows = DelayRows(rowCount: 4, delayCount: 9)
        for row in 0..<4 { rows[row, 8] = ComplexSample(1, 2) }
        rows.clear(1..<3)
        #expect((0..<4).map { rows[$0, 8] == ComplexSample() } == [false, true, true, false])
    }
}
