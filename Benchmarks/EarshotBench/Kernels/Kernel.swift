import EarshotBenchmark
import Foundation
import MallocCounter

/// A kernel's name and its measurement, which runs on request.
struct KernelMeasurement: Sendable {
    var name: String
    var run: @Sendable () -> KernelResult
}

/// The measurement of a kernel and its naive twin, on the same input in the same run.
struct KernelResult {
    /// The unit of the time: "input sample", "row".
    var unit: String
    var nanosecondsAUnit: Double
    /// The twin's time over the kernel's.
    var ratio: Double
    /// The gate's limit: 60 % of the minimum of 20 runs on two cores shared with seven busy processes. Medians were at most 40 %
    /// above those minima: downconverter 3.5 (48 and 44.1 kHz), spectra 18, 28 and 99, tone energies 17, median 1.1 and lower
    /// tenth 3.5, noise floor 5.3, correlator 1.6 and its tuning 3.3, likelihoods 8.5, trellis 20 (`far`) to 30 (`fast`),
    /// receiver 7.7.
    var minimumRatio: Double
    /// The difference of the results: the maximum difference over the root mean square of the twin's values.
    var difference: Double
    /// The maximum difference allowed.
    var tolerance: Double
    /// Allocations in one run of the kernel.
    var allocationCount: Int

    /// Whether both compute the same.
    var agrees: Bool { difference <= tolerance }
}

/// Measures a kernel and its twin.
/// - Parameters:
///   - unitCount: the number of units in one run of either.
///   - difference: returns the difference of the latest results of both; called after they have run.
func compare(
    unit: String, unitCount: Int, minimumRatio: Double, tolerance: Double, kernel: () -> Void, twin: () -> Void,
    difference: () -> Double
) -> KernelResult {
    kernel()
    let before = malloc_counter_count()
    kernel()
    let allocationCount = malloc_counter_count() - before
    let seconds = minimumSeconds(kernel, twin)
    return KernelResult(
        unit: unit, nanosecondsAUnit: 1e9 * seconds.first / Double(unitCount), ratio: seconds.second / seconds.first,
        minimumRatio: minimumRatio, difference: difference(), tolerance: tolerance, allocationCount: allocationCount)
}

/// max |a − b| / √(mean b²); infinity if their counts differ.
func relativeDifference(_ a: [Float], _ b: [Float]) -> Double {
    guard a.count == b.count, !b.isEmpty else { return .infinity }
    let power = b.reduce(0) { $0 + Double($1) * Double($1) } / Double(b.count)
    let maximum = zip(a, b).reduce(0) { max($0, abs(Double($1.0) - Double($1.1))) }
    return maximum / max(power, .leastNormalMagnitude).squareRoot()
}
