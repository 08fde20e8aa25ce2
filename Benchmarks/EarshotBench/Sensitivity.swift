import ArgumentParser
import EarshotChannel
import EarshotLoopback
import EarshotModem
import EarshotTrials
import Foundation

/// Measures the project's promises and the receiver's limits in simulated air.
struct SensitivityCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sensitivity",
        abstract: "Measure the share of tokens decoded in simulated air, and the SNR of 90 %.",
        discussion: """
            First the promises, a row each; then the SNR at which 90 % decode, for every profile in every channel of \
            `earshot simulate --list`, with 95 % intervals. `earshot simulate` shows each of them as a curve.
            """)

    @Option(help: "Trials a row of the promises.")
    var trials = 1_000

    @Option(help: "Frames a point near 90 %.")
    var limitTrials = 300

    @Option(help: "Seed of the first trial.")
    var seed: UInt64 = 1_000_003

    @Option(help: "Only this channel; may be given several times.")
    var channel: [String] = []

    func validate() throws {
        for name in channel where AirPreset.named(name) == nil {
            throw ValidationError("--channel \(name): there is no such channel; earshot simulate --list prints all.")
        }
    }

    func run() throws {
        let presets = channel.isEmpty ? AirPreset.all : channel.compactMap { AirPreset.named($0) }
        var report = Report(
            title: "Sensitivity",
            command: "earshot-bench sensitivity --trials \(trials) --limit-trials \(limitTrials) --seed \(seed)")
        if channel.isEmpty { try measurePromises(&report, trialCount: trials, seed: seed) }
        try measureLimits(&report, presets, trialCount: limitTrials, seed: seed)
    }
}

/// Trials of a scene on all cores.
func order(of scene: AirScene, trialCount: Int, seed: UInt64) -> SimulationOrder {
    var order = SimulationOrder(scene)
    order.trialCount = trialCount
    order.minimumTrialCount = trialCount
    order.precision = 0
    order.seed = seed
    order.threadCount = ProcessInfo.processInfo.activeProcessorCount
    return order
}

func measurePromises(_ report: inout Report, trialCount: Int, seed: UInt64) throws {
    report.add("8-byte tokens, \(trialCount) trials a row, seed \(seed), 95 % intervals.\n")
    report.add("| scene | promise | decoded | wrong | duplicates |\n|---|---|---|---|---|")
    for row in AirPromise.all {
        let simulation = try Simulation(order(of: row.scene, trialCount: trialCount, seed: seed))
        guard let point = simulation.point(snrDecibels: row.scene.snrDecibels) else { return }
        report.add(
            "| \(row.name) | ≥ \(decimal(100 * row.minimumShare, 0)) % | \(decimal(100 * point.decodedShare, 1)) % "
                + "(\(decimal(100 * point.interval.low, 1))–\(decimal(100 * point.interval.high, 1))) | "
                + "\(point.tally.wrongCount) | \(point.tally.duplicateCount) |")
    }
}

func measureLimits(_ report: inout Report, _ presets: [AirPreset], trialCount: Int, seed: UInt64) throws {
    report.add(
        "\nSNR at which 90 % of the frames sent decode, with its 95 % interval; \(trialCount) frames a point near it, at "
            + "least 30 trials; seed \(seed). If 90 % never decode, the maximum share is given. Wrong tokens and duplicates are those of all "
            + "trials of a row. Eb/N0 is 14.1 dB above the SNR for `standard` (11.1 `fast`, 17.2 `far`).\n")
    report.add(
        "| channel | " + Profile.all.map { "`\($0.name)`" }.joined(separator: " | ")
            + " | frames sent | wrong | duplicates |")
    report.add("|---|" + Profile.all.map { _ in "---|" }.joined() + "---|---|---|")
    let progress = Progress("limits", total: presets.count * Profile.all.count)
    var doneCount = 0
    for preset in presets {
        var cells: [String] = []
        var total = AirTally()
        for profile in Profile.all {
            var scene = AirScene()
            scene.profile = profile
            scene.air = preset.air
            // Every talker's frame counts.
            let count = max(30, trialCount / preset.air.talkerLevelsDecibels.count)
            let limit = try SimulatedLimit(of: order(of: scene, trialCount: count, seed: seed), share: 0.9)
            total.add(limit.tally)
            cells.append(text(limit))
            doneCount += 1
            progress.update(doneCount)
        }
        report.add(
            "| `\(preset.name)` | " + cells.joined(separator: " | ")
                + " | \(total.sentCount) | \(total.wrongCount) | \(total.duplicateCount) |")
    }
    report.add("\n" + presets.map { "`\($0.name)`: \($0.summary)" }.joined(separator: "; ") + ".")
}

/// A text such as -8.3 (-8.5 to -8.2), or the maximum share.
func text(_ limit: SimulatedLimit) -> String {
    guard let crossing = limit.crossing, let snr = crossing.snrDecibels else {
        return "never, at most \(decimal(100 * limit.bestShare, 0)) %"
    }
    func end(_ value: Double?) -> String { value.map { decimal($0, 1) } ?? "?" }
    return "**\(decimal(snr, 1))** (\(end(crossing.lowDecibels)) to \(end(crossing.highDecibels)))"
}
