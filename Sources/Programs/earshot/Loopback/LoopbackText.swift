import EarshotBasics
import EarshotCoding
import EarshotConsole
import EarshotDrawing
import EarshotLoopback
import EarshotModem
import EarshotSoundConsole

/// A result as text for the user.
struct LoopbackText {
    private static let shownCount = 3
    private static let columnCount = 80

    private let result: LoopbackResult
    private var report: LoopbackReport { result.report }

    init(_ result: LoopbackResult) {
        self.result = result
    }

    var lines: [String] {
        [headline, ""] + table + [""] + missingLines + wrongLines + [clockLine] + dropoutLines + pairLines + resultLines
    }

    private var headline: String {
        let order = result.program.order
        let seconds = DecimalText.text(report.playedSeconds, decimals: 1)
        return "\(result.medium), \(order.sampleRateHertz) Hz, \(DecimalText.short(result.levelDecibels)) dBFS, "
            + "seed \(order.seed): \(counted(report.sentCount, "token")) in \(seconds) s"
    }

    private var table: [String] {
        let head = ["profile", "decoded", "wrong", "twice", "SNR", "lowest", "latency", "95 %", "level"]
        let rows = report.profiles.map { profile in
            [
                profile.name, "\(profile.decodedCount)/\(profile.sentCount)", "\(profile.wrongCount)",
                "\(profile.duplicateCount)", text(profile.snrDecibels?.median, "dB"),
                text(profile.snrDecibels?.minimum, "dB"), text(profile.latencySeconds?.median, "s", decimals: 3),
                text(profile.latencySeconds?.percentile95, "s", decimals: 3),
                text(profile.levelDecibels?.median, "dBFS"),
            ]
        }
        return TextTable.lines([head] + rows)
    }

    private var missingLines: [String] {
        report.profiles.filter { !$0.missing.isEmpty }.map { profile in
            let shown = profile.missing.prefix(Self.shownCount).map(\.hex).joined(separator: ", ")
            let rest = profile.missing.count - Self.shownCount
            return label("missing") + "\(profile.name) \(shown)" + (rest > 0 ? " and \(rest) more" : "")
        }
    }

    private var wrongLines: [String] {
        let shown = report.wrongFrames.prefix(Self.shownCount).map { frame in
            let seconds = Double(frame.startSample) / Double(result.program.sampleRateHertz)
            return label("wrong") + "\(frame.profileName) \(frame.payload.hex), heard at "
                + "\(DecimalText.text(seconds, decimals: 3)) s"
        }
        let rest = report.wrongCount - shown.count
        let remedy = "Nobody may send meanwhile: stop other programs and devices that do, and try again."
        return shown + (rest > 0 ? [label("wrong") + "and \(rest) more"] : [])
            + (report.wrongCount > 0 ? [label("") + remedy] : [])
    }

    private var clockLine: String {
        guard let clock = report.clock else {
            let reason =
                switch (report.hasHole, report.dropouts.isEmpty) {
                case (true, _): "samples were lost or inserted during the test"
                case (_, true): "too little was heard"
                case (_, false): "it takes a test without dropouts"
                }
            return label("clock") + "not measured: " + reason
        }
        let sign = clock.ppm > 0 ? "+" : ""
        return label("clock") + "recorder \(sign)\(DecimalText.text(clock.ppm, decimals: 1)) ± "
            + "\(DecimalText.text(LoopbackResult.uncertaintyPPM(clock), decimals: 1)) ppm"
    }

    private var dropoutLines: [String] {
        guard !report.dropouts.isEmpty else { return [] }
        let playback = report.dropouts.count { $0.side == .playback }
        let known = DecimalText.text(result.droppedSeconds, decimals: 3)
        return [
            label("dropouts") + "\(playback) in playback, \(report.dropouts.count - playback) in capture, "
                + "\(known) s as far as known"
        ]
    }

    private var pairLines: [String] {
        var lines: [String] = []
        switch report.pair {
        case .success(let pair): lines.append(label("pair") + LoopbackPairText.figures(pair))
        case .failure(let error): lines.append(label("pair") + "not measured: \(error)")
        case nil: break
        }
        guard let verdict = report.verdict else { return lines }
        let sentences = [verdict.summary] + verdict.problems.map(\.description)
        let wrapped = sentences.flatMap { TextWrap.lines($0, width: Self.columnCount) }
        return lines + wrapped.enumerated().map { label($0 == 0 ? "verdict" : "") + $1 }
    }

    private var resultLines: [String] {
        let ended = report.isCancelled ? ["ended early"] : []
        guard !result.isPassed else { return [label("result") + (["passed"] + ended).joined(separator: ", ")] }
        var reasons: [String] = []
        for profile in report.profiles where !result.isPassed(profile) {
            let share = DecimalText.short(result.requiredPercent)
            if Double(profile.decodedCount) < result.requiredPercent / 100 * Double(profile.sentCount) {
                reasons.append(
                    "\(profile.name) decoded \(profile.decodedCount) of \(profile.sentCount), \(share) % required")
            }
            if profile.sentCount == 0 { reasons.append("\(profile.name) was not played") }
        }
        if report.wrongCount > 0 { reasons.append("\(counted(report.wrongCount, "wrong frame"))") }
        if report.duplicateCount > 0 { reasons.append("\(counted(report.duplicateCount, "frame")) twice") }
        return [label("result") + "failed: " + (reasons + ended).joined(separator: "; ")]
    }

    private func label(_ text: String) -> String {
        text + String(repeating: " ", count: max(1, 10 - text.count))
    }

    private func text(_ value: Double?, _ unit: String, decimals: Int = 1) -> String {
        value.map { "\(DecimalText.text($0, decimals: decimals)) \(unit)" } ?? "-"
    }

    private func counted(_ count: Int, _ noun: String) -> String {
        "\(DecimalText.grouped(count)) \(noun)\(count == 1 ? "" : "s")"
    }
}
