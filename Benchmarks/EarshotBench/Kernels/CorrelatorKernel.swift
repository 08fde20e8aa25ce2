import EarshotBenchmark
import EarshotDSP
import Foundation

/// The matched filter of the refinement, and its reference tone.
let correlatorKernels = [
    KernelMeasurement(name: "tone correlator, 64 samples (twin: Goertzel)") { measureCorrelator() },
    KernelMeasurement(name: "tuning the tone correlator, 64 samples") { measureTuning() },
]

private func measureCorrelator() -> KernelResult {
    let length = 64
    let x = complexNoise(200 * length, seed: 7)
    var correlator = ToneCorrelator(length: length)
    correlator.tune(cyclesPerSample: 0.123)
    var energies = [Float](repeating: 0, count: 200)
    var naive = energies
    return compare(
        unit: "sample", unitCount: 20 * x.count, minimumRatio: 1, tolerance: 1e-3,
        kernel: {
            for _ in 0..<20 {
                for place in energies.indices {
                    energies[place] = correlator.energy(x.span.extracting(place * length..<(place + 1) * length))
                }
                keep(energies[0])
            }
        },
        twin: {
            // s[n] = x[n] + 2·cos(2πf)·s[n−1] − s[n−2],   E = |s[N−1] − e^{−j2πf}·s[N−2]|² / N²
            let twoCos = 2 * cos(2 * Float.pi * 0.123)
            let turn = ComplexSample(cos(2 * Float.pi * 0.123), -sin(2 * Float.pi * 0.123))
            for _ in 0..<20 {
                for place in naive.indices {
                    var (s1, s2) = (ComplexSample(), ComplexSample())
                    for n in place * length..<(place + 1) * length {
                        (s1, s2) = (x[n] + twoCos * s1 - s2, s1)
                    }
                    naive[place] = (s1 - s2.times(turn)).power / Float(length * length)
                }
                keep(naive[0])
            }
        },
        difference: { relativeDifference(energies, naive) })
}

private func measureTuning() -> KernelResult {
    let length = 64
    let ones = [ComplexSample](repeating: ComplexSample(1, 0), count: length)
    var correlator = ToneCorrelator(length: length)
    var tone = ones
    var naive = ones
    let frequencies = (0..<500).map { 0.001 * Float($0) - 0.25 }
    return compare(
        unit: "sample", unitCount: frequencies.count * length, minimumRatio: 2, tolerance: 1e-4,
        kernel: {
            for frequency in frequencies {
                correlator.tune(cyclesPerSample: frequency)
            }
            var span = tone.mutableSpan
            correlator.mix(ones.span, into: &span)
        },
        twin: {
            for frequency in frequencies {
                for n in 0..<length {
                    let angle = -2 * Float.pi * frequency * Float(n)
                    naive[n] = ComplexSample(cos(angle), sin(angle))
                }
                keep(naive[length - 1].x)
            }
        },
        difference: { relativeDifference(tone.flatMap { [$0.x, $0.y] }, naive.flatMap { [$0.x, $0.y] }) })
}
