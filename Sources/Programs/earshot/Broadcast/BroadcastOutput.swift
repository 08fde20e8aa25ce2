import EarshotAudio
import EarshotBasics
import EarshotCoding
import EarshotConsole
import EarshotModem
import EarshotSoundConsole
import EarshotSystem

/// Prints the output of `broadcast`: sent payloads on standard output, everything else on standard error.
final class BroadcastOutput {
    private(set) var failure: DeviceError?

    private let payload: Payload
    private let profile: Profile
    private let format: DeviceFormat
    private let count: Int?
    private let isJSON: Bool
    private let isQuiet: Bool
    private let begin = MonotonicTime.nanoseconds
    private let statusLine: StatusLine
    private var sentCount = 0

    /// The payload in digits, followed by its text if it is text.
    private var content: String { payload.hex + (payload.printableText.map { " \"\($0)\"" } ?? "") }
    private var underrunCount = 0

    init(payload: Payload, profile: Profile, format: DeviceFormat, count: Int?, isJSON: Bool, isQuiet: Bool) {
        self.payload = payload
        self.profile = profile
        self.format = format
        self.count = count
        self.isJSON = isJSON
        self.isQuiet = isQuiet
        statusLine = StatusLine(isEnabled: !isQuiet)
    }

    func opened() {
        note("broadcasting to \(format.summary)")
        if let warning = format.resamplingWarning { note("warning: \(warning)") }
    }

    func take(_ event: BroadcastLoop.Event) {
        switch event {
        case .sent(let number, let playback): sent(number, playback)
        case .waiting(let number, let seconds):
            statusLine.show("next (\(ordinal(number))) in \(DecimalText.text(seconds, decimals: 1)) s")
        case .interrupted(let error): note("interrupted: \(error) Waiting for the device.")
        case .resumed: note("resumed")
        case .failed(let error): failure = error
        }
    }

    func conclude() {
        statusLine.clear()
        let holes = underrunCount == 0 ? "" : ", \(underrunCount) with holes: the device had no samples in time"
        note("sent \(content) \(sentCount == 1 ? "once" : "\(sentCount) times")\(holes)")
    }

    private func sent(_ number: Int, _ playback: Playback) {
        sentCount = number
        if playback.underrunCount > 0 { underrunCount += 1 }
        statusLine.clear()
        guard !isQuiet else { return }
        let (start, end) = (seconds(playback.beginNanoseconds), seconds(playback.endNanoseconds))
        guard isJSON else {
            let hole = playback.underrunCount > 0 ? "  with a hole" : ""
            StandardStream.output.print(
                "\(DecimalText.text(start, decimals: 3)) s  \(content)  \(profile.name)  \(ordinal(number))\(hole)")
            return
        }
        var line = JSONLine()
        line.add("number", number)
        line.add("token", payload.hex)
        line.add("bytes", payload.count)
        line.add("profile", profile.name)
        line.add("start_s", start, decimals: 3)
        line.add("end_s", end, decimals: 3)
        line.add("time", ClockText.utc(nanosecondsAgo: MonotonicTime.nanoseconds - playback.beginNanoseconds))
        line.add("underruns", playback.underrunCount)
        line.add("device", format.name)
        if let text = payload.printableText { line.add("text", text) }
        StandardStream.output.print(line.text)
    }

    private func ordinal(_ number: Int) -> String { count.map { "\(number) of \($0)" } ?? "no. \(number)" }

    private func seconds(_ nanoseconds: Int64) -> Double { Double(nanoseconds - begin) / 1e9 }

    private func note(_ text: String) {
        guard !isQuiet else { return }
        statusLine.clear()
        StandardStream.error.print(text)
    }
}
