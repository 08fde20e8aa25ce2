import EarshotAudio
import EarshotConsole
import EarshotDrawing
import EarshotLive
import EarshotModem
import EarshotSoundConsole
import EarshotSystem
import Glibc

/// `--report`: the JSON file beside a recording, with the device that made it and the receiver's results.
///
/// The file exists from the start, with `"complete": false`. So the device is known even if the session crashes.
final class SessionReport {
    /// The file of the recording.
    let recordingPath: FilePath
    /// The file of the report.
    let path: FilePath

    /// Tokens and gaps beyond this count are only counted.
    private static let maximumListedCount = 1_000

    private let begin = ClockText.utc(nanosecondsAgo: 0)
    private let device: ProbedDevice?
    private var format: DeviceFormat?
    private var levels = LevelHistogram()
    private var tokens: [JSONLine] = []
    private var gaps: [JSONLine] = []
    private var interruptions: [JSONLine] = []
    private var summary: ListenerSummary?

    /// Reads the device's offer, which must happen before it is opened: an open sound card is busy.
    /// - Parameters:
    ///   - name: the path of both files without their extensions; one of the extensions may be there.
    ///   - replacesExisting: whether an existing report is replaced.
    /// - Throws: `Failure` if the report exists and is not to be replaced.
    init(name: FilePath, device: String, replacesExisting: Bool) throws(Failure) {
        let base = [".wav", ".json"].first { name.hasSuffix($0) }.map { name.dropLast($0.utf8.count) } ?? name
        recordingPath = base.appending(".wav")
        path = base.appending(".json")
        if !replacesExisting, path.status != nil {
            throw Failure(
                .cannotCreate,
                "Cannot write \(path.escapedForTerminal): the file exists. Choose another name, or use --overwrite.")
        }
        self.device = StandardStream.error.silenced {
            let listed = try? DeviceList.read().devices.first { $0.name == device }
            return ProbedDevice.probe(
                [ListedDevice(name: device, description: listed?.description ?? "")], [.capture]
            ).first
        }
    }

    /// The device is open and the recording begins: writes the first version.
    func opened(_ format: DeviceFormat) throws(Failure) {
        self.format = format
        try write(recording: nil)
    }

    func take(_ event: ListenerEvent) {
        switch event {
        case .heard(let heard):
            guard tokens.count < Self.maximumListedCount else { return }
            tokens.append(heard.json(device: format?.name ?? ""))
        case .level(let level): levels.add(level)
        case .gap(let gap):
            guard gaps.count < Self.maximumListedCount else { return }
            var line = JSONLine()
            line.add("at_s", gap.atSeconds, decimals: 3)
            line.add("seconds", gap.seconds, decimals: 3)
            line.add("reason", gap.reason.text)
            gaps.append(line)
        case .interrupted(let error):
            guard interruptions.count < Self.maximumListedCount else { return }
            var line = JSONLine()
            line.add("time", ClockText.utc(nanosecondsAgo: 0))
            line.add("error", error.description)
            interruptions.append(line)
        case .overloaded, .resumed, .missed: break
        case .ended(let summary): self.summary = summary
        }
    }

    /// Writes the last version.
    /// - Parameter recording: complete.
    func finish(_ recording: SessionRecording) throws(Failure) {
        try write(recording: recording)
    }

    /// Tells the user what to do with the files.
    func farewell(_ recording: SessionRecording) -> String {
        let files = (recording.files + [path.description]).map(\.escapedForTerminal).joined(separator: ", ")
        return """
            wrote \(files)
            Attach them to the report, and say which token was sent, by what device, from how far away.
            The recording has everything that the microphone heard, voices too.
            """
    }

    private func write(recording: SessionRecording?) throws(Failure) {
        var report = JSONLine()
        report.add("program", ProgramVersion.current)
        report.add("complete", recording != nil)
        report.add("begin", begin)
        report.add("end", ClockText.utc(nanosecondsAgo: 0))
        report.add("arguments", Array(CommandLine.arguments.dropFirst()))
        report.add("system", system)
        if let device { report.add("offer", device.json) }
        if let format { report.add("format", json(format)) }
        if let recording { report.add("recording", json(recording)) }
        report.add("level", level)
        if let summary {
            report.add("heard", json(summary))
            report.add("statistics", json(summary.statistics))
            if let failure = summary.failure { report.add("failure", failure.description) }
        }
        report.add("gaps", gaps)
        report.add("interruptions", interruptions)
        report.add("tokens", tokens)
        try TextFile.write(report.document + "\n", to: path)
    }

    private var system: JSONLine {
        var line = JSONLine()
        line.add("name", HostSystem.name)
        line.add("kernel", HostSystem.kernel)
        line.add("machine", HostSystem.machine)
        line.add("processor", HostSystem.processor)
        line.add("processors", HostSystem.processorCount)
        line.add("alsa", ALSALibrary.version)
        return line
    }

    private var level: JSONLine {
        var line = JSONLine()
        for (key, share) in [("quiet", 0.1), ("median", 0.5), ("loud", 0.9), ("loudest", 1)] {
            line.add("band_\(key)_dbfs", levels.bandDecibels(share: share) ?? .nan, decimals: 1)
        }
        line.add("peak_dbfs", levels.peakDecibels ?? .nan, decimals: 1)
        return line
    }

    private func json(_ format: DeviceFormat) -> JSONLine {
        var line = JSONLine()
        line.add("device", format.name)
        line.add("rate_hz", format.sampleRateHertz)
        line.add("channels", format.channelCount)
        line.add("encoding", format.encoding.rawValue)
        line.add("period_frames", format.periodFrameCount)
        line.add("buffer_frames", format.bufferFrameCount)
        switch format.path {
        case .direct: line.add("path", "direct")
        case .resampledByALSA: line.add("path", "resampled by ALSA")
        case .soundServer(let rate):
            line.add("path", "sound server")
            if let rate { line.add("hardware_rate_hz", rate) }
        }
        if let warning = format.resamplingWarning { line.add("warning", warning) }
        return line
    }

    private func json(_ recording: SessionRecording) -> JSONLine {
        var line = JSONLine()
        line.add("files", recording.files.map { String($0.split(separator: "/").last ?? "") })
        line.add("format", recording.format.rawValue)
        line.add("seconds", recording.secondsWritten, decimals: 3)
        line.add("failed", recording.hasFailed)
        return line
    }

    private func json(_ summary: ListenerSummary) -> JSONLine {
        var line = JSONLine()
        line.add("seconds", summary.heardSeconds, decimals: 3)
        line.add("tokens", summary.frameCount)
        line.add("gaps", summary.gapCount)
        line.add("gap_seconds", summary.gapSeconds, decimals: 3)
        return line
    }

    private func json(_ statistics: ReceiverStatistics) -> JSONLine {
        var line = JSONLine()
        line.add("samples", statistics.samples)
        line.add("skipped_samples", statistics.skippedSamples)
        line.add("candidates", statistics.candidates)
        line.add("rejected_by_sync", statistics.rejectedBySync)
        line.add("rejected_by_crowding", statistics.rejectedByCrowding)
        line.add("rejected_by_budget", statistics.rejectedByBudget)
        line.add("rejected_by_path_metric", statistics.rejectedByPathMetric)
        line.add("rejected_by_evidence", statistics.rejectedByEvidence)
        line.add("rejected_by_crc", statistics.rejectedByCheck)
        line.add("frames", statistics.frames)
        line.add("combined_frames", statistics.combinedFrames)
        line.add("recognised_frames", statistics.recognisedFrames)
        line.add("cancelled_frames", statistics.cancelledFrames)
        line.add("duplicates", statistics.duplicates)
        return line
    }
}
