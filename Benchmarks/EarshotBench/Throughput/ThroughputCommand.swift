import ArgumentParser
import Foundation

/// Measures the speed of decoding: of the program, as the operating system accounts for it, and of the library.
struct ThroughputCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "throughput",
        abstract: "Measure decoding in multiples of real time: whole process and in process.",
        discussion: """
            One core: user and system time of one thread, which other work on the machine changes little. All cores: time of a
            wall clock. Benchmarks/Peers/install.sh installs ggwave, which reads the same files in turns with Earshot; where
            that fails, its column says so.
            """)

    @Option(help: "The earshot binary.")
    var earshot = defaultEarshotPath()

    @Option(help: "Number of runs, of which the best counts.")
    var runs = 5

    @Option(help: "Measure only recordings with this text in their name, and leave out the library.")
    var only: String?

    func validate() throws {
        if runs < 1 { throw ValidationError("--runs \(runs): run at least once") }
    }

    func run() throws {
        var report = Report(title: "Throughput", command: "earshot-bench throughput")
        try measureThroughput(&report, earshot: earshot, runs: runs, only: only)
    }
}

/// The path at which `swift build -c release` puts it.
func defaultEarshotPath() -> String {
    benchmarksFolder().deletingLastPathComponent().appendingPathComponent(".build/release/earshot").path
}

func measureThroughput(_ report: inout Report, earshot: String, runs: Int, only: String? = nil) throws {
    guard FileManager.default.isExecutableFile(atPath: earshot) else {
        throw ValidationError("no earshot binary at \(earshot); run: swift build -c release --product earshot")
    }
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("earshot-bench-\(getpid())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let recordings = try Recording.all().filter { recording in only.map(recording.name.contains) ?? true }
    guard !recordings.isEmpty else { throw ValidationError("no recording's name holds '\(only ?? "")'") }
    try ProgramMeasurement(earshot: earshot, ggwave: GGWavePeer.installedProgram(), runs: runs, folder: folder)
        .measure(recordings, &report)
    if only == nil { try measureLibrary(&report, runs: runs) }
}

/// A text with the best speed and the worst.
func bestAndWorst(_ speeds: [Double]) -> String {
    "**\(decimal(speeds.max() ?? .nan, 0))** (\(decimal(speeds.min() ?? .nan, 0)))"
}
