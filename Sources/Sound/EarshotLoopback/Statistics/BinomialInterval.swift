import RealModule

/// The confidence interval of a share from a count of successes: Wilson's interval.
///
///     (p + z²/2n ± z·√(p(1 − p)/n + z²/4n²)) / (1 + z²/n),   p = successes / n
///
/// Source: Wilson, Probable inference, the law of succession, and statistical inference, JASA 22 (1927).
package struct BinomialInterval: Sendable, Equatable {
    /// The interval's lower end, 0 ... 1.
    package let low: Double
    /// The interval's upper end, 0 ... 1.
    package let high: Double

    /// z of 95 % confidence.
    package static let confidence95 = 1.959_964

    /// - Parameters:
    ///   - successCount: 0 ... trialCount.
    ///   - trialCount: n; without trials the interval is 0 ... 1.
    ///   - z: deviations of the normal distribution on either side.
    package init(successCount: Int, trialCount: Int, z: Double = Self.confidence95) {
        precondition((0...trialCount).contains(successCount), "\(successCount) successes of \(trialCount)")
        guard trialCount > 0 else {
            (low, high) = (0, 1)
            return
        }
        let n = Double(trialCount)
        let p = Double(successCount) / n
        let centre = p + z * z / (2 * n)
        let spread = z * (p * (1 - p) / n + z * z / (4 * n * n)).squareRoot()
        let scale = 1 + z * z / n
        low = successCount == 0 ? 0 : max(0, (centre - spread) / scale)
        high = successCount == trialCount ? 1 : min(1, (centre + spread) / scale)
    }
}
