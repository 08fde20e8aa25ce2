import RealModule

extension Reference {
    /// Mixes to zero, filters, and evaluates each instant n·F/F' on its own:
    ///
    ///     y[n] = 2 · Σₖ x[k]·e^{−j2πf₀k/F}·h(k − t) / Σₖ h(k − t),   t = n·F/F'
    ///
    /// h is the ideal low-pass of cutoff F'/2, truncated by a Kaiser window of 60 dB and a length of `spanSeconds`.
    public static func downconvert(
        _ x: [Double], inputRateHertz: Int, outputRateHertz: Int, centreHertz: Int, spanSeconds: Double,
        outputCount: Int
    ) -> [ComplexDouble] {
        let ratio = Double(inputRateHertz) / Double(outputRateHertz)
        let halfSpan = spanSeconds * Double(inputRateHertz) / 2
        let beta = 0.1102 * (60 - 8.7)
        return (0..<outputCount).map { n in
            let t = Double(n) * ratio
            var sum = ComplexDouble()
            var gain = 0.0
            for k in Int((t - halfSpan).rounded(.up))...Int(t + halfSpan) {
                let u = Double(k) - t
                let sinc = u == 0 ? 1 : Double.sin(.pi * u / ratio) / (.pi * u / ratio)
                let h = sinc * besselI0(beta * max(0, 1 - u * u / (halfSpan * halfSpan)).squareRoot())
                gain += h
                guard x.indices.contains(k) else { continue }
                let turns = Double(k * centreHertz % inputRateHertz) / Double(inputRateHertz)
                sum += 2 * h * x[k] * .phasor(turns: -turns)
            }
            return sum / gain
        }
    }

    /// I₀(x) = 1/π · ∫ e^{x·cos θ} dθ over 0 … π, by the midpoint rule with 32 points, which for a periodic function
    /// converges faster than any power: good to 1e-15 up to x = 25.
    public static func besselI0(_ x: Double) -> Double {
        midpointCosines.reduce(0) { $0 + .exp(x * $1) } / Double(midpointCosines.count)
    }

    private static let midpointCosines = (0..<32).map { Double.cos(.pi * (Double($0) + 0.5) / 32) }
}
