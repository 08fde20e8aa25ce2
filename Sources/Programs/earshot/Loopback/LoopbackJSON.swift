import EarshotCoding
import EarshotConsole
import EarshotLoopback
import EarshotModem
import EarshotSoundConsole

/// A result as JSON: a line for each profile, then one for all. Later versions may append keys.
struct LoopbackJSON {
    static let maximumMissingCount = 10

    private let result: LoopbackResult
    private var report: LoopbackReport { result.report }

    init(_ result: LoopbackResult) {
        self.result = result
    }

    var lines: [String] { report.profiles.map(line) + [summary] }

    private func line(_ profile: LoopbackProfileReport) -> String {
        var line = JSONLine()
        line.add("profile", profile.name)
        line.add("sent", profile.sentCount)
        line.add("decoded", profile.decodedCount)
        line.add("wrong", profile.wrongCount)
        line.add("duplicates", profile.duplicateCount)
        line.add("missing", profile.missing.prefix(Self.maximumMissingCount).map(\.hex))
        line.add("snr_db", profile.snrDecibels?.median ?? .nan, decimals: 1)
        line.add("snr_min_db", profile.snrDecibels?.minimum ?? .nan, decimals: 1)
        line.add("snr_max_db", profile.snrDecibels?.maximum ?? .nan, decimals: 1)
        line.add("latency_s", profile.latencySeconds?.median ?? .nan, decimals: 3)
        line.add("latency_p95_s", profile.latencySeconds?.percentile95 ?? .nan, decimals: 3)
        line.add("latency_max_s", profile.latencySeconds?.maximum ?? .nan, decimals: 3)
        line.add("level_dbfs", profile.levelDecibels?.median ?? .nan, decimals: 1)
        line.add("passed", result.isPassed(profile))
        return line.text
    }

    private var verdictText: String {
        guard let verdict = report.verdict else { return "" }
        return ([verdict.summary] + verdict.problems.map(\.description)).joined(separator: " ")
    }

    private var summary: String {
        let order = result.program.order
        var line = JSONLine()
        line.add("via", result.via.rawValue)
        line.add("medium", result.medium)
        line.add("rate_hz", order.sampleRateHertz)
        line.add(short: "sent_level_dbfs", result.levelDecibels)
        line.add("seed", Int(order.seed))
        line.add(short: "required_percent", result.requiredPercent)
        line.add("sent", report.sentCount)
        line.add("decoded", report.decodedCount)
        line.add("wrong", report.wrongCount)
        line.add("duplicates", report.duplicateCount)
        line.add("played_s", report.playedSeconds, decimals: 1)
        line.add("clock_ppm", report.clock?.ppm ?? .nan, decimals: 1)
        line.add("clock_uncertainty_ppm", report.clock.map(LoopbackResult.uncertaintyPPM) ?? .nan, decimals: 1)
        line.add("dropouts", report.dropouts.count)
        line.add(short: "dropped_s", result.droppedSeconds)
        line.add("interrupted", report.isCancelled)
        let pair = try? report.pair?.get()
        line.add("response_db", pair?.band.meanDecibels ?? .nan, decimals: 1)
        line.add("ripple_db", pair?.band.rippleDecibels ?? .nan, decimals: 1)
        line.add("noise_dbfs", pair?.noiseLevelDecibels ?? .nan, decimals: 1)
        line.add("cut_off_hz", pair?.cutOffHertz ?? .nan, decimals: 0)
        line.add("problems", report.verdict?.problems.map(\.name) ?? [])
        line.add("verdict", verdictText)
        line.add("passed", result.isPassed)
        return line.text
    }
}
