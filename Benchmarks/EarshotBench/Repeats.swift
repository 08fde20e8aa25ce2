import ArgumentParser
import EarshotLoopback
import EarshotModem
import EarshotTrials

/// Measures the gain of sending a token several times and decoding the repeats together.
struct RepeatsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "repeats", abstract: "Measure the SNR of 90 % for bursts of tokens that are read together.")

    @Option(help: "Trials a point near 90 %.")
    var trials = 1_000

    @Option(help: "Seed of the first trial.")
    var seed: UInt64 = 1_000_003

    func run() throws {
        var report = Report(title: "Repeats", command: "earshot-bench repeats --trials \(trials) --seed \(seed)")
        try measureRepeats(&report, trialCount: trials, seed: seed)
    }
}

/// The way in which a burst is sent and read.
private struct Repetition {
    /// Frames sent, one after the other.
    var burstCount: Int
    /// Frames read together.
    var combinedCount: Int

    static let alone = Repetition(burstCount: 1, combinedCount: 1)
    /// A burst whose frames are read one by one: four chances.
    static let fourAlone = Repetition(burstCount: 4, combinedCount: 1)
    static let together = [2, 4, 8].map { Repetition(burstCount: $0, combinedCount: $0) }

    func limit(_ profile: Profile, trialCount: Int, seed: UInt64) throws -> SimulatedLimit {
        var scene = AirScene()
        scene.profile = profile
        (scene.burstCount, scene.combinedCount) = (burstCount, combinedCount)
        return try SimulatedLimit(of: order(of: scene, trialCount: trialCount, seed: seed), share: 0.9)
    }
}

func measureRepeats(_ report: inout Report, trialCount: Int, seed: UInt64) throws {
    report.add(
        "SNR at which 90 % of the tokens are received in white noise, with its 95 % interval; \(trialCount) trials a point near "
            + "it, seed \(seed) and those after it. A token sent four times and read frame by frame counts if one frame is "
            + "read. The gain is that of four frames read together (`--burst 4`, `--combine 4`) over one.\n")
    report.add(
        "| profile | one frame | four, each alone | 2 together | 4 together | 8 together | gain of four "
            + "| tokens sent | wrong | duplicates |\n|---|---|---|---|---|---|---|---|---|---|")
    let repetitions = [Repetition.alone, .fourAlone] + Repetition.together
    let progress = Progress("repeats", total: repetitions.count * Profile.all.count)
    var doneCount = 0
    for profile in Profile.all {
        var limits: [SimulatedLimit] = []
        var total = AirTally()
        for (index, repetition) in repetitions.enumerated() {
            // Each point has seeds of its own, so that the crossings are independent and
            // their intervals can be combined.
            let limit = try repetition.limit(profile, trialCount: trialCount, seed: seed + UInt64(index))
            limits.append(limit)
            total.add(limit.tally)
            doneCount += 1
            progress.update(doneCount)
        }
        let gain = gain(of: limits[3].crossing, over: limits[0].crossing)
        report.add(
            "| `\(profile.name)` | " + limits.map(text).joined(separator: " | ")
                + " | \(gain) | \(total.sentCount) | \(total.wrongCount) | \(total.duplicateCount) |")
    }
}

/// The difference of two independent crossings in decibels, and its 95 % interval:
///
///     g = a − b,   g + √((a⁺ − a)² + (b − b⁻)²),   g − √((a − a⁻)² + (b⁺ − b)²)
func gain(of better: CurveCrossing?, over usual: CurveCrossing?) -> String {
    guard let usual, let better, let a = usual.snrDecibels, let b = better.snrDecibels else { return "unknown" }
    guard let aLow = usual.lowDecibels, let aHigh = usual.highDecibels, let bLow = better.lowDecibels,
        let bHigh = better.highDecibels
    else { return "**\(decimal(a - b, 2)) dB**" }
    func length(_ x: Double, _ y: Double) -> Double { (x * x + y * y).squareRoot() }
    let (low, high) = (a - b - length(a - aLow, bHigh - b), a - b + length(aHigh - a, b - bLow))
    return "**\(decimal(a - b, 2)) dB** (\(decimal(low, 2)) to \(decimal(high, 2)))"
}
