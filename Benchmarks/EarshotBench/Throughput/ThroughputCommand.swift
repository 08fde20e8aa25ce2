import ArgumentParser
import Foundation

/// Measures how fast sound is decoded: by the program, as the operating system accounts for it, and by the library.
struct ThroughputCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "throughput",
        abstract: "Measure decoding in multiples of real time: whole process and in process.",
        discussion: """
            One core: user and system time of one thread, which other work on the machine changes little. All cores: time of a
            wall clock. Prints medians, with the minimum and the maximum.
            """)

    @Option(help: "The earshot binary.")
    var earshot = defaultEarshotPath()

    @Option(help: "Number of runs, of which the median counts.")
    var runs = 7

    func validate() throws {
        if runs < 1 { throw ValidationError("--runs \(runs): run at least once") }
    }

    func run() throws {
        var report = Report(title: "Throughput", command: "earshot-bench throughput")
        try measureThroughput(&report, earshot: earshot, runs: runs)
    }
}

/// Where `swift build -c release` puts it.
func defaultEarshotPath() -> String {
    benchmarksFolder().deletingLastPathComponent().appendingPathComponent(".build/release/earshot").path
}

func measureThroughput(_ report: inout Report, earshot: String, runs: Int) throws {
    guard FileManager.default.isExecutableFile(atPath: earshot) else {
        throw ValidationError("no earshot binary at \(earshot); run: swift build -c release --product earshot")
    }
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("earshot-bench-\(getpid())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    try measureProgram(&report, earshot: earshot, runs: runs, folder: folder)
    try measureLibrary(&report, runs: runs)
}

/// A text with the median (minimum–maximum).
func range(_ values: [Double]) -> String {
    "**\(decimal(median(values), 0))** (\(decimal(values.min() ?? 0, 0))–\(decimal(values.max() ?? 0, 0)))"
}
