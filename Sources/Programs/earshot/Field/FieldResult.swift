import EarshotBasics
import EarshotConsole
import EarshotDrawing
import EarshotLoopback

/// The results of a field measurement, as text, JSON and pictures.
struct FieldResult {
    let report: LoopbackReport
    let schedule: FieldScheduleOptions
    let distanceMetres: Double
    let player: String?
    let recorder: String?
    let note: String?
    /// The rate of the recording, in hertz.
    let recordingRateHertz: Int

    private var pair: PairReport? { try? report.pair?.get() }

    /// The level of tokens played `stepDecibels` above the sweeps, in dBFS.
    private func level(_ stepDecibels: Double) -> Double { schedule.loudness.level + stepDecibels }

    /// Crystals keep within 100 ppm, two of them within 200; 2.5 times that is more than clocks differ. Then samples were lost or
    /// inserted between the sweeps: 10 ms in 20 s look like 500 ppm.
    private static let maximumClockPPM = 500.0
    private var clock: ClockDifference? { report.clock.flatMap { abs($0.ppm) <= Self.maximumClockPPM ? $0 : nil } }
    private var hasHole: Bool { report.hasHole || report.clock != nil && clock == nil }

    private var recordedCount: Int { report.levels.reduce(0) { $0 + $1.sentCount } }
    private var scheduledCount: Int { schedule.tokens * report.levels.count }
    /// Whether the recording begins after the schedule, or ends before it.
    private var isIncomplete: Bool { recordedCount < scheduledCount }

    private var metres: String { "\(DecimalText.short(distanceMetres)) m" }

    var json: JSONLine {
        var line = JSONLine()
        line.add("version", ProgramVersion.current)
        line.add(short: "distance_m", distanceMetres)
        for (key, text) in [("player", player), ("recorder", recorder), ("note", note)] {
            if let text { line.add(key, text) } else { line.add(key, .nan, decimals: 0) }
        }
        line.add(short: "level_dbfs", schedule.loudness.level)
        line.add("steps", schedule.steps)
        line.add("tokens", schedule.tokens)
        line.add("seed", schedule.seed)
        line.add("recording_hz", recordingRateHertz)
        line.add(
            "levels",
            report.levels.map { result in
                var line = JSONLine()
                line.add("profile", result.profileName)
                line.add(short: "level_dbfs", level(result.stepDecibels))
                line.add("sent", result.sentCount)
                line.add("decoded", result.decodedCount)
                line.add("snr_db", result.snrDecibels?.median ?? .nan, decimals: 1)
                return line
            })
        line.add("wrong", report.wrongCount)
        line.add("duplicates", report.duplicateCount)
        line.add("clock_ppm", clock?.ppm ?? .nan, decimals: 2)
        line.add("clock_uncertainty_ppm", clock.map { 2 * $0.deviationPPM } ?? .nan, decimals: 2)
        line.add("rt60_s", report.room?.reverberationSeconds ?? .nan, decimals: 3)
        line.add("drr_db", report.room?.directToReverberantDecibels ?? .nan, decimals: 1)
        line.add("response_db", pair?.band.meanDecibels ?? .nan, decimals: 1)
        line.add("ripple_db", pair?.band.rippleDecibels ?? .nan, decimals: 1)
        line.add("noise_dbfs", pair?.noiseLevelDecibels ?? .nan, decimals: 1)
        line.add("cut_off_hz", pair?.cutOffHertz ?? .nan, decimals: 0)
        line.add(
            "problems",
            (isIncomplete ? ["incomplete"] : []) + (hasHole ? ["hole"] : [])
                + (report.verdict?.problems ?? []).map(\.name))
        return line
    }

    var text: [String] {
        let steps = report.levels.map(\.stepDecibels).reduce(into: [Double]()) { steps, step in
            if steps.last != step { steps.append(step) }
        }
        let profiles = report.profiles.map(\.name)
        let header = ["decoded"] + steps.map { "\(DecimalText.short(level($0))) dBFS" }
        let rows = profiles.map { profile in
            [profile]
                + report.levels.filter { $0.profileName == profile }.map { result in
                    let snr = result.snrDecibels.map { ", \(DecimalText.text($0.median, decimals: 1)) dB" } ?? ""
                    return "\(result.decodedCount)/\(result.sentCount)\(snr)"
                }
        }
        return TextTable.lines([header] + rows) + [""] + figures + ["", "row for docs/field.md:", row]
            + (isIncomplete
                ? [
                    "note: the recording has \(recordedCount) of the \(scheduledCount) tokens. Start the recorder before the "
                        + "player, and stop it after the player has ended."
                ] : [])
            + (hasHole
                ? [
                    "note: samples were lost or inserted between the sweeps, or a device moved, so the clocks were not compared. Close "
                        + "other programs, put the devices down, and repeat."
                ]
                : [])
            + (report.verdict?.problems.map { "note: \($0.description)" } ?? [])
    }

    private var figures: [String] {
        func text(_ value: Double?, _ decimals: Int, _ unit: String) -> String {
            value.map { "\(DecimalText.text($0, decimals: decimals)) \(unit)" } ?? "not measured"
        }
        let clock = clock.map {
            "recorder \($0.ppm >= 0 ? "+" : "")\(DecimalText.text($0.ppm, decimals: 1)) ± "
                + "\(DecimalText.text(2 * $0.deviationPPM, decimals: 1)) ppm"
        }
        return [
            "wrong     \(report.wrongCount), twice \(report.duplicateCount)",
            "clock     \(clock ?? "not measured")",
            "room      RT60 \(text(report.room?.reverberationSeconds, 2, "s")), DRR "
                + text(report.room?.directToReverberantDecibels, 1, "dB"),
            "pair      response \(text(pair?.band.meanDecibels, 1, "dB")), ripple \(text(pair?.band.rippleDecibels, 1, "dB")), "
                + "noise \(text(pair?.noiseLevelDecibels, 1, "dBFS")) in the band",
        ]
    }

    /// A line of the table in docs/field.md.
    private var row: String {
        func cell(_ text: String?) -> String { (text ?? "").replacing("|", with: "/").escapedForTerminal }
        func figure(_ value: Double?, _ decimals: Int) -> String {
            value.map { DecimalText.typeset($0, decimals: decimals) } ?? "–"
        }
        let shares = report.profiles.map { profile in
            report.levels.filter { $0.profileName == profile.name }.map { result in
                switch result.sentCount {
                case schedule.tokens: "\(result.decodedCount)"
                case 0: "–"
                default: "\(result.decodedCount)/\(result.sentCount)"
                }
            }.joined(separator: " ")
        }
        let cells =
            [
                metres, cell(player), cell(recorder), cell(note),
                "\(DecimalText.typeset(schedule.loudness.level, decimals: 0)) dBFS, of \(schedule.tokens)",
            ] + shares
            + [
                figure(report.room?.reverberationSeconds, 2), figure(report.room?.directToReverberantDecibels, 1),
                figure(pair?.band.meanDecibels, 1), figure(pair?.noiseLevelDecibels, 1),
            ]
        return "| " + cells.joined(separator: " | ") + " |"
    }

    private var title: String {
        [player, recorder].compactMap { $0?.escapedForTerminal }.joined(separator: " to ")
    }

    /// The share decoded over the level at which tokens were played.
    var decodedPicture: String {
        let curves = report.profiles.map { profile in
            CurveChart.Curve(
                name: profile.name, kind: .highlighted, colour: Palette.profile(profile.name),
                points: report.levels.filter { $0.profileName == profile.name && $0.sentCount > 0 }.map { result in
                    let interval = BinomialInterval(
                        successCount: result.decodedCount, trialCount: result.sentCount)
                    return CurveChart.Point(
                        x: level(result.stepDecibels), share: Double(result.decodedCount) / Double(result.sentCount),
                        interval: interval.low...interval.high)
                })
        }
        return CurveChart(
            title: "Tokens decoded at \(metres)", subtitle: title,
            footnote:
                "\(isIncomplete ? "up to " : "")\(schedule.tokens) tokens a point; bars: 95 %. \(figures.dropFirst().joined(separator: "; "))",
            xName: "level of the tokens, dBFS", markedShare: 0.9, curves: curves
        ).document()
    }

    /// The response of the devices; nil if no sweep was heard.
    var responsePicture: String? {
        guard let pair, let verdict = report.verdict else { return nil }
        return ResponsePicture(
            pair, verdict: verdict, tokenLevelDecibels: schedule.loudness.level,
            name: title.isEmpty ? "A field measurement at \(metres)" : "\(title), \(metres)"
        ).document()
    }
}
