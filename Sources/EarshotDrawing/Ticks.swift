import RealModule

/// Round places on an axis.
package struct Ticks: Equatable {
    /// Rising.
    package let values: [Double]
    /// How many digits behind the point tell them apart.
    package let decimals: Int

    /// Multiples of 1, 2 or 5 times a power of ten, in steps as small as leave room: at most `count` steps in a range.
    /// - Parameters:
    ///   - range: both ends included, where they are round. Longer than nothing.
    ///   - count: 1 or more.
    package init(in range: ClosedRange<Double>, count: Int) {
        let span = range.upperBound - range.lowerBound
        precondition(span > 0 && span.isFinite && count >= 1, "no \(count) steps from \(range)")
        // A step that fits but for rounding errors fits.
        let rough = span / Double(count) * (1 - 1e-9)
        let exponent = Int(Double.log10(rough).rounded(.down))
        let power = Double.exp10(Double(exponent))
        let factor = [1.0, 2, 5, 10].first { $0 * power >= rough } ?? 10
        decimals = max(0, -exponent - (factor == 10 ? 1 : 0))
        // Whole numbers divided are nearer to what their digits say than fractions multiplied.
        func value(_ index: Double) -> Double {
            exponent < 0 ? index * factor / .exp10(Double(-exponent)) : index * factor * power
        }
        let step = factor * power
        let first = (range.lowerBound / step - 1e-6).rounded(.up)
        let last = (range.upperBound / step + 1e-6).rounded(.down)
        values = first > last ? [] : stride(from: first, through: last, by: 1).map(value)
    }

    /// The powers of ten in a range, both ends included.
    package static func decades(in range: ClosedRange<Double>) -> [Double] {
        precondition(range.lowerBound > 0 && range.upperBound.isFinite, "no logarithms of \(range)")
        let first = Int((Double.log10(range.lowerBound) - 1e-9).rounded(.up))
        let last = Int((Double.log10(range.upperBound) + 1e-9).rounded(.down))
        return first > last ? [] : (first...last).map { .exp10(Double($0)) }
    }
}
