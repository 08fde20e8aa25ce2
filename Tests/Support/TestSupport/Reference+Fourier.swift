import RealModule

extension Reference {
    /// X[k] = Σₙ x[n]·e^{−j2πkn/N}. Cost: N².
    public static func dft(_ x: [ComplexDouble]) -> [ComplexDouble] {
        let roots = x.indices.map { ComplexDouble.phasor(turns: -Double($0) / Double(x.count)) }
        return x.indices.map { k in
            x.indices.reduce(ComplexDouble()) { sum, n in sum + x[n].times(roots[k * n % x.count]) }
        }
    }

    /// |1/N · Σₙ x[n]·e^{−j2πfn}|², f in cycles a sample.
    public static func toneEnergy(_ x: [ComplexDouble], cyclesPerSample f: Double) -> Double {
        let sum = x.indices.reduce(ComplexDouble()) { sum, n in sum + x[n].times(.phasor(turns: -f * Double(n))) }
        return sum.power / Double(x.count * x.count)
    }

    /// y[n] = Σₖ x[k]·h[n − k].
    public static func convolve(_ x: [Double], _ h: [Double]) -> [Double] {
        var y = [Double](repeating: 0, count: x.count + h.count - 1)
        for (i, a) in x.enumerated() {
            for (k, b) in h.enumerated() {
                y[i + k] += a * b
            }
        }
        return y
    }
}
