import ArgumentParser
import EarshotChannel
import EarshotLoopback
import EarshotModem
import Foundation

/// What the project promises, and where the receiver's limit is, in simulated air.
struct SensitivityCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sensitivity", abstract: "Share of tokens decoded in simulated air, and the SNR of 90 %.",
        discussion: """
            First the promises, a row each; then the SNR at which 90 % are decoded, for every profile in every channel of \
            `earshot simulate --list`, with 95 % intervals. `earshot simulate` shows each of them as a curve.
            """)

    @Option(help: "Trials a row, and a point near 90 %.")
    var trials = 1_000

    @Option(help: "Seed of the first trial.")
    var seed: UInt64 = 1_000_003

    @Option(help: "Only these channels; may be given several times.")
    var channel: [String] = []

    func validate() throws {
        for name in channel where AirPreset.named(name) == nil {
            throw ValidationError("--channel \(name): there is no such channel; earshot simulate --list prints all.")
        }
    }

    func run() throws {
        let presets = channel.isEmpty ? AirPreset.all : channel.compactMap { AirPreset.named($0) }
        var report = Report(
            title: "Sensitivity", command: "earshot-bench sensitivity --trials \(trials) --seed \(seed)")
        if channel.isEmpty { try measurePromises(&report, trialCount: trials, seed: seed) }
        try measureLimits(&report, presets, trialCount: trials, seed: seed)
    }
}

/// Runs trials on all cores.
func simulation(of scene: AirScene, trialCount: Int, seed: UInt64) throws -> Simulation {
    var order = SimulationOrder(scene)
    order.trialCount = trialCount
    order.leastTrialCount = trialCount
    order.precision = 0
    order.seed = seed
    order.threadCount = ProcessInfo.processInfo.activeProcessorCount
    return try Simulation(order)
}

func measurePromises(_ report: inout Report, trialCount: Int, seed: UInt64) throws {
    report.add("8-byte tokens, \(trialCount) trials a row, seed \(seed), 95 % intervals.\n")
    report.add("| scene | promise | decoded | wrong | duplicates |\n|---|---|---|---|---|")
    for row in AirPromise.all {
        let simulation = try simulation(of: row.scene, trialCount: trialCount, seed: seed)
        guard let point = simulation.point(snrDecibels: row.scene.snrDecibels) else { return }
        report.add(
            "| \(row.name) | ≥ \(decimal(100 * row.leastShare, 0)) % | \(decimal(100 * point.decodedShare, 1)) % "
                + "(\(decimal(100 * point.interval.low, 1))–\(decimal(100 * point.interval.high, 1))) | "
                + "\(point.tally.wrongCount) | \(point.tally.duplicateCount) |")
    }
}

func measureLimits(_ report: inout Report, _ presets: [AirPreset], trialCount: Int, seed: UInt64) throws {
    report.add(
        "\nSNR at which 90 % of the frames sent are decoded, and its 95 % interval, from points of \(trialCount) trials; "
            + "wrong tokens in all trials of the row.\n")
    report.add("| channel | " + Profile.all.map { "`\($0.name)`" }.joined(separator: " | ") + " | wrong | trials |")
    report.add("|---|" + Profile.all.map { _ in "---|" }.joined() + "---|---|")
    for preset in presets {
        var cells: [String] = []
        var total = AirTally()
        for profile in Profile.all {
            var scene = AirScene()
            scene.profile = profile
            scene.air = preset.air
            let limit = try SimulatedLimit(of: scene, share: 0.9, trialCount: trialCount, seed: seed)
            total.add(limit.tally)
            cells.append(limit.text)
        }
        report.add(
            "| `\(preset.name)` | " + cells.joined(separator: " | ") + " | \(total.wrongCount) | \(total.trialCount) |")
    }
}
