import ArgumentParser
import EarshotModem
import EarshotTrials

/// Listens to hours of sound without tokens.
struct FalseTokensCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "false-tokens",
        abstract: "Listen to hours of noise, music, speech and other modems, and count false tokens.",
        discussion: """
            The program generates noise, keys, pilot tones, modulations and damaged frames. --audio gives recordings: files or
            folders, in any format that libsndfile reads at 44.1 kHz or more. It plays them again and again, each time at another
            speed (within 3 %), level and start. Benchmarks/recordings.sh gathers music, effects and speech,
            Benchmarks/Peers/sounds.sh the sounds of other programs.

            The result depends on --hours and --seed, not on --threads.

              earshot-bench false-tokens --hours 0.05
              earshot-bench false-tokens --hours 100 --only Earshot --seed 2
            """)

    @Option(help: "Hours of each kind.")
    var hours = 10.0

    @Option(help: "A file or folder of recordings; may be repeated, and each is a kind of its own.")
    var audio: [String] = []

    @Option(help: "Only the kinds with this text in their name.")
    var only: String?

    @Option(help: "Seed.")
    var seed: UInt64 = 1

    @Option(help: "Threads; one a core if not given.")
    var threads: Int?

    func validate() throws {
        if hours <= 0 { throw ValidationError("--hours \(hours): listen for more than nothing") }
        if let threads, threads < 1 { throw ValidationError("--threads \(threads): at least one") }
    }

    func run() throws {
        var report = Report(
            title: "False tokens", command: "earshot-bench false-tokens --hours \(hours) --seed \(seed)")
        try measureFalseTokens(
            &report, hours: hours, recordings: audio, seed: seed, only: only, threadCount: threads)
    }
}

func measureFalseTokens(
    _ report: inout Report, hours: Double, recordings: [String], seed: UInt64, only: String? = nil,
    threadCount: Int? = nil
) throws {
    let kinds = (SoundKind.generated + (try recordings.map(SoundKind.recordings)))
        .filter { only.map($0.name.contains) ?? true }
    guard !kinds.isEmpty else { throw ValidationError("no kind's name holds '\(only ?? "")'") }
    let results = try listen(to: kinds, hours: hours, seed: seed, threadCount: threadCount)
    report.add(
        "| sound | hours | candidates | decoding attempts | good fit, wrong CRC | false tokens | at most in 1,000 hours |\n"
            + "|---|---|---|---|---|---|---|")
    for (kind, result) in zip(kinds, results) where !kind.hasFrames {
        addRow(&report, kind, result)
    }
    let strangers = zip(kinds, results).filter { !$0.0.hasFrames }.map(\.1)
    let falseTokens = strangers.reduce(0) { $0 + $1.wrongFrames.count }
    let heard = strangers.reduce(0) { $0 + $1.hours }
    report.add(
        "\n\(falseTokens) false tokens in \(decimal(heard, 1)) hours: at most "
            + "\(perThousandHours(falseTokens, hours: heard)) in 1,000 hours (95 % confidence). Seed \(seed).")
    let own = zip(kinds, results).filter(\.0.hasFrames)
    guard !own.isEmpty else { return }
    report.add(
        "\nIn sounds that contain frames, a report may be correct:\n\n"
            + "| sound | hours | decoding attempts | right tokens | wrong tokens | wrong, at most in 1,000 hours |\n"
            + "|---|---|---|---|---|---|")
    for (kind, result) in own {
        report.add(
            "| \(kind.name) | \(decimal(result.hours, 1)) | \(result.attemptCount) | \(result.rightCount) | "
                + "**\(result.wrongFrames.count)** | \(perThousandHours(result.wrongFrames.count, hours: result.hours)) |"
        )
    }
    for result in results {
        for frame in result.wrongFrames.prefix(10) {
            report.add("  false: \(frame)")
        }
    }
}

private func addRow(_ report: inout Report, _ kind: SoundKind, _ result: HeardSound) {
    let count = result.wrongFrames.count
    report.add(
        "| \(kind.name) | \(decimal(result.hours, 1)) | \(result.statistics.candidates) | \(result.attemptCount) | "
            + "\(result.statistics.rejectedByCheck) | **\(count)** | \(perThousandHours(count, hours: result.hours)) |")
}

private func perThousandHours(_ count: Int, hours: Double) -> String {
    decimal(PoissonBound.upper(count: count) * 1_000 / hours, 0)
}
