import ArgumentParser
import EarshotAudio
import EarshotBenchmark
import EarshotCoding
import EarshotModem
import Foundation

/// Measures the memory and processor time of running programs.
struct ResourcesCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "resources",
        abstract: "Measure memory at many files and channels, and memory and processor time of listening.",
        discussion: "Listening runs on the virtual sound card of Tests/Support/virtual-sound-card.sh, for 80 s.")

    @Option(help: "The earshot binary.")
    var earshot = defaultEarshotPath()

    func run() throws {
        var report = Report(title: "Resources", command: "earshot-bench resources")
        try measureResources(&report, earshot: earshot)
    }
}

func measureResources(_ report: inout Report, earshot: String) throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("earshot-bench-\(getpid())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    report.add(
        """
        The operating system's figures for whole processes: the maximum resident memory, and user and system time.

        | program | maximum resident memory | processor time |
        |---|---|---|
        """)
    try measureManyFiles(&report, earshot, folder)
    try measureManyChannels(&report, earshot, folder)
    try measureListening(&report, earshot, folder)
}

/// 600 files, one after another in each worker: the receivers of finished files must be gone.
private func measureManyFiles(_ report: inout Report, _ earshot: String, _ folder: URL) throws {
    let path = folder.appendingPathComponent("token.wav").path
    let sent = try Traffic.tokenEvery(10, snrDecibels: 20).write(path, seconds: 10, as: Recording.Container())
    let fileCount = 600
    let program = try MeasuredProgram(
        [earshot, "decode", "--jobs", "2", "--json", "--quiet"] + [String](repeating: path, count: fileCount))
    try requireTokens(program, fileCount * sent)
    report.add(
        "| `decode --jobs 2`, \(fileCount) files of 10 s | \(decimal(program.peakMegabytes, 0)) MB "
            + "| \(decimal(program.seconds, 1)) s |")
}

/// 64 channels of one file, each decoded separately.
private func measureManyChannels(_ report: inout Report, _ earshot: String, _ folder: URL) throws {
    let path = folder.appendingPathComponent("channels.raw").path
    let channelCount = 64
    let samples = try Traffic.tokenEvery(10, snrDecibels: 20).samples(seconds: 10)
    var bytes = Data(capacity: 2 * channelCount * samples.count)
    for sample in samples {
        let integer = Int16(32_768 * sample)
        for _ in 0..<channelCount { withUnsafeBytes(of: integer.littleEndian) { bytes.append(contentsOf: $0) } }
    }
    try bytes.write(to: URL(fileURLWithPath: path))
    let program = try MeasuredProgram(
        [
            earshot, "decode", "--jobs", "1", "--json", "--quiet", "--raw",
            "s16le:48000:\(channelCount)", path,
        ])
    try requireTokens(program, channelCount)
    report.add(
        "| `decode --raw`, \(channelCount) channels of 10 s | \(decimal(program.peakMegabytes, 0)) MB "
            + "| \(decimal(program.seconds, 1)) s |")
}

/// No token is on the air. The difference of a long and a short run excludes the start.
private func measureListening(_ report: inout Report, _ earshot: String, _ folder: URL) throws {
    let card = folder.appendingPathComponent("card").path
    let project = benchmarksFolder().deletingLastPathComponent()
    let script = project.appendingPathComponent("Tests/Support/virtual-sound-card.sh").path
    _ = try ChildProcess([script, "start", card, "--owner", "\(getpid())"]).finish()
    defer { _ = try? ChildProcess([script, "stop", card]).finish() }
    func listen(seconds: Int) throws -> MeasuredProgram {
        // Sets the variables first, then replaces the shell by a program.
        try MeasuredProgram(
            [
                "bash", "-c",
                "eval \"$(\"$0\" env \"$1\")\"; exec \"$2\" listen --device air_in --seconds \"$3\" --quiet",
                script, card, earshot, "\(seconds)",
            ])
    }
    let (shortSeconds, longSeconds) = (20, 80)
    let short = try listen(seconds: shortSeconds)
    let long = try listen(seconds: longSeconds)
    let share = (long.seconds - short.seconds) / Double(longSeconds - shortSeconds)
    report.add(
        "| `listen`, no token, \(longSeconds) s | \(decimal(long.peakMegabytes, 1)) MB "
            + "| \(decimal(100 * share, 2)) % of a core |")
}

private func requireTokens(_ program: MeasuredProgram, _ count: Int) throws {
    guard program.lines.count == count else {
        throw ValidationError("earshot decoded \(program.lines.count) tokens of \(count)")
    }
}
