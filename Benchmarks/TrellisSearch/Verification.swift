import EarshotBasics
import EarshotChannel
import Foundation

/// The slow twins with which `trellis-search verify` checks the fast formulas.
enum Verification {
    /// A_d by walking every path, nil if a walk of zero tones can continue for ever.
    static func spectrumByEnumeration(of code: TrellisCode, maximumWeight: Int) -> [Int]? {
        let stateMask = code.stateCount - 1
        for start in 0..<code.stateCount {
            // States reachable from `start` by zero tones, start → start closes a cycle.
            var seen: Set<Int> = []
            var frontier = [start]
            while let state = frontier.popLast() {
                for pair in 0..<4 where code.tone(state << 2 | pair) == 0 && state << 2 | pair != 0 {
                    let next = (state << 2 | pair) & stateMask
                    if next == start { return nil }
                    if seen.insert(next).inserted { frontier.append(next) }
                }
            }
        }
        var counts = Array(repeating: 0, count: maximumWeight + 1)
        func walk(_ state: Int, _ weight: Int) {
            for pair in 0..<4 {
                let register = state << 2 | pair
                let next = register & stateMask
                let total = weight + (code.tone(register) == 0 ? 0 : 1)
                guard register != 0, total <= maximumWeight else { continue }
                if next == 0 { counts[total] += 1 } else { walk(next, total) }
            }
        }
        walk(0, 0)
        return counts
    }

    /// P2(d) = Σ_K Poisson(K; dγ) Σ_{i<d} C(d+K-1+i, i) 2^-(d+K+i)
    ///
    /// Given K, the sent tones' energy is a Gamma(d + K) variable and the empty tones' one a Gamma(d): the second
    /// exceeds the first if fewer than d of its arrivals come before d + K of the other's.
    static func constantAmplitudeByPoissonSum(distance d: Int, toneEnergy gamma: Double) -> Double {
        let mean = Double(d) * gamma
        var poisson = exp(-mean)
        var total = 0.0
        for arrivals in 0..<Int(mean + 40 * mean.squareRoot() + 40) {
            let inner = (0..<d).reduce(0.0) {
                $0 + PairwiseError.binomial(d + arrivals - 1 + $1, $1) * pow(2, -Double(d + arrivals + $1))
            }
            total += poisson * inner
            poisson *= mean / Double(arrivals + 1)
        }
        return total
    }

    /// ∫ P2(d | energy) · Gamma(energy; d, γ) by the same sum, Poisson mixed over the fade: K is negative binomial.
    static func rayleighByNegativeBinomialSum(distance d: Int, toneEnergy gamma: Double) -> Double {
        let success = gamma / (1 + gamma)
        var probability = pow(1 - success, Double(d))
        var total = 0.0
        for arrivals in 0..<4000 {
            let inner = (0..<d).reduce(0.0) {
                $0 + PairwiseError.binomial(d + arrivals - 1 + $1, $1) * pow(2, -Double(d + arrivals + $1))
            }
            total += probability * inner
            probability *= success * Double(d + arrivals) / Double(arrivals + 1)
        }
        return total
    }

    /// One line for every disagreement; empty if there is none.
    static func failures(seed: UInt64) -> [String] {
        spectrumFailures(seed: seed) + frameFailures(seed: seed) + pairwiseFailures()
    }

    private static func spectrumFailures(seed: UInt64) -> [String] {
        var random = SeededGenerator(seed: seed)
        var failures: [String] = []
        for trial in 0..<600 {
            let memory = 2 + trial % 4
            let toneBits = 2 + trial / 4 % 3
            let code = TrellisCode(
                memory: memory,
                generators: (0..<toneBits).map { _ in UInt32.random(in: 0..<(1 << UInt32(memory + 2)), using: &random) }
            )
            let maximumWeight = 6
            var counter = EventCounter(memory: memory, maximumWeight: maximumWeight)
            let fast = counter.spectrum(of: code)?.eventCounts
            let slow = spectrumByEnumeration(of: code, maximumWeight: maximumWeight)
            if fast != slow {
                failures.append("\(code): spectrum \(fast ?? []) by recursion, \(slow ?? []) by enumeration")
            }
        }
        return failures
    }

    /// Frame spectrum against the weights of all 4^steps encoded frames.
    private static func frameFailures(seed: UInt64) -> [String] {
        var random = SeededGenerator(seed: seed)
        var failures: [String] = []
        let steps = 6
        for _ in 0..<10 {
            let code = TrellisCode(
                memory: 4, generators: (0..<3).map { _ in UInt32.random(in: 0..<64, using: &random) })
            let encoder = TailBitingDecoder(code: code, steps: steps)
            var counts = Array(repeating: 0, count: steps + 1)
            for word in 0..<(1 << (2 * steps)) {
                let tones = encoder.encode((0..<steps).map { word >> (2 * $0) & 3 })
                counts[tones.filter { $0 != 0 }.count] += 1
            }
            let walked = frameSpectrum(of: code, steps: steps, maximumWeight: steps)
            if walked != counts { failures.append("\(code): frame spectrum \(walked), encoded \(counts)") }
        }
        return failures
    }

    /// The limit is 1e-9: both sums have a few hundred positive terms, so rounding stays
    /// near 1e-14, and a wrong coefficient shows.
    private static func pairwiseFailures() -> [String] {
        var failures: [String] = []
        for distance in 1...14 {
            for gamma in [1.0, 4.5, 8.0] {
                let pairs = [
                    (
                        "constant", PairwiseError.constantAmplitude(distance: distance, toneEnergy: gamma),
                        constantAmplitudeByPoissonSum(distance: distance, toneEnergy: gamma)
                    ),
                    (
                        "Rayleigh", PairwiseError.rayleigh(distance: distance, toneEnergy: gamma),
                        rayleighByNegativeBinomialSum(distance: distance, toneEnergy: gamma)
                    ),
                ]
                for (name, closed, summed) in pairs where abs(closed - summed) > 1e-9 * summed {
                    failures.append("P2 \(name), d \(distance), γ \(gamma): \(closed), summed \(summed)")
                }
            }
        }
        return failures
    }
}
