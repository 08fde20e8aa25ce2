import ArgumentParser
import EarshotChannel
import EarshotCoding
import EarshotModem
import MallocCounter

/// Counts allocations while a receiver runs.
struct AllocationsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "allocations", abstract: "Count allocations per block in steady state (must be 0).")

    func run() throws {
        var report = Report(title: "Allocations", command: "earshot-bench allocations")
        try measureAllocations(&report)
    }
}

/// - Returns: allocations while `seconds` of noise went through a receiver in blocks of 1,024.
@discardableResult
func measureAllocations(_ report: inout Report, seconds: Int = 120) throws -> Int {
    var receiver = try Receiver(sampleRateHertz: 48_000)
    var noise = WhiteNoise(seed: 11)
    // Longer than any frame many times over, so that its repetition is no pattern.
    let stretch = (0..<48_000 * 20).map { _ in 0.01 * noise.next() }
    let second = Array(stretch[0..<48_000])
    func push(_ samples: [Float], onFrame: (ReceivedFrame) -> Void) {
        for first in stride(from: 0, to: samples.count, by: 1_024) {
            receiver.push(samples.span.extracting(first..<min(first + 1_024, samples.count)), onFrame: onFrame)
        }
    }
    // The counter must be alive: one array is one allocation or more.
    let before = malloc_counter_count()
    var probe = [Int](repeating: 1, count: 1_000)
    probe[0] = malloc_counter_count()
    precondition(probe[0] > before, "the allocation counter does not count")

    push(stretch) { _ in }
    let start = malloc_counter_count()
    for _ in 0..<seconds / 20 { push(stretch) { _ in } }
    let inNoise = malloc_counter_count() - start
    let statistics = receiver.statistics
    report.add(
        "- noise, \(seconds) s in \(seconds * 47) blocks, \(statistics.candidates) candidates, "
            + "\(statistics.rejectedByPathMetric + statistics.rejectedByCheck) decoding attempts: "
            + "**\(inNoise) allocations**")

    let token = try Transmitter(sampleRateHertz: 48_000).samples(Payload(hex: "0123456789abcdef"), amplitude: 0.1)
    var withTokens = second + second
    for index in token.indices {
        withTokens[10_000 + index] += token[index]
    }
    for _ in 0..<5 { push(withTokens) { _ in } }
    var frames = 0
    let startWithTokens = malloc_counter_count()
    for _ in 0..<30 { push(withTokens) { _ in frames += 1 } }
    let perFrame = Double(malloc_counter_count() - startWithTokens) / Double(max(frames, 1))
    report.add("- a token every 2 s: \(frames) frames, \(decimal(perFrame, 1)) allocations a reported frame")
    return inNoise
}
