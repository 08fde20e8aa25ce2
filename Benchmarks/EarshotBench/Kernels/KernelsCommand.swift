import ArgumentParser
import Foundation

/// Compares hot kernels with the same computation in naive code, in the same run.
struct KernelsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "kernels", abstract: "Measure hot kernels against their naive twins, as ratios.",
        discussion: """
            A twin computes the same from the definition, one obvious loop after another, with the usual tables. Both must
            agree within the tolerance stated; otherwise the ratio means nothing and the command fails. Times are of this
            process's processor time, the minimum of seven runs of each in turns.
            """)

    func run() throws {
        var report = Report(title: "Kernels", command: "earshot-bench kernels")
        let results = measureKernels(&report)
        if results.contains(where: { !$0.agrees }) { throw ExitCode.failure }
    }
}

@discardableResult
func measureKernels(_ report: inout Report) -> [KernelResult] {
    report.add(
        "| kernel | ns | times faster than its naive twin | gate | differs from the twin by | allocations |\n"
            + "|---|---|---|---|---|---|")
    return allKernels.map { measure in
        let result = measure.run()
        let difference = result.difference == 0 ? "0" : String(format: "%.0e", result.difference)
        let wrong = result.agrees ? "" : " **more than \(String(format: "%.0e", result.tolerance))**"
        report.add(
            "| \(measure.name) | \(decimal(result.nanosecondsAUnit, result.nanosecondsAUnit < 10 ? 2 : 0)) per "
                + "\(result.unit) | \(decimal(result.ratio, 1)) | ≥ \(decimal(result.minimumRatio, 1)) | \(difference)\(wrong) | "
                + "\(result.allocationCount) |")
        return result
    }
}

/// The profile of `earshot decode`, in noise and with a token every 2 s, and the kernel that measures each part:
///
/// | share | where | measured by |
/// |---|---|---|
/// | 18–25 % | FFTW | short-time spectrum, tone energies |
/// | 16 % | `Downconverter` | downconverter |
/// | 5–11 % | `select` | median, noise of a frame's tones |
/// | 9 % | `SyncSearch` sums, clipping and peaks: internal | receiver up to its candidates |
/// | 6 % | `ShortTimeSpectrum` beside its FFT | short-time spectrum |
/// | 8 % | `ToneCorrelator`, sines included | tone correlator, tuning it |
/// | 6–9 % | `TrellisDecoder` | trellis decoder |
/// | 6 % | `NoiseFloor` | noise floor, logarithm |
let allKernels: [KernelMeasurement] =
    downconverterKernels + spectrumKernels + orderStatisticKernels + correlatorKernels + logarithmKernels
    + trellisKernels + receiverKernels
