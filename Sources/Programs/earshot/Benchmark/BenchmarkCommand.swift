import ArgumentParser
import EarshotAudio
import EarshotBasics
import EarshotBenchmark
import EarshotConsole
import EarshotSoundConsole
import EarshotSystem
import Glibc

struct BenchmarkCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "benchmark",
        abstract: "Measure how fast this machine decodes, and compare it with an earlier run.",
        usage: "earshot benchmark [<options>]",
        discussion: """
            Decodes generated sound at 48 kHz repeatedly, and prints how many times faster than real time one \
            core is: for a receiver of each profile and one of all, in noise and with tokens. The fastest pass counts. \
            Then every core decodes many channels at once, and the report says how many would keep it busy live; plan \
            with half of them. Memory and allocations are those of a receiver of all profiles.

            A loop of known work alternates with the receiver. --compare uses the receiver's time over the \
            loop's, so a slower machine does not fail. A figure that is worse than the baseline's by more \
            than --tolerance is measured twice more before it counts; other work on the machine can still change \
            a ratio by a tenth, so make the baseline on a machine as busy as the comparison's. Compare runs on one kind of processor: others \
            run other versions of the inner loops.

            EXAMPLES:
              earshot benchmark
              earshot benchmark --json > baseline.json
              earshot benchmark --compare baseline.json --tolerance 0.1

            JSON, one line for each figure of the table:
              {"profile":"standard","sound":"noise","real_time":8421,"relative":0.4103}
            and a last line:
              {"version":"earshot 0.2.0","machine":"x86_64","processor":"AMD EPYC",
              "cores":2,"seconds":21.6,"loop_ms":0.2784,"live_channels":8110,
              "live_relative":0.6488,"channel_bytes":6087840,"allocations":0,
              "allocations_a_token":10.00,"worse":[],"passed":true}
            "relative" is the receiver's time over the loop's for as much sound. "worse" and "passed" appear with \
            --compare, the allocations if the C library can count them.

            EXIT CODES:
              0   the machine was measured, and no figure is worse than the baseline's
              1   with --compare: a figure is worse by more than --tolerance
              64 and above: see earshot --help
            """)

    @Option(parsing: .unconditional, help: ArgumentHelp("How long to measure, 1 to 600.", valueName: "seconds"))
    var seconds = 20.0

    @Option(
        help: ArgumentHelp(
            "Compare with this file, which an earlier run printed with --json; - is standard input.",
            valueName: "file"),
        completion: .file())
    var compare: FilePath?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "The share by which a figure may be worse than the baseline's, 0 to 10. (default: 0.1)", valueName: "share")
    )
    var tolerance: Double?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("Cores for the live channels. (default: all)", valueName: "number"))
    var cores: Int?

    @Flag(help: "Print lines of JSON.")
    var json = false

    @Flag(name: .shortAndLong, help: "On standard error print errors only: no progress, no notes.")
    var quiet = false

    @Option(help: ArgumentHelp("Decode this, while the C library traces allocations.", visibility: .private))
    var countAllocations: String?

    func validate() throws {
        if !(1...600).contains(seconds) {
            throw ValidationError("--seconds \(DecimalText.short(seconds)): give 1 to 600 seconds.")
        }
        if let tolerance, !(0...10).contains(tolerance) {
            throw ValidationError(
                "--tolerance \(DecimalText.short(tolerance)): give a share from 0 to 10, such as 0.1 for 10 percent.")
        }
        if tolerance != nil, compare == nil {
            throw ValidationError("--tolerance without --compare: name the file to compare with.")
        }
        let processorCount = HostSystem.processorCount
        if let cores, !(1...processorCount).contains(cores) {
            throw ValidationError(
                "--cores \(cores): give 1\(processorCount > 1 ? " to \(processorCount)" : ""), as many as this machine has."
            )
        }
    }

    func run() throws {
        if let countAllocations {
            guard let scene = AllocationTrace.Scene(rawValue: countAllocations) else { throw ExitCode(64) }
            return try AllocationTrace.decode(scene)
        }
        let baseline = try compare.map { path throws(Failure) in try BenchmarkBaseline(path: path) }
        let start = wallSeconds()
        let run = try BenchmarkRun(coreCount: cores ?? HostSystem.processorCount)
        let progress = ProgressBar(partCount: 1, isEnabled: !quiet)
        Interruption.handle { progress.clear() }
        run.measure(seconds: seconds) { progress.update(fraction: $0) }
        let worse = baseline.map { measureAgain(run, $0, progress) }
        progress.clear()
        let output = BenchmarkOutput(run: run)
        let lines = json ? output.json(seconds: wallSeconds() - start, worse: worse) : output.text
        StandardStream.output.print(lines.joined(separator: "\n"))
        if let baseline, let worse { try judge(worse, run, baseline) }
    }

    private var allowed: Double { tolerance ?? 0.1 }

    /// Measures again the figures that are worse: a disturbance ends, but a change of the code persists.
    private func measureAgain(
        _ run: BenchmarkRun, _ baseline: BenchmarkBaseline, _ progress: ProgressBar
    ) -> [BenchmarkFigure] {
        var worse = baseline.worse(run.figures, tolerance: allowed)
        for _ in 0..<2 where !worse.isEmpty {
            run.measure(seconds: seconds / 4, only: Set(worse.map(\.name))) { _ in progress.update(fraction: 1) }
            worse = baseline.worse(run.figures, tolerance: allowed)
        }
        return worse
    }

    private func judge(_ worse: [BenchmarkFigure], _ run: BenchmarkRun, _ baseline: BenchmarkBaseline) throws {
        let compared = run.figures.filter { baseline.values[$0.name] != nil }
        guard !compared.isEmpty else {
            throw Failure(.data, "The baseline has none of this version's figures; make a new one with --json.")
        }
        if let other = baseline.processor, other != HostSystem.processor, !quiet {
            StandardStream.error.print(
                "note: the baseline is of another processor, \(other.escapedForTerminal), whose ratios may differ")
        }
        for figure in worse {
            let before = baseline.values[figure.name] ?? 0
            let share = before > 0 ? " (+\(DecimalText.text(100 * (figure.value / before - 1), decimals: 0)) %)" : ""
            StandardStream.error.print(
                "worse: \(figure.name): \(DecimalText.short(figure.value, decimals: 3)) \(figure.unit), "
                    + "before \(DecimalText.short(before, decimals: 3))\(share)")
        }
        if !worse.isEmpty { throw ExitCode(1) }
        if !quiet {
            StandardStream.error.print(
                "no figure of \(compared.count) is worse by more than "
                    + "\(DecimalText.short(100 * allowed)) %")
        }
    }
}
