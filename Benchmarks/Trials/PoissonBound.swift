import RealModule

/// The upper limit of the mean of a rare event, given its count: the λ with which so low a
/// count occurs once in twenty times.
///
///     Σ_{i ≤ k} e^{−λ}·λ^i / i! = 1 − confidence,   k = 0: λ = −ln(1 − confidence) = 3.0 for 95 %
///
/// Source: Garwood, Fiducial limits for the Poisson distribution, Biometrika 28 (1936).
package enum PoissonBound {
    /// λ by bisection, with a relative error of 10⁻⁹.
    /// - Parameters:
    ///   - count: k, the events seen; 0 or more.
    ///   - confidence: 0 ..< 1.
    package static func upper(count: Int, confidence: Double = 0.95) -> Double {
        precondition(count >= 0 && (0..<1).contains(confidence), "\(count) events, confidence \(confidence)")
        var low = 0.0
        var high = 10 + 3 * Double(count)
        while high - low > 1e-9 * high {
            let middle = (low + high) / 2
            if shareAtMost(count, mean: middle) > 1 - confidence { low = middle } else { high = middle }
        }
        return (low + high) / 2
    }

    /// The share of draws of a Poisson variable that are at most `count`.
    private static func shareAtMost(_ count: Int, mean: Double) -> Double {
        (0...count).reduce(0) { sum, i in
            sum + .exp(Double(i) * .log(mean) - mean - .logGamma(Double(i) + 1))
        }
    }
}
