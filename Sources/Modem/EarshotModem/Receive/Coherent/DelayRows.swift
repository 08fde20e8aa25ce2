import CEarshotKernels
import EarshotDSP

/// Rows of complex numbers, one for each of D delays. Eight are computed at once. No allocation after `init`.
struct DelayRows {
    /// The number of elements of a row: D or more, a multiple of eight. Those from D on are zero.
    private let width: Int
    /// The two parts of each number; shape [rowCount][width].
    private var (real, imaginary): ([Float], [Float])

    init(rowCount: Int, delayCount: Int) {
        width = (delayCount + 7) / 8 * 8
        (real, imaginary) = (
            [Float](repeating: 0, count: rowCount * width), [Float](repeating: 0, count: rowCount * width)
        )
    }

    subscript(row: Int, delay: Int) -> ComplexSample {
        get { ComplexSample(real[row * width + delay], imaginary[row * width + delay]) }
        set { (real[row * width + delay], imaginary[row * width + delay]) = (newValue.x, newValue.y) }
    }

    /// Sets rows to zero.
    mutating func clear(_ rows: Range<Int>) {
        for index in rows.lowerBound * width..<rows.upperBound * width { (real[index], imaginary[index]) = (0, 0) }
    }

    /// Writes the sum of rows into one row of another table with the same number of delays:
    ///
    ///     target[d] = Σᵢ self[first + i][d]·factors[i·step mod period],   0 ≤ i < count
    ///
    /// Cost: count·D complex products, eight at once.
    func writeSum(
        _ rows: Range<Int>, times factors: [ComplexSample], step: Int = 1, period: Int, into target: inout DelayRows,
        row: Int = 0
    ) {
        let (first, last, place) = (rows.lowerBound * width, rows.upperBound * width, row * width)
        precondition(
            first >= 0 && last <= real.count && target.width == width && place + width <= target.real.count
                && (0...period).contains(step) && (1...factors.count).contains(period),
            "rows \(rows) of \(real.count / width), \(factors.count) factors")
        factors.withUnsafeBufferPointer { factors in
            target.real.withUnsafeMutableBufferPointer { targetReal in
                target.imaginary.withUnsafeMutableBufferPointer { targetImaginary in
                    real.withUnsafeBufferPointer { real in
                        imaginary.withUnsafeBufferPointer { imaginary in
                            earshot_turned_sums(
                                real.baseAddress! + first, imaginary.baseAddress! + first, width, rows.count,
                                factors.baseAddress!.pairs, step, period,
                                targetReal.baseAddress! + place, targetImaginary.baseAddress! + place)
                        }
                    }
                }
            }
        }
    }
}
