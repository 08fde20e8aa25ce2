import EarshotAudio
import EarshotBasics
import EarshotCoding
import EarshotConsole
import EarshotModem
import EarshotSystem
import Glibc

/// The content of a file: frames and the silence around them.
///
///     margin | frame | gap | frame | … | frame | margin
///
/// Each frame can be a burst of frames.
struct EncodePlan {
    /// Silence before the first frame and after the last: a sound card that wakes up swallows the first samples.
    static let marginSeconds = 0.1
    static let maximumGapSeconds = 3_600.0
    /// The maximum of a WAV file's length fields, minus some room for its header.
    private static let maximumByteCount = 0xFFFF_0000
    /// Silence is written in blocks of this many samples.
    private static let silence = [Float](repeating: 0, count: 16_384)

    let payload: Payload
    let transmitter: Transmitter
    let format: SampleFormat
    let burstCount: Int
    let repeatCount: Int
    let gapSeconds: Double
    let levelDecibels: Double

    private let marginSamples: Int
    private let gapSamples: Int
    private let frameSamples: Int

    init(
        payload: Payload, profile: Profile, sampleRateHertz: Int, format: SampleFormat, burstCount: Int,
        repeatCount: Int, gapSeconds: Double, levelDecibels: Double
    ) throws(Failure) {
        do throws(ModemError) {
            transmitter = try Transmitter(profile: profile, sampleRateHertz: sampleRateHertz)
        } catch {
            throw Failure(.usage, "Cannot encode with --rate \(sampleRateHertz): \(error).")
        }
        self.payload = payload
        self.burstCount = burstCount
        self.format = format
        self.repeatCount = repeatCount
        self.gapSeconds = gapSeconds
        self.levelDecibels = levelDecibels
        marginSamples = Int((Self.marginSeconds * Double(sampleRateHertz)).rounded())
        gapSamples = Int((gapSeconds * Double(sampleRateHertz)).rounded())
        frameSamples =
            burstCount > 1
            ? transmitter.burstSampleCount(frameCount: burstCount)
            : transmitter.sampleCount(payloadByteCount: payload.count)

        let room = Self.maximumByteCount / format.bytesPerSample - 2 * marginSamples + gapSamples
        let maximumRepeatCount = room / (frameSamples + gapSamples)
        guard repeatCount <= maximumRepeatCount else {
            throw Failure(
                .usage,
                "Cannot encode with --repeat \(repeatCount): a WAV file holds less than 4 GiB. "
                    + "At most \(maximumRepeatCount) fit here; shorten --gap, lower --rate or use --format s16."
            )
        }
    }

    private var sampleRateHertz: Int { transmitter.sampleRateHertz }
    private var frameSeconds: Double { transmitter.profile.frameSeconds(payloadByteCount: payload.count) }

    private var sampleCount: Int {
        2 * marginSamples + repeatCount * frameSamples + (repeatCount - 1) * gapSamples
    }

    /// Writes the file, or standard output for "-". `replacesExisting` allows it to replace a file.
    /// - Returns: false if a signal interrupted it; then no part of the file is left.
    /// - Throws: `AudioError` if the file cannot be written.
    func write(to output: FilePath, replacesExisting: Bool, showsProgress: Bool) throws(AudioError) -> Bool {
        if output == "-" {
            return try write(
                with: try WAVWriter.standardOutput(sampleRateHertz: sampleRateHertz, channelCount: 1, format: format),
                showsProgress)
        }
        if let kind = CompressedKind(path: output) {
            return try write(
                with: try CompressedWriter(
                    path: output, replacesExisting: replacesExisting, kind: kind, sampleRateHertz: sampleRateHertz,
                    channelCount: 1, format: format), showsProgress)
        }
        return try write(
            with: try WAVWriter(
                path: output, replacesExisting: replacesExisting, sampleRateHertz: sampleRateHertz, channelCount: 1,
                format: format), showsProgress)
    }

    private func write(
        with writer: consuming some SampleWriter & ~Copyable, _ showsProgress: Bool
    ) throws(AudioError) -> Bool {
        var writer = writer
        let amplitude = Float(pow(10, levelDecibels / 20))
        let frame: [Float]
        do throws(ModemError) {
            frame =
                burstCount > 1
                ? try transmitter.burst(payload, frameCount: burstCount, amplitude: amplitude)
                : transmitter.samples(payload, amplitude: amplitude)
        } catch {
            preconditionFailure("a burst that was not checked: \(error)")
        }
        let progress = ProgressBar(partCount: 1, isEnabled: showsProgress)
        try writeSilence(marginSamples, to: &writer)
        for index in 0..<repeatCount {
            if index > 0 { try writeSilence(gapSamples, to: &writer) }
            try writer.write(frame.span)
            progress.update(fraction: Double(index) / Double(repeatCount))
            if Interruption.isRequested {
                progress.clear()
                return false
            }
        }
        try writeSilence(marginSamples, to: &writer)
        progress.clear()
        try writer.finish()
        return true
    }

    private func writeSilence(
        _ sampleCount: Int, to writer: inout some SampleWriter & ~Copyable
    ) throws(AudioError) {
        var missing = sampleCount
        while missing > 0 {
            let count = min(missing, Self.silence.count)
            try writer.write(Self.silence.span.extracting(0..<count))
            missing -= count
        }
    }

    /// One line for the user.
    func summary(output: FilePath) -> String {
        let name = output == "-" ? "standard output" : output.escapedForTerminal
        let content = payload.hex + (payload.printableText.map { " \"\($0)\"" } ?? "")
        let length = "\(DecimalText.text(frameSeconds, decimals: 3)) s"
        let once = burstCount == 1 ? length : "a burst of \(burstCount) times \(length)"
        let times = repeatCount == 1 ? once : "\(DecimalText.grouped(repeatCount)) times \(once)"
        return "wrote \(name): \(content), \(transmitter.profile.name), \(times), "
            + "\(sampleRateHertz) Hz \(formatName(output)), \(DecimalText.short(levelDecibels)) dBFS"
    }

    /// The name of the file's format; a lossy one has no sample format.
    private func formatName(_ output: FilePath) -> String {
        guard let kind = CompressedKind(path: output) else { return format.rawValue }
        return kind.isLossy ? kind.rawValue : "\(kind.rawValue) \(format.rawValue)"
    }

    /// One line of JSON.
    func jsonLine(output: FilePath) -> String {
        var line = JSONLine()
        line.add("token", payload.hex)
        line.add("bytes", payload.count)
        line.add("profile", transmitter.profile.name)
        line.add("rate_hz", sampleRateHertz)
        line.add("format", formatName(output))
        line.add(short: "level_dbfs", levelDecibels)
        line.add("repeat", repeatCount)
        line.add(short: "gap_s", gapSeconds)
        if burstCount > 1 { line.add("burst", burstCount) }
        line.add("start_s", Double(marginSamples) / Double(sampleRateHertz), decimals: 3)
        line.add("frame_s", frameSeconds, decimals: 3)
        line.add("duration_s", Double(sampleCount) / Double(sampleRateHertz), decimals: 3)
        line.add("file", output.description)
        if let text = payload.printableText { line.add("text", text) }
        return line.text
    }
}
