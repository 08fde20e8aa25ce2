package import EarshotSystem
import Glibc

/// Samples to a WAV file that stays valid in every way in which the program may end.
///
///     var recorder = try WAVRecorder(
///         path: "take.wav", sampleRateHertz: 48_000, channelCount: 1, format: .s16, replacesExisting: false)
///     try recorder.write(block)
///     try recorder.finish()
///
/// The file exists under its name from the start, with a header, and grows with each `write`; the recorder does not
/// buffer. It updates the header with every second of sound. So a dropped recorder leaves a complete file, and a killed
/// process one that lacks at most the last second: readers ignore the samples after the length in the header, because
/// they cannot distinguish them from the chunks that other programs put there. After a power cut more may be missing:
/// the system may write to the disk half a minute later.
///
/// **Long recordings:** a WAV holds less than 4 GiB of samples, 12 hours of 48 kHz, 16 bit, mono. The recording then
/// continues without losing a sample in `take-2.wav`, `take-3.wav` …; `files` lists them. The recorder skips a name in
/// use, unless it may replace existing files.
///
/// **Full disk:** the `write` that fails throws, once, and leaves a valid file of everything written before. The caller
/// may continue to call it: `isRecording` is false, and the recorder discards further samples.
public struct WAVRecorder: ~Copyable {
    /// The maximum silence of one `writeSilence`, in seconds: a day.
    public static let silenceLimitSeconds = 86_400

    /// The paths of the files so far; the last one still grows. A call that fills a file adds the next one.
    public var files: [String] { paths.map(\.description) }

    /// The same paths, whose names need not be UTF-8.
    private var paths: [FilePath] = []

    /// True until a write fails.
    public var isRecording: Bool { content != nil }

    /// The length of the recording in seconds, silence included, ≥ 0.
    public var secondsWritten: Double { Double(frameCount) / Double(sampleRateHertz) }

    /// The maximum size of one file's samples in bytes. A variable, so that tests can lower it.
    var dataByteLimit = WAVContent.dataByteLimit

    private let path: FilePath
    private let sampleRateHertz: Int
    private let channelCount: Int
    private let format: SampleFormat
    private let replacesExisting: Bool
    private var content: WAVContent?
    private var fileNumber = 0
    private var frameCount = 0

    /// The part of `frameCount` in the file that grows.
    private var fileFrameCount = 0

    /// Frames that the header does not count yet, less than a second between two calls.
    private var unlistedFrameCount = 0

    /// The maximum number of files or of names in use: a recording that reaches it has gone wrong.
    private static let fileNumberLimit = 9999

    /// Creates `path` for interleaved frames of `channelCount` samples (1 … 64) at `sampleRateHertz` (1 … 1,536,000).
    ///
    /// With `replacesExisting`, the new file replaces an existing one once its header is written; if that fails, the
    /// old file stays.
    ///
    /// - Throws: `AudioError`: `exists` if the file exists and may not be replaced; `notRegularFile` for a device, a
    ///   pipe or "-"; `notFound`, `notPermitted`, `isDirectory`, `noSpace` or `cannotWrite` if the file cannot be
    ///   created.
    public init(
        path: String, sampleRateHertz: Int, channelCount: Int, format: SampleFormat, replacesExisting: Bool
    ) throws(AudioError) {
        try self.init(
            path: FilePath(path), sampleRateHertz: sampleRateHertz, channelCount: channelCount, format: format,
            replacesExisting: replacesExisting)
    }

    /// Creates a file whose name need not be UTF-8, like the other `init`.
    package init(
        path: FilePath, sampleRateHertz: Int, channelCount: Int, format: SampleFormat, replacesExisting: Bool
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
    /// Integers are rounded to the nearest, and samples beyond ±1 are clamped to full scale; NaN becomes 0.
    /// No allocation after the first block, except where a new file begins.
    ///
    /// - Throws: `AudioError` of the failed write, mostly `noSpace` or `cannotWrite`, or of the next file's creation.
    ///   It ends the recording.
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
    ///
    /// - Throws: the `AudioError`s of the other `write`.
    public mutating func write(_ samples: [Float]) throws(AudioError) {
        try write(samples.span)
    }

    /// Appends `frameCount` ≥ 0 frames of silence for a gap in the sound, so that later samples keep their time.
    ///
    /// The silence is a hole in the file, so hours take one block of the disk; on file systems without holes (FAT,
    /// exFAT) they take their full size.
    ///
    /// - Throws: `AudioError`: `tooLarge` if the silence exceeds `silenceLimitSeconds`; that writes nothing and does
    ///   not end the recording. Otherwise the `AudioError`s of `write`.
    public mutating func writeSilence(frameCount: Int) throws(AudioError) {
        precondition(frameCount >= 0, "silence of \(frameCount) frames")
        guard frameCount <= Self.silenceLimitSeconds * sampleRateHertz else {
            throw AudioError(
                .tooLarge, operation: "write", path: lastName,
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

    /// Completes the header and closes the file. A dropped recorder does the same, but cannot report a failure.
    ///
    /// - Throws: `AudioError` if the last write fails. It does not repeat an error that `write` has thrown.
    public consuming func finish() throws(AudioError) {
        try endFile()
    }

    /// The frames that the file can still take, ≥ 1; starts the next file if this one is full.
    private mutating func makeRoom() throws(AudioError) -> Int {
        let frameLimit = dataByteLimit / (format.bytesPerSample * channelCount)
        if fileFrameCount < frameLimit { return frameLimit - fileFrameCount }
        try endFile()
        while true {
            do {
                try beginFile(number: fileNumber + 1)
                return frameLimit
            } catch {
                // A name in use must not end a recording that has run for hours.
                guard error.kind == .exists, fileNumber < Self.fileNumberLimit else { throw error }
            }
        }
    }

    /// Creates the file under a temporary name, and gives it its name once it has a header.
    private mutating func beginFile(number: Int) throws(AudioError) {
        fileNumber = number
        let path = RecordingName.path(path, number: number)
        let target = try OutputTarget(rewritablePath: path, replacesExisting: replacesExisting)
        let file = try target.makeTemporaryFile()
        let content = try WAVContent(
            writing: RandomAccessFile(file.descriptor), sampleRateHertz: sampleRateHertz, channelCount: channelCount,
            format: format, path: target.name)
        try target.publish(file)
        self.content = consume content
        paths.append(path)
        fileFrameCount = 0
        unlistedFrameCount = 0
    }

    /// Completes the file if that has not happened yet.
    private mutating func endFile() throws(AudioError) {
        if let code = content.take()?.finish() { throw failure(code) }
    }

    /// Counts written frames, updates the header once a second, and ends the recording if a write failed.
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

    /// The file that grows, as errors show it.
    private var lastName: String { (paths.last ?? path).description }

    /// The error of a failed write, with the length of the recording that remains.
    private func failure(_ code: CInt?) -> AudioError {
        let error = AudioError.system(
            code ?? EIO, operation: "write", path: lastName, fallback: .cannotWrite)
        let tenths = Int((secondsWritten * 10).rounded(.down))
        return AudioError(
            error.kind, operation: error.operation, path: error.path,
            detail: "\(error.detail); the recording ends after \(tenths / 10).\(tenths % 10) s, which are kept",
            advice: error.advice)
    }
}
