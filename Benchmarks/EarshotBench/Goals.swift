import ArgumentParser
import EarshotChannel
import EarshotCoding
import EarshotLoopback
import EarshotModem

/// The receiver at its limit: scenes close to failure, each with a goal for the share of tokens decoded.
struct GoalsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "goals", abstract: "Measure scenes at the receiver's limit, and the goal of each.",
        discussion: """
            Prints a row each, with its 95 % interval. A scene of n talkers counts the tokens of all of them, so it has 1/n of
            the trials, but at least 100 if that many are asked for.
            """)

    @Option(help: "Trials a row.")
    var trials = 1_000

    @Option(help: "Seed of the first trial.")
    var seed: UInt64 = 1_000_003

    @Option(help: "Only this channel; may be given several times.")
    var channel: [String] = []

    func validate() throws {
        for name in channel where !Goal.all.contains(where: { $0.channel == name }) {
            throw ValidationError("--channel \(name): no goal has this channel.")
        }
    }

    func run() throws {
        var report = Report(title: "Goals", command: "earshot-bench goals --trials \(trials) --seed \(seed)")
        try measureGoals(&report, trialCount: trials, seed: seed, channels: channel)
    }
}

/// A scene and the goal for its share of tokens.
private struct Goal {
    let channel: String
    let profiles: [Profile]
    let snrDecibels: Double
    let share: Double
    let payloadByteCount: Int
    /// The number of repeats that are sent, and combined.
    let repeatCount: Int

    init(
        _ channel: String, _ profiles: [Profile], _ snrDecibels: Double, _ share: Double,
        payloadByteCount: Int = Payload.tokenCount,
        repeatCount: Int = 1
    ) {
        (self.channel, self.profiles, self.snrDecibels, self.share) = (channel, profiles, snrDecibels, share)
        (self.payloadByteCount, self.repeatCount) = (payloadByteCount, repeatCount)
    }

    /// The channel, and what is unusual in the frames.
    var title: String {
        "`\(channel)`" + (payloadByteCount == Payload.tokenCount ? "" : ", \(payloadByteCount) bytes")
            + (repeatCount == 1 ? "" : ", \(repeatCount) repeats")
    }

    /// `standard` at several SNRs: a louder signal must not lower the share.
    private static func sweep(_ channel: String, _ snrDecibels: [Double], _ share: Double) -> [Goal] {
        snrDecibels.map { Goal(channel, [.standard], $0, share) }
    }

    static let all = scenes + sweeps + frames + arrays

    private static let scenes = [
        Goal("awgn", [.standard], -9.2, 0.9), Goal("awgn", [.far], -12, 0.9), Goal("awgn", [.fast], -4.8, 0.9),
        Goal("room-b", [.fast], 25, 0.98), Goal("hall", [.fast], 25, 0.92),
        Goal("room-a", [.standard], -5.5, 0.9), Goal("room-b", [.standard], -2, 0.9),
        Goal("room-c", [.standard], -2, 0.9),
        Goal("room-a", [.far], -8.5, 0.9), Goal("room-b", [.far], -7, 0.9), Goal("room-c", [.far], -7, 0.9),
        // Constant Doppler may cost 0.3 dB.
        Goal("approach", [.standard], -8.9, 0.9), Goal("recede", [.standard], -8.9, 0.9),
        // The search covers more than twice that offset, which may cost 0.4 dB.
        Goal("approach-fast", [.standard], -8.8, 0.9), Goal("recede-fast", [.standard], -8.8, 0.9),
        Goal("approach-fast", [.far], -11.6, 0.9), Goal("approach-fast", [.fast], -5.8, 0.9),
        Goal("walk", Profile.all, 15, 0.97),
        Goal("walk", [.standard], -8, 0.9), Goal("walk", [.far], -10, 0.9), Goal("walk", [.fast], -5.9, 0.9),
        Goal("hand", [.standard], -8, 0.9), Goal("hand", [.standard], -5, 0.9), Goal("hand", [.far], -9.5, 0.9),
        Goal("hand", [.far], 5, 0.9), Goal("hand-fast", [.standard], 0, 0.9),
        Goal("pilot", Profile.all, 10, 0.98), Goal("pilot-20", Profile.all, 10, 0.97),
        Goal("pilot-30", Profile.all, 10, 0.9), Goal("pilot-50", Profile.all, 10, 0.98),
        Goal("tone-below", Profile.all, 10, 0.98), Goal("tone-above", Profile.all, 10, 0.98),
        Goal("sweep-10", Profile.all, 10, 0.9), Goal("sweep-20", Profile.all, 10, 0.9),
        Goal("sweep-40", Profile.all, 10, 0.9),
        Goal("keys", Profile.all, 10, 0.97),
        Goal("dropout-60", [.fast], 20, 0.95), Goal("dropout-120", [.fast], 20, 0.95),
        Goal("dropout-100", [.standard], 20, 0.95), Goal("dropout-150", [.standard], 20, 0.95),
        Goal("dropout-200", [.standard], 20, 0.95), Goal("dropout-300", [.standard], 20, 0.95),
        Goal("dropout-400", [.far], 20, 0.95), Goal("dropout-600", [.far], 20, 0.95),
        Goal("crowd-2", [.standard], -8.6, 0.9), Goal("crowd-4", [.standard], -8.2, 0.9),
        Goal("crowd-2", [.far], -11.4, 0.9), Goal("crowd-4", [.far], -11, 0.9),
        Goal("crowd-2", [.fast], -5, 0.9), Goal("crowd-4", [.fast], -4, 0.9),
        Goal("crowd-4", [.standard], 15, 0.98), Goal("crowd-6", [.standard], 15, 0.98),
        Goal("crowd-8", [.standard], 15, 0.97), Goal("crowd-10", [.standard], 15, 0.95),
        Goal("crowd-12", [.standard], 15, 0.5),
        Goal("crowd-4-room-a", [.standard], 15, 0.98), Goal("crowd-6-room-a", [.standard], 15, 0.6),
        Goal("crowd-3-room-b", [.standard], 20, 0.85),
        Goal("near-far-10", [.standard], 25, 0.98), Goal("near-far-20", [.standard], 30, 0.98),
        Goal("near-far-30", [.standard], 40, 0.8), Goal("near-far-10-room-a", [.standard], 25, 0.96),
    ]

    private static let sweeps =
        sweep("lowpass-19400", [0, 10, 20, 30], 0.98) + sweep("lowpass-19250", [0, 10, 20, 30], 0.9)
        + zip(Profile.all, [100, 200, 400]).flatMap { profile, milliseconds in
            ["cut-start", "late"].map { Goal("\($0)-\(milliseconds)", [profile], 20, 0.95) }
        } + [Goal("concealed", Profile.all, 20, 0.97)] + sweep("fade", [10, 20, 30], 0.95)
        + sweep("gate", [-5, 0, 10, 20], 0.95) + sweep("agc", [-7], 0.9)

    /// Long payloads, and repeats of a token.
    private static let frames = [
        Goal("awgn", [.standard], -8.5, 0.9, payloadByteCount: 32),
        Goal("room-a", [.standard], -4.5, 0.9, payloadByteCount: 32),
        Goal("walk", [.standard], -6, 0.9, payloadByteCount: 32),
        Goal("crowd-2", [.standard], -7, 0.9, payloadByteCount: 32),
        Goal("awgn", [.standard], -12, 0.9, repeatCount: 3), Goal("walk", [.standard], -10, 0.9, repeatCount: 3),
    ]

    /// Several microphones.
    private static let arrays = [
        Goal("mics-2", [.standard], -11, 0.9), Goal("mics-4", [.standard], -12.5, 0.9),
        Goal("mics-2-room-b", [.standard], -6.3, 0.9),
        Goal("mics-2-dead", [.standard], -9, 0.9), Goal("mics-2-noisy", [.standard], -9, 0.9),
    ]
}

func measureGoals(_ report: inout Report, trialCount: Int, seed: UInt64, channels: [String] = []) throws {
    report.add(
        "8-byte tokens, if no other length is named; the share of the tokens sent that decode. \(trialCount) trials a row; a row with n talkers has 1/n of "
            + "that, at least \(min(100, trialCount)). Seed \(seed), 95 % intervals of the trials. By the energies of its tones alone "
            + "`standard` can reach 90 % from −9.7 dB on in white noise.\n"
    )
    report.add("| channel | profile | SNR | goal | decoded | tokens sent | wrong |\n|---|---|---|---|---|---|---|")
    let goals = Goal.all.filter { channels.isEmpty || channels.contains($0.channel) }
    let progress = Progress("goals", total: goals.reduce(0) { $0 + $1.profiles.count })
    var doneCount = 0
    for goal in goals {
        guard let preset = AirPreset.named(goal.channel) else { preconditionFailure("no channel \(goal.channel)") }
        for profile in goal.profiles {
            var scene = AirScene()
            (scene.profile, scene.air, scene.snrDecibels) = (profile, preset.air, goal.snrDecibels)
            (scene.payloadByteCount, scene.burstCount, scene.combinedCount) = (
                goal.payloadByteCount, goal.repeatCount, goal.repeatCount
            )
            let count = max(min(100, trialCount), trialCount / preset.air.talkerLevelsDecibels.count)
            let simulation = try Simulation(order(of: scene, trialCount: count, seed: seed))
            guard let point = simulation.point(snrDecibels: goal.snrDecibels) else { return }
            report.add(
                "| \(goal.title) | `\(profile.name)` | \(decimal(goal.snrDecibels, 1)) dB | "
                    + "≥ \(decimal(100 * goal.share, 0)) % | \(decimal(100 * point.decodedShare, 1)) % "
                    + "(\(decimal(100 * point.interval.low, 1))–\(decimal(100 * point.interval.high, 1))) | "
                    + "\(point.tally.sentCount) | \(point.tally.wrongCount) |")
            doneCount += 1
            progress.update(doneCount)
        }
    }
}
