import ArgumentParser
import EarshotBasics
import EarshotBenchmark
import EarshotChannel
import EarshotModem
import EarshotTrials
import Foundation

/// Searches for the sound that costs a receiver the most time.
struct WorstCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "worst",
        abstract: "Search for the sound that costs a receiver most, and say how fast it decodes that.",
        discussion: """
            Draws random hostile sounds, keeps the slowest, and changes them at random as long as that makes them slower. A \
            sound's speed is that of its second half, on one core: by then the budget of decoding work has nothing saved up.
            """)

    @Option(help: "Random sounds to begin with.")
    var sounds = 60

    @Option(help: "Changes tried of each of the slowest five.")
    var changes = 16

    @Option(help: "Seconds of each sound.")
    var seconds = 24.0

    @Option(help: "Seed of all sounds.")
    var seed: UInt64 = 1

    func validate() throws {
        if sounds < 5 { throw ValidationError("--sounds \(sounds): at least 5") }
        if changes < 0 { throw ValidationError("--changes \(changes): 0 or more") }
        if seconds < 2 { throw ValidationError("--seconds \(seconds): at least 2") }
    }

    func run() throws {
        var report = Report(title: "Worst sounds", command: "earshot-bench worst --seed \(seed)")
        try measureWorst(&report, soundCount: sounds, changeCount: changes, seconds: seconds, seed: seed)
    }
}

func measureWorst(
    _ report: inout Report, soundCount: Int, changeCount: Int, seconds: Double, seed: UInt64
) throws {
    let survivorCount = 5
    var random = SeededGenerator(seed: seed)
    var costs = try ([HostileSound.syncPatterns] + (1..<soundCount).map { _ in HostileSound(using: &random) }).map {
        try HostileCost($0, seconds: seconds)
    }
    let drawn = costs.map(\.speed)
    costs.sort { $0.speed < $1.speed }
    costs.removeLast(costs.count - survivorCount)
    for _ in 0..<changeCount {
        for index in costs.indices {
            let changed = try HostileCost(costs[index].sound.changed(using: &random), seconds: seconds)
            if changed.speed < costs[index].speed { costs[index] = changed }
        }
    }
    costs.sort { $0.speed < $1.speed }
    report.add(
        "One core, one channel, all profiles on: the second half of \(decimal(seconds, 0)) s. \(soundCount) random sounds, "
            + "seed \(seed): median \(decimal(median(drawn), 0)) × real time. The slowest \(survivorCount) after "
            + "\(changeCount) changes:\n")
    report.add("| sound | × real time | rejected by the budget, a second |\n|---|---|---|")
    for cost in costs {
        report.add("| \(cost.sound) | \(decimal(cost.speed, 1)) | \(decimal(cost.rejectedPerSecond, 0)) |")
    }
}

/// The cost of a hostile sound.
struct HostileCost {
    var sound: HostileSound
    /// Multiples of real time.
    var speed: Double
    /// Attempts that the budget did not allow, a second.
    var rejectedPerSecond: Double

    init(_ sound: HostileSound, seconds: Double) throws {
        self.sound = sound
        let samples = sound.samples(seconds: seconds, sampleRateHertz: 48_000)
        var receiver = try Receiver(sampleRateHertz: 48_000)
        let half = samples.count / 2
        receiver.push(samples.span.extracting(0..<half)) { _ in }
        let before = receiver.statistics.rejectedByBudget
        let start = processorSeconds()
        receiver.push(samples.span.extracting(half..<samples.count)) { _ in }
        speed = seconds / 2 / (processorSeconds() - start)
        rejectedPerSecond = Double(receiver.statistics.rejectedByBudget - before) / (seconds / 2)
    }
}
