import Foundation
import MallocCounter

/// A kernel's name and how it is measured; asked only where somebody wants to know.
struct KernelMeasurement: Sendable {
    var name: String
    var run: @Sendable () -> KernelResult
}

/// A kernel and its naive twin on the same input in the same run.
struct KernelResult {
    /// What the time is counted by: "input sample", "row".
    var unit: String
    var nanosecondsAUnit: Double
    /// The twin's time over the kernel's.
    var ratio: Double
    /// What the gate asks for: 60 % of the least of 20 runs on two cores on which seven others wanted to run. Medians were at
    /// most 40 % above those. Least of the runs: downconverter 3.5 (48 and 44.1 kHz), spectra 18, 28 and 99, tone energies
    /// 17, median 1.1 and lower tenth 3.5, noise floor 5.3, correlator 1.6 and its tuning 3.3, likelihoods 8.5, trellis 20
    /// (`far`) to 30 (`fast`), receiver 7.7.
    var leastRatio: Double
    /// How far the results are apart: the largest difference over the root mean square of the twin's values.
    var difference: Double
    /// How far they may be.
    var tolerance: Double
    /// Allocations in one run of the kernel.
    var allocationCount: Int

    /// Whether both compute the same.
    var agrees: Bool { difference <= tolerance }
}

/// Measures a kernel and its twin.
/// - Parameters:
///   - unitCount: how much one run of either works on.
///   - difference: how far the results of the latest runs of both are apart; asked after they ran.
func compare(
    unit: String, unitCount: Int, leastRatio: Double, tolerance: Double, kernel: () -> Void, twin: () -> Void,
    difference: () -> Double
) -> KernelResult {
    kernel()
    let before = malloc_counter_count()
    kernel()
    let allocationCount = malloc_counter_count() - before
    let seconds = leastSeconds(kernel, twin)
    return KernelResult(
        unit: unit, nanosecondsAUnit: 1e9 * seconds.first / Double(unitCount), ratio: seconds.second / seconds.first,
        leastRatio: leastRatio, difference: difference(), tolerance: tolerance, allocationCount: allocationCount)
}

/// max |a − b| / √(mean b²), infinity where there is not the same number of both.
func relativeDifference(_ a: [Float], _ b: [Float]) -> Double {
    guard a.count == b.count, !b.isEmpty else { return .infinity }
    let power = b.reduce(0) { $0 + Double($1) * Double($1) } / Double(b.count)
    let largest = zip(a, b).reduce(0) { max($0, abs(Double($1.0) - Double($1.1))) }
    return largest / max(power, .leastNormalMagnitude).squareRoot()
}
