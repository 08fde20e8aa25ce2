import RealModule

/// Round positions on an axis.
package struct Ticks: Equatable {
    /// The positions, ascending.
    package let values: [Double]
    /// The number of decimals that distinguishes them, ≥ 0.
    package let decimals: Int

    /// Multiples of 1, 2 or 5 times a power of ten, in the smallest steps that give at most `count` steps in a range.
    /// - Parameters:
    ///   - range: both ends included, if they are round; not empty.
    ///   - count: the maximum number of steps, ≥ 1.
    package init(in range: ClosedRange<Double>, count: Int) {
        let span = range.upperBound - range.lowerBound
        precondition(span > 0 && span.isFinite && count >= 1, "no \(count) steps from \(range)")
        // A step that fits except for rounding errors counts as fitting.
        let rough = span / Double(count) * (1 - 1e-9)
        let exponent = Int(Double.log10(rough).rounded(.down))
        let power = Double.exp10(Double(exponent))
        let factor = [1.0, 2, 5, 10].first { $0 * power >= rough } ?? 10
        decimals = max(0, -exponent - (factor == 10 ? 1 : 0))
        // Dividing integers gives numbers closer to their decimals than multiplying fractions.
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
