import EarshotAudio
import EarshotBasics
import EarshotConsole
import EarshotDSP
import EarshotModem
import EarshotSystem

/// One pass over a recording: its frames, and spectrograms of the part to draw.
///
/// The choice of the spectrogram depends on the frames found, so the pass makes one for each profile's symbol length.
struct Inspection {
    /// The part of a recording to draw.
    struct Request {
        let path: FilePath
        let raw: RawFormat?
        let profiles: [Profile]
        let channel: Int
        let startSeconds: Double
        /// The length of the part; nil draws to the end.
        let seconds: Double?
    }

    /// The frequencies shown: the band and a margin on either side.
    static let shownHertz = 18_300.0...20_200.0
    private static let basebandRateHertz = 3_000

    let fileName: String
    let formatName: String
    let sampleRateHertz: Int
    let channelCount: Int
    let channel: Int
    let startSeconds: Double
    /// The length of the part in seconds.
    let seconds: Double
    /// Frames that overlap the part, sorted by their ends.
    let frames: [ReceivedFrame]
    let statistics: ReceiverStatistics
    let spectrogram: Spectrogram
    /// Whether the file ended before its header said.
    let isTruncated: Bool

    init(_ request: Request, showsProgress: Bool) throws {
        var reader =
            request.path == "-"
            ? try SoundFileReader.standardInput(raw: request.raw)
            : try SoundFileReader(path: request.path, raw: request.raw)
        try Self.check(request, channelCount: reader.channelCount)
        let rate = reader.sampleRateHertz
        var receiver: Receiver
        do throws(ModemError) {
            receiver = try Receiver(sampleRateHertz: rate, profiles: request.profiles)
        } catch {
            throw Failure(.data, "Cannot inspect \(request.path.escapedForTerminal): \(error).")
        }
        var pictures = PictureSet(sampleRateHertz: rate, profiles: request.profiles)

        let firstSample = Int((request.startSeconds * Double(rate)).rounded())
        let endSample = request.seconds.map { firstSample + Int(($0 * Double(rate)).rounded()) } ?? Int.max
        // The receiver reports a frame that begins in the part only after the frame's end.
        let longestFrame = request.profiles.map { $0.frameSeconds(payloadByteCount: 32) }.max() ?? 0
        let lastSample = endSample == .max ? Int.max : endSample + Int((longestFrame + 2) * Double(rate))
        let progress = ProgressBar(partCount: 1, isEnabled: showsProgress)
        let total = reader.frameCount.map { min($0, lastSample) }

        var found: [ReceivedFrame] = []
        var samples: [Float] = []
        var separated = [Float](repeating: 0, count: Downconverter.maximumInputCount)
        var position = 0
        while position < lastSample {
            let count = try reader.read(into: &samples, maxFrames: separated.count)
            if count == 0 { break }
            for index in 0..<count { separated[index] = samples[index * reader.channelCount + request.channel] }
            receiver.push(separated.span.extracting(0..<count)) { found.append($0) }
            let shown = max(firstSample, position)..<max(firstSample, position, min(endSample, position + count))
            if !shown.isEmpty {
                pictures.append(separated.span.extracting(shown.lowerBound - position..<shown.upperBound - position))
            }
            position += count
            if let total, total > 0 { progress.update(fraction: Double(position) / Double(total)) }
        }
        receiver.flush { found.append($0) }
        progress.clear()

        let shownCount = min(endSample, position) - firstSample
        guard shownCount > 0 else {
            throw Failure(
                position == 0 ? .data : .usage,
                "Cannot inspect \(request.path.escapedForTerminal) from \(DecimalText.short(request.startSeconds)) s on: "
                    + "it lasts \(DecimalText.text(Double(position) / Double(rate), decimals: 3)) s. "
                    + "Give a --start before its end.")
        }
        let end = firstSample + shownCount
        fileName =
            request.path == "-" ? "standard input" : request.path.name.description
        formatName = reader.formatName
        sampleRateHertz = rate
        channelCount = reader.channelCount
        channel = request.channel
        startSeconds = Double(firstSample) / Double(rate)
        seconds = Double(shownCount) / Double(rate)
        frames = found.filter { $0.startSample < end && $0.endSample > firstSample }
            .sorted { ($0.endSample, $0.startSample) < ($1.endSample, $1.startSample) }
        statistics = receiver.statistics
        isTruncated = reader.isTruncated
        spectrogram = pictures.finish(profileName: Self.mostFrequentProfile(frames), seconds: seconds)
    }

    private static func check(_ request: Request, channelCount: Int) throws(Failure) {
        guard request.channel >= channelCount else { return }
        let valid = channelCount == 1 ? "only channel 0" : "channels 0 to \(channelCount - 1)"
        throw Failure(
            .usage, "Cannot inspect channel \(request.channel) of \(request.path.escapedForTerminal): it has \(valid).")
    }

    private static func mostFrequentProfile(_ frames: [ReceivedFrame]) -> String? {
        let counts = frames.reduce(into: [String: Int]()) { $0[$1.profileName, default: 0] += 1 }
        return counts.max { ($0.value, $1.key) < ($1.value, $0.key) }?.key
    }

    /// The baseband and the spectrograms of it.
    private struct PictureSet: ~Copyable {
        private final class Picture {
            let profile: Profile
            var builder: SpectrogramBuilder?

            init(_ profile: Profile, _ builder: consuming SpectrogramBuilder) {
                self.profile = profile
                self.builder = consume builder
            }
        }

        private var downconverter: Downconverter
        private var baseband: [ComplexSample]
        private let pictures: [Picture]

        init(sampleRateHertz: Int, profiles: [Profile]) {
            let centre = Int(profiles[0].centreHertz)
            let reach = (shownHertz.upperBound - shownHertz.lowerBound) / 2
            downconverter = Downconverter(
                Downconverter.Design(
                    inputRateHertz: sampleRateHertz, outputRateHertz: basebandRateHertz, centreHertz: centre,
                    passbandHertz: reach))
            baseband = [ComplexSample](repeating: ComplexSample(), count: downconverter.maximumOutputCount)
            pictures = profiles.map { profile in
                let symbol = Int((profile.symbolSeconds * Double(basebandRateHertz)).rounded())
                return Picture(
                    profile,
                    SpectrogramBuilder(
                        symbolLength: symbol, basebandRateHertz: basebandRateHertz, centreHertz: centre,
                        reachHertz: reach))
            }
        }

        mutating func append(_ samples: Span<Float>) {
            let count = downconverter.process(samples, into: &baseband)
            for picture in pictures { picture.builder?.append(baseband[..<count]) }
        }

        /// The spectrogram for the profile, or the middle one if the profile has none.
        consuming func finish(profileName: String?, seconds: Double) -> Spectrogram {
            let silence = [Float](repeating: 0, count: Downconverter.maximumInputCount)
            append(silence.span)
            let picture = pictures.first { $0.profile.name == profileName } ?? pictures[pictures.count / 2]
            guard let builder = picture.builder.take() else { preconditionFailure("finished twice") }
            return builder.finish(seconds: seconds)
        }
    }
}
