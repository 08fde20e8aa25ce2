import Glibc

/// Samples to a WAV file that is valid however the program ends.
///
///     var recorder = try WAVRecorder(
///         path: "take.wav", sampleRateHertz: 48_000, channelCount: 1, format: .s16, replacesExisting: false)
///     try recorder.write(block)
///     try recorder.finish()
///
/// The file is there under its name from the start, with a header, and grows with each `write`; nothing is held back.
/// The header is brought up to date with every second of sound. So of a recorder that was dropped everything can be
/// read, and of a process that was killed everything but at most the last second: what lies behind the length in the
/// header is not read, because nothing tells it from the chunks that other programs put there. A power cut is another
/// matter: the system writes to the disk when it likes, half a minute later perhaps.
///
/// **Long recordings:** a WAV holds less than 4 GiB of samples, 12 hours of 48 kHz, 16 bit, mono. Then it goes on,
/// without a sample lost, in `take-2.wav`, `take-3.wav` …; `files` tells. A name in use is passed over, unless existing
/// files are replaced.
///
/// **Full disk:** the `write` that fails throws, once, and leaves a valid file of what was written before. A caller may
/// go on as if nothing had happened: `isRecording` is false, and further samples go nowhere.
public struct WAVRecorder: ~Copyable {
    /// The longest silence that `writeSilence` writes, in seconds: a day.
    public static let silenceLimitSeconds = 86_400

    /// The paths of the files so far, the one that grows last. After a call that has made it longer, the recording
    /// goes on in a new file.
    public private(set) var files: [String] = []

    /// True until a write fails.
    public var isRecording: Bool { content != nil }

    /// What is in the files, silence too, ≥ 0.
    public var secondsWritten: Double { Double(frameCount) / Double(sampleRateHertz) }

    /// A variable for the tests' sake.
    var dataByteLimit = WAVContent.dataByteLimit

    private let path: String
    private let sampleRateHertz: Int
    private let channelCount: Int
    private let format: SampleFormat
    private let replacesExisting: Bool
    private var content: WAVContent?
    private var fileNumber = 0
    private var frameCount = 0

    /// What of these is in the file that grows.
    private var fileFrameCount = 0

    /// Frames that the header does not know of, fewer than a second of them between two calls.
    private var unlistedFrameCount = 0

    /// A recording that fills this many files, or meets as many names in use, has gone wrong.
    private static let fileNumberLimit = 9999

    /// Creates `path`, interleaved frames of `channelCount` ≤ 64 samples to come at `sampleRateHertz` ≤ 1,536,000.
    ///
    /// An existing file is an error of the kind `exists`, unless `replacesExisting`: then it is replaced in the moment
    /// in which the new file has its header, and stays if that fails. Devices, pipes and "-" are refused as
    /// `notRegularFile`.
    public init(
        path: String, sampleRateHertz: Int, channelCount: Int, format: SampleFormat, replacesExisting: Bool
    ) throws(AudioError) {
        self.path = path
        self.sampleRateHertz = sampleRateHertz
        self.channelCount = channelCount
        self.format = format
        self.replacesExisting = replacesExisting
        try beginFile(number: 1)
    }

    /// Appends interleaved frames; `samples.count` must be a multiple of the channel count.
    ///
    /// Integers are rounded to the nearest, and samples beyond ±1 held to full scale; NaN becomes 0.
    /// No allocation after the first block, but where a new file begins.
    public mutating func write(_ samples: Span<Float>) throws(AudioError) {
        precondition(
            samples.count.isMultiple(of: channelCount), "\(samples.count) samples for \(channelCount) channels")
        var first = 0
        while first < samples.count, isRecording {
            let frames = min(
                (samples.count - first) / channelCount, try makeRoom(), sampleRateHertz - unlistedFrameCount)
            let end = first + frames * channelCount
            try count(content?.write(samples.extracting(first..<end)) ?? 0, of: frames)
            first = end
        }
    }

    /// Appends interleaved frames, like the other `write`.
    public mutating func write(_ samples: [Float]) throws(AudioError) {
        try write(samples.span)
    }

    /// Appends `frameCount` ≥ 0 frames of silence: a gap in what was heard, so that all after it keeps its time.
    ///
    /// The silence is a hole in the file, so that hours take one block of the disk; on file systems without holes
    /// (FAT, exFAT) they take their full size. More than `silenceLimitSeconds` is an error of the kind `tooLarge` that
    /// writes nothing and does not end the recording.
    public mutating func writeSilence(frameCount: Int) throws(AudioError) {
        precondition(frameCount >= 0, "silence of \(frameCount) frames")
        guard frameCount <= Self.silenceLimitSeconds * sampleRateHertz else {
            throw AudioError(
                .tooLarge, operation: "write", path: files.last ?? path,
                detail: "a gap of \(frameCount / sampleRateHertz) s is longer than a day",
                advice: "Begin a new recording after it")
        }
        var remaining = frameCount
        while remaining > 0, isRecording {
            let frames = min(remaining, try makeRoom())
            try count(content?.writeSilence(frames: frames) ?? 0, of: frames)
            remaining -= frames
        }
    }

    /// Completes the header and closes. A recorder that is dropped does the same, but cannot say what failed.
    ///
    /// Does not throw again what a `write` has thrown.
    public consuming func finish() throws(AudioError) {
        try endFile()
    }

    /// The frames that the file can still take, ≥ 1: goes on to the next file if it is full.
    private mutating func makeRoom() throws(AudioError) -> Int {
        let frameLimit = dataByteLimit / (format.bytesPerSample * channelCount)
        if fileFrameCount < frameLimit { return frameLimit - fileFrameCount }
        try endFile()
        while true {
            do {
                try beginFile(number: fileNumber + 1)
                return frameLimit
            } catch {
                // A name in use is no reason to end a recording that has run for hours.
                guard error.kind == .exists, fileNumber < Self.fileNumberLimit else { throw error }
            }
        }
    }

    /// Creates the file under its temporary name, and names it when it has a header.
    private mutating func beginFile(number: Int) throws(AudioError) {
        fileNumber = number
        let target = try OutputTarget(
            rewritablePath: RecordingName.path(path, number: number), replacesExisting: replacesExisting)
        let file = try target.makeTemporaryFile()
        let content = try WAVContent(
            writing: RandomAccessFile(file.descriptor), sampleRateHertz: sampleRateHertz, channelCount: channelCount,
            format: format, path: target.path)
        try target.publish(file)
        self.content = consume content
        files.append(target.path)
        fileFrameCount = 0
        unlistedFrameCount = 0
    }

    /// Completes the file, if it has not been completed yet.
    private mutating func endFile() throws(AudioError) {
        if let code = content.take()?.finish() { throw failure(code) }
    }

    /// Counts what was written, brings the header up to date once a second, and ends the recording if either failed.
    private mutating func count(_ frames: Int, of wanted: Int) throws(AudioError) {
        frameCount += frames
        fileFrameCount += frames
        unlistedFrameCount += frames
        if frames == wanted {
            if unlistedFrameCount < sampleRateHertz { return }
            unlistedFrameCount = 0
            if content?.updateHeader() == true { return }
        }
        throw failure(content.take()?.finish())
    }

    /// The error of a write, and what is left of the recording.
    private func failure(_ code: CInt?) -> AudioError {
        let error = AudioError.system(
            code ?? EIO, operation: "write", path: files.last ?? path, fallback: .cannotWrite)
        let tenths = Int((secondsWritten * 10).rounded(.down))
        return AudioError(
            error.kind, operation: error.operation, path: error.path,
            detail: "\(error.detail); the recording ends after \(tenths / 10).\(tenths % 10) s, which are kept",
            advice: error.advice)
    }
}
