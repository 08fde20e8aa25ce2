import EarshotBenchmark
import EarshotDSP
import Foundation

/// L = ln(1 + E/N), the likelihood of a tone's energy. The internal `ToneMetrics` runs this loop.
let logarithmKernels = [KernelMeasurement(name: "likelihoods of 52 symbols, ln(1 + E/N)") { measureLogarithm() }]

private func measureLogarithm() -> KernelResult {
    let (symbolCount, toneCount) = (52, 32)
    let energies = complexNoise(symbolCount * toneCount, seed: 8).map(\.power)
    let inverseNoise = (0..<toneCount).map { 0.4 + 0.01 * Float($0) }
    var likelihoods = [Float](repeating: 0, count: energies.count)
    var naive = likelihoods
    // At most 0.008 of a bit, with a root mean square of about 1.
    return compare(
        unit: "energy", unitCount: 50 * energies.count, minimumRatio: 5, tolerance: 0.01,
        kernel: {
            for _ in 0..<50 {
                var output = likelihoods.mutableSpan
                let (energies, inverse) = (energies.span, inverseNoise.span)
                for first in stride(from: 0, to: energies.count, by: toneCount) {
                    for tone in 0..<toneCount {
                        output[first + tone] = 0.693_147_2 * fastLog2(1 + energies[first + tone] * inverse[tone])
                    }
                }
                keep(likelihoods[0])
            }
        },
        twin: {
            for _ in 0..<50 {
                for index in energies.indices {
                    naive[index] = log(1 + energies[index] * inverseNoise[index % toneCount])
                }
                keep(naive[0])
            }
        },
        difference: { relativeDifference(likelihoods, naive) })
}
