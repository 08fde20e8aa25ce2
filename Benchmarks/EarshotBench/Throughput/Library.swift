import EarshotBenchmark
import EarshotModem
import Foundation

/// Measures `Receiver.push` on samples in memory, in blocks of 1,024: one receiver, and one on each core.
func measureLibrary(_ report: inout Report, runs: Int) throws {
    let coreCount = ProcessInfo.processInfo.activeProcessorCount
    let seconds = 120
    report.add(
        "`Receiver.push`, in process: \(seconds) s in blocks of 1,024, all profiles on; best of \(runs) runs (the "
            + "worst in brackets), in multiples of real time.\n")
    report.add("| sound | one core | \(coreCount) cores, \(coreCount) receivers | tokens |\n|---|---|---|---|")
    for traffic in [.noise, .tokenEvery(10, snrDecibels: 0), .tokenEvery(2, snrDecibels: 0), Traffic.turns] {
        let samples = try traffic.samples(seconds: seconds)
        var (one, all, found) = ([Double](), [Double](), 0)
        for _ in 0..<runs {
            let start = processorSeconds()
            found = try receive(samples)
            one.append(Double(seconds) / (processorSeconds() - start))
            let wallStart = wallSeconds()
            _ = try concurrently(coreCount) { _ in try receive(samples) }
            all.append(Double(seconds * coreCount) / (wallSeconds() - wallStart))
        }
        report.add(
            "| \(traffic.name) | \(bestAndWorst(one)) | \(bestAndWorst(all)) | \(found) of \(traffic.tokenCount(seconds: seconds)) |"
        )
    }
}

/// - Returns: the number of frames reported.
private func receive(_ samples: [Float]) throws -> Int {
    var receiver = try Receiver(sampleRateHertz: 48_000)
    var count = 0
    for first in stride(from: 0, to: samples.count, by: 1_024) {
        receiver.push(samples.span.extracting(first..<min(first + 1_024, samples.count))) { _ in count += 1 }
    }
    receiver.flush { _ in count += 1 }
    return count
}
