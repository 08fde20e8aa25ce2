import ArgumentParser
import Foundation

/// The gate of CI: a few minutes, only ratios and shares, and a message that names each
/// loss and the command that repeats it.
struct GateCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "gate", abstract: "The quick gate for CI: exit 1 with the reason if a check fails.",
        discussion: """
            Checks allocations, kernels against their naive twins, the receiver's speed against a fixed loop and with tokens
            against noise, the share of tokens decoded at two SNRs a profile against Benchmarks/Reference/success.json, wrong
            tokens and false ones. With --only, a check has the same random numbers as in a whole run.

              earshot-bench gate --only 'standard, white noise' --seed 31
              earshot-bench gate --repeat 20
              earshot-bench gate --record
            """)

    @Option(help: "Seed; the same one gives the same trials.")
    var seed: UInt64 = 31

    @Option(help: "Make only the checks with this text in their name.")
    var only: String?

    @Option(name: .customLong("repeat"), help: "Runs to make, with seeds from --seed on, to count verdicts.")
    var repetitions = 1

    @Option(help: "Trials a point.")
    var trials = 300

    @Flag(help: "Print JSON instead of a table.")
    var json = false

    @Flag(help: "Measure the reference anew and write it (six minutes of two cores).")
    var record = false

    @Flag(help: "Print how likely each point of the reference fails by chance, and after the loss it was recorded for.")
    var chances = false

    @Option(help: "The file with the reference.")
    var reference = SuccessReference.defaultPath()

    func validate() throws {
        if repetitions < 1 { throw ValidationError("--repeat \(repetitions): run at least once") }
        if trials < 1 { throw ValidationError("--trials \(trials): make at least one") }
    }

    func run() throws {
        if record {
            let recorder = SuccessRecorder(seed: seed)
            let command = "earshot-bench gate --record --seed \(seed)"
            try recorder.record(command: command).save(reference)
            print("wrote \(reference)")
            return
        }
        if chances {
            printChances(try SuccessReference.load(reference))
            return
        }
        let items = gateItems(reference: try SuccessReference.load(reference), trialCount: trials)
            .filter { only.map($0.name.contains) ?? true }
        guard !items.isEmpty else {
            throw ValidationError("no check's name holds '\(only ?? "")'; they are listed by earshot-bench gate")
        }
        if repetitions > 1 {
            try runRepeatedly(items)
        } else {
            try runOnce(items)
        }
    }

    private func printChances(_ reference: SuccessReference) {
        print("Recorded on \(reference.recorded) by \(reference.command); \(trials) trials a point.\n")
        print(
            "| point | was | must reach | fails by chance | \(reference.lossDecibels) dB lower | that fails |\n|---|---|---|---|---|---|"
        )
        for point in reference.points {
            let check = SuccessCheck(point: point, reference: reference, trialCount: trials)
            let chances = check.failureChances
            print(
                "| \(point.title) | \(percent(point.now.share)) | \(percent(check.minimumShare)) | "
                    + String(format: "%.0e", chances.unchanged) + " | \(percent(point.afterLoss.share)) | "
                    + String(format: "%.4f", chances.afterLoss) + " |")
        }
    }

    private func runOnce(_ items: [GateItem]) throws {
        var report = Report(title: "Gate", command: "earshot-bench gate --seed \(seed)")
        report.isQuiet = json
        report.add("| check | measured | wanted | verdict |\n|---|---|---|---|")
        var checks: [GateCheck] = []
        for item in items {
            var check = try item.measure(seed)
            if check.verdict == .failed { check.again = again(check.name) }
            checks.append(check)
            let verdict = check.verdict == .failed ? "**FAILED**" : check.verdict.rawValue
            report.add("| \(check.name) | \(check.measured) | \(check.wanted) | \(verdict) |")
        }
        let failures = checks.filter { $0.verdict == .failed }
        if json {
            let result = GateResult(seed: seed, failedCount: failures.count, checks: checks)
            try printJSON(result)
        } else {
            report.add("")
            for check in checks where check.explanation != nil && check.verdict != .failed {
                report.add("NOTE: \(check.explanation ?? "")")
            }
            for check in failures {
                report.add("FAILED: \(check.explanation ?? check.name)")
                report.add("  again: \(check.again ?? "")")
            }
            report.add(failures.isEmpty ? "gate: all good" : "gate: \(failures.count) failed")
        }
        if !failures.isEmpty { throw ExitCode.failure }
    }

    private func again(_ name: String) -> String {
        let trialOption = trials == 300 ? "" : " --trials \(trials)"
        return ".build/release/earshot-bench gate --only '\(name)' --seed \(seed)"
            + trialOption
    }

    private func runRepeatedly(_ items: [GateItem]) throws {
        var report = Report(title: "Gate", command: "earshot-bench gate --repeat \(repetitions) --seed \(seed)")
        report.isQuiet = json
        var counts = [[GateCheck.Verdict: Int]](repeating: [:], count: items.count)
        var failedRunCount = 0
        let progress = Progress("gate", total: repetitions)
        for run in 0..<repetitions {
            var hasFailed = false
            for (index, item) in items.enumerated() {
                let check = try item.measure(seed + UInt64(run))
                counts[index][check.verdict, default: 0] += 1
                if check.verdict != .passed {
                    report.add("seed \(seed + UInt64(run)): \(check.explanation ?? check.name)")
                }
                hasFailed = hasFailed || check.verdict == .failed
            }
            failedRunCount += hasFailed ? 1 : 0
            progress.update(run + 1)
        }
        report.add("| check | passed | failed | better |\n|---|---|---|---|")
        for (item, count) in zip(items, counts) {
            let cells = GateCheck.Verdict.allCases.map { "\(count[$0] ?? 0)" }
            report.add("| \(item.name) | " + cells.joined(separator: " | ") + " |")
        }
        if json {
            let result = zip(items, counts).map { item, count in
                (item.name, Dictionary(uniqueKeysWithValues: count.map { ($0.rawValue, $1) }))
            }
            try printJSON(Dictionary(uniqueKeysWithValues: result))
        } else {
            report.add("\ngate: \(failedRunCount) of \(repetitions) runs failed")
        }
        if failedRunCount > 0 { throw ExitCode.failure }
    }
}

private func printJSON(_ value: some Encodable) throws {
    let encoder = JSONEncoder()
    encoder.keyEncodingStrategy = .convertToSnakeCase
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    print(String(decoding: try encoder.encode(value), as: UTF8.self))
}

/// The output of `--json`.
private struct GateResult: Codable {
    var seed: UInt64
    var failedCount: Int
    var checks: [GateCheck]
}
