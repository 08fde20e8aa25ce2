import ArgumentParser
import EarshotChannel
import EarshotCoding
import EarshotDSP
import Foundation

/// Hot kernels against the same computation written naively, in the same run.
struct KernelsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "kernels", abstract: "Hot kernels against their naive twins, as ratios.")

    func run() throws {
        var report = Report(title: "Kernels", command: "earshot-bench kernels")
        measureKernels(&report)
    }
}

/// How many times faster than its naive twin a kernel is.
struct KernelRatio {
    var name: String
    var ratio: Double
    /// What the gate asks for: 55 to 60 % of what was measured on a quiet machine (6.5, 7.2 and 1.9; the least seen on a
    /// busy one was 5.1, 7.2 and 1.9).
    var least: Double
}

@discardableResult
func measureKernels(_ report: inout Report) -> [KernelRatio] {
    let ratios = [downconverterRatio(), trellisRatio(), correlatorRatio()]
    report.add("| kernel | times faster than its naive twin | gate |\n|---|---|---|")
    for ratio in ratios {
        report.add("| \(ratio.name) | \(decimal(ratio.ratio, 1)) | ≥ \(decimal(ratio.least, 1)) |")
    }
    return ratios
}

private func downconverterRatio() -> KernelRatio {
    var noise = WhiteNoise(seed: 1)
    let x = (0..<48_000).map { _ in noise.next() }
    var converter = Downconverter(
        Downconverter.Design(
            inputRateHertz: 48_000, outputRateHertz: 3_000, centreHertz: 19_250, passbandHertz: 850))
    var y = [ComplexSample](repeating: ComplexSample(), count: converter.largestOutput)
    var sink: Float = 0
    let fast = leastSeconds {
        for first in stride(from: 0, to: x.count, by: 2_000) {
            let count = converter.process(x.span.extracting(first..<first + 2_000), into: &y)
            sink += y[count - 1].x
        }
    }
    // Mix every sample, filter by 128 taps where an output is due.
    let taps = (0..<128).map { _ in noise.next() }
    let slow = leastSeconds {
        let mixed = x.indices.map { n in
            let angle = -2 * Float.pi * Float(n * 19_250 % 48_000) / 48_000
            return ComplexSample(cos(angle), sin(angle)) * x[n]
        }
        for first in stride(from: 0, to: x.count - 128, by: 16) {
            var sum = ComplexSample()
            for tap in 0..<128 {
                sum += taps[tap] * mixed[first + tap]
            }
            sink += sum.x
        }
    }
    keep(sink)
    return KernelRatio(name: "downconverter, 48 kHz to 3 kHz", ratio: slow / fast, least: 3.5)
}

private func trellisRatio() -> KernelRatio {
    let code = TrellisCode(memoryBits: 10, generators: [0o4167, 0o2022, 0o1135, 0o503, 0o333])
    var noise = WhiteNoise(seed: 2)
    let metrics = (0..<40 * 32).map { _ in abs(noise.next()) }
    var pairs = [UInt8](repeating: 0, count: 40)
    var decoder = TrellisDecoder(memoryBits: 10, longestStepCount: 40)
    let fast = leastSeconds { decoder.decode(code, metrics, stepCount: 40, into: &pairs) }
    var sink: Float = 0
    let slow = leastSeconds {
        var old = [Float](repeating: 0, count: 1_024)
        var new = old
        for walk in 0..<100 {
            let step = (walk + 10) % 40
            for state in 0..<1_024 {
                var best = -Float.infinity
                for j in 0..<4 {
                    let register = (state + 1_024 * j)
                    best = max(best, old[register >> 2] + metrics[step * 32 + Int(code.tones[register])])
                }
                new[state] = best
            }
            swap(&old, &new)
        }
        sink += old[0]
    }
    keep(sink)
    return KernelRatio(name: "trellis decoder, ν = 10, 40 steps", ratio: slow / fast, least: 4)
}

private func correlatorRatio() -> KernelRatio {
    var noise = WhiteNoise(seed: 3)
    let x = (0..<6_400).map { _ in ComplexSample(noise.next(), noise.next()) }
    var correlator = ToneCorrelator(length: 64)
    correlator.tune(cyclesPerSample: 0.123)
    var sink: Float = 0
    let fast = leastSeconds {
        for _ in 0..<20 {
            for first in stride(from: 0, to: x.count, by: 64) {
                sink += correlator.energy(x.span.extracting(first..<first + 64))
                keep(sink)
            }
        }
    }
    // Goertzel's recursion, for complex input: s[n] = x[n] + 2·cos(2πf)·s[n−1] − s[n−2].
    let slow = leastSeconds {
        for _ in 0..<20 {
            for first in stride(from: 0, to: x.count, by: 64) {
                let twoCos = 2 * cos(2 * Float.pi * 0.123)
                var (s1, s2) = (ComplexSample(), ComplexSample())
                for n in first..<first + 64 {
                    (s1, s2) = (x[n] + twoCos * s1 - s2, s1)
                }
                sink += s1.power
                keep(sink)
            }
        }
    }
    keep(sink)
    return KernelRatio(name: "tone correlator, 64 samples (twin: Goertzel)", ratio: slow / fast, least: 1.1)
}
