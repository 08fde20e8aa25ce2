import ArgumentParser
import EarshotBenchmark
import EarshotChannel
import EarshotCoding
import EarshotLoopback
import EarshotModem
import EarshotTrials

/// Measures the gain and the cost of several microphones that one receiver hears.
struct ArraysCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "arrays", abstract: "Measure several microphones as one receiver: gain, spacing, cost.")

    @Option(help: "Trials a point near 90 %.")
    var trials = 1_000

    @Option(help: "Seed of the first trial.")
    var seed: UInt64 = 1_000_003

    func run() throws {
        var report = Report(title: "Arrays", command: "earshot-bench arrays --trials \(trials) --seed \(seed)")
        try measureArrays(&report, trialCount: trials, seed: seed)
    }
}

/// An array, the single microphone to compare it with, and the goal for its gain.
private struct ArrayRow {
    let channel: String
    let single: String
    let goalDecibels: Double?

    static let all = [
        ArrayRow(channel: "mics-2", single: "awgn", goalDecibels: 1.9),
        ArrayRow(channel: "mics-4", single: "awgn", goalDecibels: 3.7),
        ArrayRow(channel: "mics-2-room-b", single: "room-b", goalDecibels: 2.5),
        ArrayRow(channel: "mics-2-room-c", single: "room-c", goalDecibels: 2.5),
        ArrayRow(channel: "mics-2-dead", single: "awgn", goalDecibels: -0.3),
        ArrayRow(channel: "mics-2-noisy", single: "awgn", goalDecibels: -0.3),
        ArrayRow(channel: "array-2", single: "office", goalDecibels: nil),
        ArrayRow(channel: "array-4", single: "office", goalDecibels: nil),
    ]
}

func measureArrays(_ report: inout Report, trialCount: Int, seed: UInt64) throws {
    report.add(
        "SNR at which 90 % of `standard` tokens are received, with its 95 % interval; \(trialCount) trials a point near it, seed "
            + "\(seed). The gain is over one microphone of the same air.\n")
    report.add(
        "| microphones | 90 % | one microphone | gain | goal | wrong | duplicates |\n|---|---|---|---|---|---|---|")
    let progress = Progress("arrays", total: ArrayRow.all.count)
    var singles: [String: SimulatedLimit] = [:]
    for (index, row) in ArrayRow.all.enumerated() {
        let single = try singles[row.single] ?? limit(row.single, trialCount: trialCount, seed: seed)
        singles[row.single] = single
        // Seeds of their own, so that the crossings are independent and their intervals can be combined.
        let array = try limit(row.channel, trialCount: trialCount, seed: seed + 1 + UInt64(index))
        report.add(
            "| `\(row.channel)` | \(text(array)) | `\(row.single)` \(text(single)) | "
                + "\(gain(of: array.crossing, over: single.crossing)) | "
                + (row.goalDecibels.map { "≥ \(decimal($0, 1)) dB" } ?? "") + " | \(array.tally.wrongCount) | "
                + "\(array.tally.duplicateCount) |")
        progress.update(index + 1)
    }
    try measureSpacings(&report, trialCount: trialCount, seed: seed)
    try measureArrayCost(&report)
}

private func limit(_ channel: String, trialCount: Int, seed: UInt64) throws -> SimulatedLimit {
    guard let preset = AirPreset.named(channel) else { preconditionFailure("no channel \(channel)") }
    var scene = AirScene()
    scene.air = preset.air
    return try SimulatedLimit(of: order(of: scene, trialCount: trialCount, seed: seed), share: 0.9)
}

// MARK: Spacing

/// The distance that two microphones may have: the receiver places the frame at the same time in all channels.
private func measureSpacings(_ report: inout Report, trialCount: Int, seed: UInt64) throws {
    let spacings = [0.0, 0.1, 0.5, 1, 2, 4]
    report.add(
        "\nTwo microphones at any angle to the talker, in white noise: the share of tokens received, by their distance. "
            + "\(trialCount) trials a cell, seed \(seed).\n")
    report.add("| profile | SNR |" + spacings.map { " \(decimal($0, 1)) m |" }.joined())
    report.add("|---|---|" + spacings.map { _ in "---|" }.joined())
    for (profile, snrDecibels) in [(Profile.fast, -6.7), (.standard, -11.2), (.far, -14.0)] {
        var cells: [String] = []
        for spacing in spacings {
            var scene = AirScene()
            (scene.profile, scene.snrDecibels) = (profile, snrDecibels)
            scene.air.microphones = .row(2, spacingMetres: spacing)
            let simulation = try Simulation(order(of: scene, trialCount: trialCount, seed: seed))
            guard let point = simulation.point(snrDecibels: snrDecibels) else { return }
            cells.append("\(decimal(100 * point.decodedShare, 1)) %")
        }
        report.add(
            "| `\(profile.name)` | \(decimal(snrDecibels, 1)) dB | " + cells.joined(separator: " | ") + " |")
    }
}

// MARK: Cost

/// The processor time of one receiver for all channels, and of a receiver for each.
private func measureArrayCost(_ report: inout Report) throws {
    report.add(
        "\nProcessor time of one receiver for all channels, over that of a receiver for each channel; 120 s of sound, all "
            + "profiles, minimum of 5 runs, goal < 1.2.\n")
    report.add("| sound | 2 channels | 4 channels | 8 channels |\n|---|---|---|---|")
    for (name, snrDecibels) in [("white noise", nil), ("a token every 10 s at 0 dB", 0), ("at 20 dB", 20)]
        as [(String, Double?)]
    {
        let cells = try [2, 4, 8].map { channelCount in
            let sound = try arraySound(channelCount, snrDecibels: snrDecibels)
            let (together, separate) = minimumSeconds(
                runs: 5, { receive(sound, channelCount, separate: false) },
                { receive(sound, channelCount, separate: true) })
            return "\(decimal(together / separate, 2)) (\(decimal(Double(120 * channelCount) / together, 0)) ×)"
        }
        report.add("| \(name) | " + cells.joined(separator: " | ") + " |")
    }
    report.add("\nIn brackets: seconds of channel decoded in a second of one core.")
}

/// Interleaved noise of `channelCount` microphones with the same tokens.
private func arraySound(_ channelCount: Int, snrDecibels: Double?) throws -> [Int16] {
    let (seconds, amplitude) = (120, Float(0.05))
    var noises = (0..<channelCount).map { WhiteNoise(seed: UInt64(31 + $0)) }
    let deviation = WhiteNoise.deviation(
        amplitude: snrDecibels == nil ? 0.01 : amplitude, snrDecibels: snrDecibels ?? 0, sampleRateHertz: 48_000)
    let transmitter = try Transmitter(profile: .standard, sampleRateHertz: 48_000)
    var clean = [Float](repeating: 0, count: seconds * 48_000)
    for number in 0..<(snrDecibels == nil ? 0 : seconds / 10) {
        let payload = try Payload((0..<8).map { UInt8(truncatingIfNeeded: 31 * number + 53 * $0) })
        for (index, sample) in transmitter.samples(payload, amplitude: amplitude).enumerated() {
            clean[(10 * number + 1) * 48_000 + index] = sample
        }
    }
    var samples: [Int16] = []
    samples.reserveCapacity(clean.count * channelCount)
    for sample in clean {
        for channel in noises.indices {
            let heard = sample + deviation * noises[channel].next()
            samples.append(Int16(max(-32_768, min(32_767, (32_768 * heard).rounded()))))
        }
    }
    return samples
}

private func receive(_ samples: [Int16], _ channelCount: Int, separate: Bool) {
    guard
        let bank = try? ReceiverBank(channelCount: channelCount, separate: separate, sampleRateHertz: 48_000)
    else { preconditionFailure("a receiver at 48 kHz") }
    var count = 0
    let length = ReceiverBank.blockFrameCount(channelCount: channelCount) * channelCount
    for first in stride(from: 0, to: samples.count, by: length) {
        bank.push(samples.span.extracting(first..<min(first + length, samples.count))) { _, _ in count += 1 }
    }
    bank.flush { _, _ in count += 1 }
    keep(Float(count))
}
