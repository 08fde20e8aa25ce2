import RealModule

/// The modified Bessel function of the first kind and order zero, by its power series.
///
///     I₀(x) = Σₖ ((x/2)^k / k!)²
///
/// Summed until a term is negligible: exact to a few ulps for finite results, |x| < 700. Cost: 11 terms for x = 1, 36
/// for x = 20.
public func besselI0(_ x: Double) -> Double {
    var sum = 1.0
    var term = 1.0
    var k = 1.0
    while term > 1e-17 * sum {
        term *= (x / (2 * k)) * (x / (2 * k))
        sum += term
        k += 1
    }
    return sum
}

/// ln I₀(x), to 10⁻¹⁰: by the power series, and from 20 on by the asymptotic one.
///
///     I₀(x) ≈ e^x/√(2πx) · Σₖ Πⱼ (2j − 1)²/(8·j·x),   j = 1 ... k
///
/// The log-likelihood of an amplitude of known size and unknown phase in Gaussian noise is of this form.
/// - Parameter x: 0 or more; any size.
/// Source: Abramowitz and Stegun, Handbook of Mathematical Functions, 9.6.12 and 9.7.1.
public func logBesselI0(_ x: Double) -> Double {
    guard x >= 20 else { return .log(besselI0(x)) }
    var (sum, term) = (1.0, 1.0)
    for j in 1...10 {
        let odd = Double(2 * j - 1)
        term *= odd * odd / (8 * Double(j) * x)
        sum += term
    }
    return x - 0.5 * .log(2 * .pi * x) + .log(sum)
}
