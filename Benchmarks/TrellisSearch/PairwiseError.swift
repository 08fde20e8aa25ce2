import Foundation

/// The signal-to-noise ratio at which the union bound is evaluated.
struct OperatingPoint: Equatable {
    /// Energy per payload bit over noise density, data tones only.
    let bitEnergyDecibels: Double
    let payloadBits: Int
    let steps: Int

    /// γ = Es/N0 = Eb/N0 · payloadBits / steps, as a ratio.
    var toneEnergy: Double {
        pow(10, bitEnergyDecibels / 10) * Double(payloadBits) / Double(steps)
    }
}

/// P2(d), the probability that the squared magnitudes of d empty tones sum to more than those of d sent tones.
enum PairwiseError {
    /// P2(d) = 2^-(2d-1) e^(-dγ/2) Σ_{n<d} c_n (dγ/2)^n,  c_n = 1/n! Σ_{k≤d-1-n} C(2d-1, k)
    ///
    /// For d tones of equal energy, γ = Es/N0 each, phases unknown; P2(0) = 1/2.
    /// Source: Proakis, Digital Communications, square-law combining of L orthogonal signals.
    static func constantAmplitude(distance d: Int, toneEnergy gamma: Double) -> Double {
        guard d > 0 else { return 0.5 }
        let x = Double(d) * gamma / 2
        var sum = 0.0
        var power = 1.0  // x^n / n!
        for n in 0..<d {
            sum += power * (0...(d - 1 - n)).reduce(0) { $0 + binomial(2 * d - 1, $1) }
            power *= x / Double(n + 1)
        }
        return pow(2, -Double(2 * d - 1)) * exp(-x) * sum
    }

    /// P2(d) = p^d Σ_{k<d} C(d-1+k, k) (1-p)^k,  p = 1/(2+γ)
    ///
    /// For d tones that fade independently (Rayleigh) with mean energy γ; P2(0) = 1/2.
    static func rayleigh(distance d: Int, toneEnergy gamma: Double) -> Double {
        guard d > 0 else { return 0.5 }
        let p = 1 / (2 + gamma)
        return pow(p, Double(d)) * (0..<d).reduce(0) { $0 + binomial(d - 1 + $1, $1) * pow(1 - p, Double($1)) }
    }

    static func binomial(_ n: Int, _ k: Int) -> Double {
        (0..<k).reduce(1) { $0 * Double(n - $1) / Double($1 + 1) }
    }
}
