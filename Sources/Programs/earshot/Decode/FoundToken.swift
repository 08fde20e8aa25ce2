import EarshotBasics
import EarshotCoding
import EarshotConsole
import EarshotModem

/// A decoded frame with its file and channel, and its text forms.
struct FoundToken: Sendable {
    let frame: ReceivedFrame
    let sampleRateHertz: Int
    let channel: Int
    let file: String

    var startSeconds: Double { Double(frame.startSample) / Double(sampleRateHertz) }
    var endSeconds: Double { Double(frame.endSample) / Double(sampleRateHertz) }

    /// The order within a file, the same for every run: by end, then channel, then start. The other fields decide
    /// between frames that agree in all of these.
    static func isOrdered(_ a: FoundToken, before b: FoundToken) -> Bool {
        (a.frame.endSample, a.channel, a.frame.startSample, a.frame.profileName, a.frame.payload.hex)
            < (b.frame.endSample, b.channel, b.frame.startSample, b.frame.profileName, b.frame.payload.hex)
    }

    /// The ways to print a token.
    enum Form {
        case line(showsFile: Bool)
        case json
        case payload
    }

    func text(_ form: Form) -> String {
        switch form {
        case .line(let showsFile): humanLine(showingFile: showsFile)
        case .json: json.text
        case .payload: frame.payload.hex
        }
    }

    /// `1.234 s  0123456789abcdef  standard  SNR 12.3 dB  -3.1 Hz  ch 0`, after the file's name if `showingFile`.
    func humanLine(showingFile: Bool) -> String {
        let columns =
            [
                "\(DecimalText.text(startSeconds, decimals: 3)) s",
                frame.payload.hex + (frame.payload.printableText.map { " \"\($0)\"" } ?? ""),
                frame.profileName,
                "SNR \(DecimalText.text(Double(frame.snrDecibels), decimals: 1)) dB",
                "\(DecimalText.text(frame.offsetHertz, decimals: 1)) Hz",
                "ch \(channel)",
            ] + (frame.combinedCount > 1 ? ["\(frame.combinedCount) combined"] : [])
        return (showingFile ? "\(file.escapedForTerminal): " : "") + columns.joined(separator: "  ")
    }

    /// The line of JSON. Later versions may append keys.
    var json: JSONLine {
        var line = JSONLine()
        line.add("token", frame.payload.hex)
        line.add("bytes", frame.payload.count)
        line.add("profile", frame.profileName)
        line.add("start_s", startSeconds, decimals: 3)
        line.add("end_s", endSeconds, decimals: 3)
        line.add("snr_db", Double(frame.snrDecibels), decimals: 1)
        line.add("offset_hz", frame.offsetHertz, decimals: 1)
        line.add("channel", channel)
        line.add("file", file)
        line.add("path_metric", Double(frame.pathMetric), decimals: 2)
        if let text = frame.payload.printableText { line.add("text", text) }
        if frame.combinedCount > 1 { line.add("combined", frame.combinedCount) }
        return line
    }
}
