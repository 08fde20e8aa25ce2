import ArgumentParser
import Foundation

/// Everything, written to docs/BENCHMARKS.md: no figure there is typed by hand.
struct AllCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "all", abstract: "Measure everything and write docs/BENCHMARKS.md.")

    @Option(help: "Trials a row of the sensitivity table.")
    var trials = 1_000

    @Option(help: "Hours of each kind of sound for false tokens.")
    var hours = 10.0

    @Option(help: "Recordings for false tokens, see `false-tokens`.")
    var audio: [String] = []

    @Option(help: "The earshot binary.")
    var earshot = defaultEarshotPath()

    @Option(name: .shortAndLong, help: "Where to write; - for standard output only.")
    var output = "docs/BENCHMARKS.md"

    func run() throws {
        var sections: [Report] = []
        func section(_ title: String, _ command: String, _ body: (inout Report) throws -> Void) rethrows {
            print("\n== \(title)")
            var report = Report(title: title, command: command)
            try body(&report)
            sections.append(report)
        }
        try section("Throughput", "earshot-bench throughput") {
            try measureThroughput(&$0, earshot: earshot, runs: 7)
        }
        try section("Allocations", "earshot-bench allocations") { _ = try measureAllocations(&$0) }
        section("Kernels", "earshot-bench kernels") { _ = measureKernels(&$0) }
        try section("Sensitivity", "earshot-bench sensitivity --trials \(trials)") {
            try measureSensitivity(&$0, trialCount: trials, seed: 1_000_003)
        }
        let recordings = audio.map { " --audio \($0)" }.joined()
        try section("False tokens", "earshot-bench false-tokens --hours \(hours)\(recordings)") {
            try measureFalseTokens(&$0, hours: hours, recordings: audio, seed: 1)
        }
        guard output != "-" else { return }
        let text = header() + sections.map(\.markdown).joined(separator: "\n")
        try text.write(toFile: output, atomically: true, encoding: .utf8)
        print("\nwrote \(output)")
    }

    private func header() -> String {
        let formatter = DateFormatter()
        formatter.dateFormat = "yyyy-MM-dd"
        formatter.timeZone = TimeZone(identifier: "UTC")
        let processor =
            (try? String(contentsOfFile: "/proc/cpuinfo", encoding: .utf8))?.split(separator: "\n")
            .first { $0.hasPrefix("model name") }?.split(separator: ":").last.map {
                $0.trimmingCharacters(in: .whitespaces)
            }
        return """
            # Benchmarks

            Written by `make bench` (`swift run --package-path Benchmarks -c release earshot-bench all`) on \
            \(formatter.string(from: Date())); no figure is typed by hand. Machine: \
            \(processor ?? "unknown processor"), \(ProcessInfo.processInfo.activeProcessorCount) cores, shared with other \
            work, so absolute speeds vary by tens of per cent from run to run.

            SNR is the power of a sine at the signal's peak over the noise power in 1,500 Hz. Rooms: A RT60 0.2 s,
            direct-to-reverberant ratio 0 dB; B 0.3 s, −6 dB; C 0.3 s, no direct sound; 30 dB SNR unless a row says other.


            """
    }
}
