import ArgumentParser
import EarshotChannel
import Foundation

/// Measures everything and writes docs/BENCHMARKS.md: every figure there comes from a measurement.
struct AllCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "all", abstract: "Measure everything and write docs/BENCHMARKS.md.")

    @Option(help: "Trials a row of the promises, and a point of the curves.")
    var trials = 1_000

    @Option(help: "Frames a point near 90 %, in every channel.")
    var limitTrials = 300

    @Option(help: "Trials a point of the peers.")
    var peerTrials = 100

    @Option(help: "Rooms full of devices of each kind.")
    var roomRuns = 21

    @Option(help: "Hours of each kind of sound for false tokens.")
    var hours = 2.0

    @Option(help: "Recordings for false tokens, see `false-tokens`.")
    var audio: [String] = []

    @Option(help: "The earshot binary.")
    var earshot = defaultEarshotPath()

    @Option(
        help: "Measure this section only, and leave the others of the file unchanged; may be given several times.")
    var only: [String] = []

    @Option(name: .shortAndLong, help: "The file to write; pictures go into the folder benchmarks beside it.")
    var output = "docs/BENCHMARKS.md"

    private static let titles = [
        "Throughput", "Resources", "Worst sounds", "Allocations", "Kernels", "Waterfalls", "Sensitivity", "Goals",
        "Repeats", "Arrays", "Discovery", "Alike tokens", "Peers", "False tokens",
    ]

    func validate() throws {
        for title in only where !Self.titles.contains(title) {
            throw ValidationError("--only \(title): sections are \(Self.titles.joined(separator: ", ")).")
        }
    }

    func run() throws {
        var sections: [String] = []
        let present = try? String(contentsOfFile: output, encoding: .utf8)
        let written = try only.isEmpty ? "" : present ?? String(contentsOfFile: output, encoding: .utf8)
        func section(_ title: String, _ command: String, _ body: (inout Report) throws -> Void) rethrows {
            guard only.isEmpty || only.contains(title) else {
                sections.append(Self.section(title, of: written))
                return
            }
            print("\n== \(title)")
            var report = Report(title: title, command: "earshot-bench " + command)
            try body(&report)
            sections.append(report.markdown)
        }
        let seed: UInt64 = 1_000_003
        let place = URL(fileURLWithPath: output).deletingLastPathComponent()
        let pictures = Pictures(folder: place.appendingPathComponent("benchmarks").path)
        // First, so that a broken installation shows at once, not after half an hour.
        let modems = try installedModems(earshot: earshot)
        let peers = PeerMeasurement(trialCount: peerTrials, seed: seed, threadCount: 2, runs: 3)
        for modem in modems { try peers.check(modem) }
        try section("Throughput", "throughput") {
            try measureThroughput(&$0, earshot: earshot, runs: 5)
        }
        try section("Resources", "resources") { try measureResources(&$0, earshot: earshot) }
        try section("Worst sounds", "worst") {
            try measureWorst(&$0, soundCount: 60, changeCount: 16, seconds: 24, seed: 1)
        }
        try section("Allocations", "allocations") { _ = try measureAllocations(&$0) }
        section("Kernels", "kernels") { _ = measureKernels(&$0) }
        try section("Waterfalls", "waterfalls --trials \(trials)") {
            try measureWaterfalls(&$0, trialCount: trials, seed: seed, pictures: pictures)
        }
        try section("Sensitivity", "sensitivity --trials \(trials) --limit-trials \(limitTrials)") {
            try measurePromises(&$0, trialCount: trials, seed: seed)
            try measureLimits(&$0, AirPreset.all, trialCount: limitTrials, seed: seed)
        }
        try section("Goals", "goals --trials \(trials)") {
            try measureGoals(&$0, trialCount: trials, seed: seed)
        }
        try section("Repeats", "repeats --trials \(trials)") {
            try measureRepeats(&$0, trialCount: trials, seed: seed)
        }
        try section("Arrays", "arrays --trials \(trials)") {
            try measureArrays(&$0, trialCount: trials, seed: seed)
        }
        try section("Discovery", "discovery --everything --runs \(roomRuns)") {
            try measureRooms(&$0)
        }
        try section("Alike tokens", "alike") {
            try AlikeCommand.parse([]).measure(&$0)
        }
        try section("Peers", "peers --trials \(peerTrials)") {
            let rows = try measurePeers(&$0, modems, peers)
            try PeerPictures.save(rows, pictures, &$0)
        }
        let recordings = audio.map { " --audio \($0)" }.joined()
        try section("False tokens", "false-tokens --hours \(hours)\(recordings)") {
            try measureFalseTokens(&$0, hours: hours, recordings: audio, seed: 1)
        }
        // Scripts of their own measure the service and the bindings.
        let headings = (present ?? "").split(separator: "\n").filter { $0.hasPrefix("## ") }
        for title in headings.map({ String($0.dropFirst(3)) }) where !Self.titles.contains(title) {
            sections.append(Self.section(title, of: present ?? ""))
        }
        let text = header() + sections.joined(separator: "\n")
        try text.write(toFile: output, atomically: true, encoding: .utf8)
        print("\nwrote \(output)")
    }

    /// Devices that find each other with the real modem, in the noise of a usual room and in more noise.
    private func measureRooms(_ report: inout Report) throws {
        report.add(
            "Devices at random places in a square of 4 m, clocks ±100 ppm, free air, SNR at 1 m, profile `fast`; times in "
                + "seconds.")
        for (snr, devices) in [("20", ["2", "5", "10", "20"]), ("16", ["10"])] {
            let arguments =
                ["--everything", "--runs", "\(roomRuns)", "--snr", snr] + devices.flatMap { ["--devices", $0] }
            report.add("\n**\(snr) dB** (`discovery \(arguments.joined(separator: " "))`)\n")
            try DiscoveryCommand.parse(arguments).measure(&report)
        }
    }

    /// A section of a file with its heading; empty if the file has none of that title.
    private static func section(_ title: String, of text: String) -> String {
        guard let start = text.range(of: "\n## \(title)\n") else { return "" }
        let rest = text[start.upperBound...]
        let end = rest.range(of: "\n## ")?.lowerBound ?? rest.endIndex
        return "## \(title)\n" + rest[..<end]
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

            All figures come from simulated air, virtual sound cards and virtual radios: no part of Earshot has been tested with a real
            loudspeaker, microphone or radio. [range.md](range.md) estimates the range in metres.

            Written by `make bench` (`.build/release/earshot-bench all`) on \
            \(formatter.string(from: Date())); no figure is typed by hand. Machine: \
            \(processor ?? "unknown processor"), \(ProcessInfo.processInfo.activeProcessorCount) cores, shared with other \
            work, so absolute speeds vary by tens of per cent from run to run.

            SNR is the power of a sine at the signal's peak over the noise power in 1,500 Hz. Channels are those of
            `earshot simulate --list`; the SNR is 30 dB unless a row gives another.


            """
    }
}
