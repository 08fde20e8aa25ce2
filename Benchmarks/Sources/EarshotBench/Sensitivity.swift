import ArgumentParser
import EarshotChannel
import EarshotLoopback
import EarshotModem
import Foundation

/// Success in simulated air: the promises of the tests with more trials, and the curves behind them.
struct SensitivityCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sensitivity", abstract: "Share of tokens decoded in simulated air.")

    @Option(help: "Trials a row.")
    var trials = 1_000

    @Option(help: "Seed of the first trial.")
    var seed: UInt64 = 1_000_003

    func run() throws {
        var report = Report(
            title: "Sensitivity", command: "earshot-bench sensitivity --trials \(trials) --seed \(seed)")
        try measureSensitivity(&report, trialCount: trials, seed: seed)
    }
}

/// Runs trials on all cores.
func tally(_ scene: AirScene, trialCount: Int, seed: UInt64) -> AirTally {
    let outcomes = Outcomes(count: trialCount)
    DispatchQueue.concurrentPerform(iterations: trialCount) { trial in
        guard let outcome = try? scene.run(seed: seed &+ UInt64(trial) &* 0x1_0001) else { return }
        outcomes.set(trial, outcome)
    }
    var tally = AirTally()
    for outcome in outcomes.all {
        tally.add(outcome)
    }
    return tally
}

/// Outcomes by trial, so that their order does not depend on the threads.
private final class Outcomes: @unchecked Sendable {
    private let lock = NSLock()
    private var slots: [AirScene.Outcome?]

    init(count: Int) {
        slots = [AirScene.Outcome?](repeating: nil, count: count)
    }

    func set(_ index: Int, _ outcome: AirScene.Outcome) {
        lock.withLock { slots[index] = outcome }
    }

    var all: [AirScene.Outcome] { slots.compactMap { $0 } }
}

func measureSensitivity(_ report: inout Report, trialCount: Int, seed: UInt64) throws {
    report.add("8-byte tokens, \(trialCount) trials a row, seed \(seed), 95 % intervals.\n")
    report.add("| scene | promise | decoded | wrong | duplicates |\n|---|---|---|---|---|")
    for row in AirPromise.all {
        let result = tally(row.scene, trialCount: trialCount, seed: seed)
        let interval = BinomialInterval(successCount: result.decodedCount, trialCount: result.trialCount)
        report.add(
            "| \(row.name) | ≥ \(decimal(100 * row.leastShare, 0)) % | \(decimal(100 * result.decodedShare, 1)) % "
                + "(\(decimal(100 * interval.low, 1))–\(decimal(100 * interval.high, 1))) | \(result.wrongCount) | "
                + "\(result.duplicateCount) |")
    }
    report.add("\nSNR at which 90 % decode, by interpolation between steps of 0.5 dB:\n")
    report.add("| profile | white noise | room A | room B | room C |\n|---|---|---|---|---|")
    for profile in Profile.all {
        var cells: [String] = []
        for room in [nil, Room.a, Room.b, Room.c] {
            cells.append(snrAtNinetyPercent(profile, room, trialCount: max(trialCount / 4, 100), seed: seed))
        }
        report.add("| `\(profile.name)` | " + cells.joined(separator: " | ") + " |")
    }
}

/// Walks down from a high SNR until less than 90 % decode.
private func snrAtNinetyPercent(_ profile: Profile, _ room: Room?, trialCount: Int, seed: UInt64) -> String {
    var scene = AirScene()
    scene.profile = profile
    scene.room = room
    let bound = profile.name == "fast" ? -5.5 : profile.name == "standard" ? -9.0 : -12.0
    let highest = bound + (room == nil ? 3 : 30)
    var above: (snr: Double, share: Double)?
    // Coarse steps first, to get near.
    var snr = highest
    var step = room == nil ? 0.5 : 4.0
    while snr >= bound - 1 {
        scene.snrDecibels = snr
        let share = tally(scene, trialCount: step > 0.5 ? 60 : trialCount, seed: seed).decodedShare
        if share < 0.9 {
            guard let last = above else { return "above \(decimal(highest, 0)) dB" }
            if step > 0.5 {
                step = 0.5
                snr = last.snr
                above = nil
                // From the last good coarse step on, finely; one step up again in case that was luck.
                snr += 1
                continue
            }
            let place = last.snr - 0.5 * (last.share - 0.9) / max(last.share - share, 1e-9)
            return "\(decimal(place, 1)) dB"
        }
        above = (snr, share)
        snr -= step
    }
    return "below \(decimal(bound - 1, 0)) dB"
}
