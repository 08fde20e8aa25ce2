import EarshotAudio
import EarshotBasics
import EarshotConsole
import EarshotLive
import EarshotModem
import EarshotSoundConsole
import EarshotSystem

/// The output of `listen`: tokens on standard output, everything else on standard error.
final class ListenOutput {
    private(set) var tokenCount = 0
    /// The tokens that are not our own.
    private(set) var foreignCount = 0
    private(set) var failure: DeviceError?

    private let meter: LiveMeter
    private let notes: LiveNotes
    private let isJSON: Bool
    private let device: String
    private let tokenLimit: Int?
    private var summary: ListenerSummary?

    init(meter: LiveMeter, notes: LiveNotes, isJSON: Bool, device: String, tokenLimit: Int?) {
        self.meter = meter
        self.notes = notes
        self.isJSON = isJSON
        self.device = device
        self.tokenLimit = tokenLimit
    }

    /// Whether as many tokens were heard as wanted.
    var isComplete: Bool { tokenLimit.map { foreignCount >= $0 } ?? false }

    /// The device is open.
    func opened(_ format: DeviceFormat) {
        notes.print("listening to \(format.summary)")
        if let warning = format.resamplingWarning { notes.print("warning: \(warning)") }
    }

    func take(_ event: ListenerEvent) {
        switch event {
        case .heard(let heard): print(heard)
        case .level(let level): meter.show(level)
        case .gap(let gap): notes.print(text(gap))
        case .overloaded(let overload): notes.print(text(overload))
        case .interrupted(let error): notes.print("interrupted: \(error) Listening resumes when the device is back.")
        case .resumed(_, let afterSeconds):
            notes.print("resumed after \(DecimalText.text(afterSeconds, decimals: 1)) s")
        case .missed: break
        case .ended(let summary):
            self.summary = summary
            failure = summary.failure
        }
    }

    /// The last line.
    func conclude() {
        guard let summary else { return }
        var parts = [
            "listened for \(DecimalText.text(summary.heardSeconds, decimals: 1)) s",
            tokenCount == 1 ? "1 token" : "\(tokenCount) tokens",
        ]
        if foreignCount < tokenCount { parts.append("\(tokenCount - foreignCount) of them our own") }
        parts.append(
            summary.gapCount == 0
                ? "no gaps"
                : "\(summary.gapCount) \(summary.gapCount == 1 ? "gap" : "gaps") of "
                    + "\(DecimalText.text(summary.gapSeconds, decimals: 2)) s in all")
        notes.print(parts.joined(separator: ", "))
    }

    private func print(_ heard: HeardFrame) {
        // Tokens that were decoded together with the last wanted one are not wanted.
        if isComplete { return }
        tokenCount += 1
        if !heard.isOwn { foreignCount += 1 }
        meter.heard(snrDecibels: Double(heard.frame.snrDecibels))
        meter.clear()
        if isJSON {
            StandardStream.output.print(heard.json(device: device).text)
        } else {
            let token = heard.token(device: device)
            StandardStream.output.print(token.humanLine(showingFile: false) + (heard.isOwn ? "  (own)" : ""))
        }
    }

    private func text(_ overload: Overload) -> String {
        "too much sound that looks like tokens, at \(DecimalText.text(overload.atSeconds, decimals: 1)) s: left out the "
            + "\(overload.attemptCount) least likely"
    }

    private func text(_ gap: Gap) -> String {
        "gap of \(DecimalText.text(gap.seconds, decimals: 3)) s at "
            + "\(DecimalText.text(gap.atSeconds, decimals: 3)) s: \(gap.reason.text)"
    }
}

extension HeardFrame {
    func token(device: String) -> FoundToken {
        FoundToken(frame: frame, sampleRateHertz: sampleRateHertz, channel: channel, file: device)
    }

    /// The line of `--json`; the command's help explains its keys.
    func json(device: String) -> JSONLine {
        var line = token(device: device).json
        line.add("time", ClockText.utc(nanosecondsAgo: MonotonicTime.nanoseconds - startNanoseconds))
        line.add("latency_s", latencySeconds, decimals: 3)
        line.add("own", isOwn)
        return line
    }
}

extension CaptureNotice.Loss {
    /// The reason for a gap, a clause without a full stop.
    var text: String {
        switch self {
        case .overrun: "the device's buffer ran over: this machine is busy"
        case .server: "the sound server dropped it"
        case .consumer: "decoding or writing was too slow"
        case .interruption: "the device was away"
        }
    }
}
