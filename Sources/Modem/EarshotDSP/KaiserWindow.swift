import RealModule

/// The Kaiser window, from which the FIR filters of this module are designed.
///
///     w(u) = I₀(β·√(1 − u²)) / I₀(β),  |u| ≤ 1
///
/// | stopband attenuation | β |
/// |---|---|
/// | 50 dB | 4.55 |
/// | 60 dB | 5.65 |
/// | 80 dB | 7.86 |
///
/// Source: Kaiser, Nonrecursive digital filter design using the I₀-sinh window function, ISCAS 1974.
public struct KaiserWindow: Sendable {
    /// β: a larger one gives more stopband attenuation and a wider transition.
    public let beta: Double
    private let normalisation: Double

    /// Creates the window for a stopband A below the passband: β = 0.1102·(A − 8.7).
    /// - Parameter attenuationDecibels: A, 50 dB or more.
    public init(attenuationDecibels: Double) {
        precondition(attenuationDecibels >= 50, "the formula holds from 50 dB up, not \(attenuationDecibels)")
        beta = 0.1102 * (attenuationDecibels - 8.7)
        normalisation = 1 / besselI0(beta)
    }

    /// w(u), 0 ... 1; zero for |u| > 1.
    public func callAsFunction(_ u: Double) -> Double {
        abs(u) > 1 ? 0 : besselI0(beta * (1 - u * u).squareRoot()) * normalisation
    }
}
