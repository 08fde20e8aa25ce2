package import EarshotSystem
import Glibc

/// Samples to a WAV file that appears complete or not at all.
///
///     var writer = try WAVWriter(path: "token.wav", sampleRateHertz: 48_000, channelCount: 1, format: .s16)
///     try writer.write(samples)
///     try writer.finish()
///
/// The writer collects samples in a temporary file in the target's directory; `finish()` gives that file its name. A
/// writer dropped before `finish()` leaves nothing, and an existing file stays. Standard output, pipes and devices
/// receive everything in `finish()`, with the right lengths in the header.
///
/// The same samples give the same bytes: the file stores no time and no version.
public struct WAVWriter: ~Copyable {
    /// The maximum size of the samples in bytes. A variable, so that tests can lower it.
    var dataByteLimit = WAVContent.dataByteLimit

    private let target: OutputTarget
    private let file: TemporaryFile
    private let bytes: RandomAccessFile
    private var content: WAVContent?
    private let bytesPerSample: Int
    private let channelCount: Int
    private var dataByteCount = 0

    /// Prepares to write `path`, which may be an existing file, a device or a named pipe.
    ///
    /// - Throws: `AudioError`: `notFound`, `notPermitted`, `isDirectory`, `noSpace` or `cannotWrite` if the path cannot
    ///   be written.
    public init(path: String, sampleRateHertz: Int, channelCount: Int, format: SampleFormat) throws(AudioError) {
        try self.init(
            path: FilePath(path), sampleRateHertz: sampleRateHertz, channelCount: channelCount, format: format)
    }

    /// Prepares to write a file whose name need not be UTF-8, like the other `init`.
    /// - Parameter replacesExisting: false refuses a file that exists, with the kind `exists`.
    package init(
        path: FilePath, replacesExisting: Bool = true, sampleRateHertz: Int, channelCount: Int, format: SampleFormat
    ) throws(AudioError) {
        try self.init(
            to: OutputTarget(path: path, replacesExisting: replacesExisting), sampleRateHertz: sampleRateHertz,
            channelCount: channelCount, format: format)
    }

    /// Prepares to write to an open descriptor, which the caller keeps; errors show `name`.
    ///
    /// - Throws: `AudioError` if the descriptor or a temporary file cannot be used, mostly `cannotWrite` or `noSpace`.
    public init(descriptor: CInt, name: String, sampleRateHertz: Int, channelCount: Int, format: SampleFormat)
        throws(AudioError)
    {
        try self.init(
            to: OutputTarget(descriptor: descriptor, name: name), sampleRateHertz: sampleRateHertz,
            channelCount: channelCount, format: format)
    }

    /// Prepares to write to standard output.
    ///
    /// - Throws: the `AudioError`s of `init(descriptor:name:sampleRateHertz:channelCount:format:)`.
    public static func standardOutput(sampleRateHertz: Int, channelCount: Int, format: SampleFormat)
        throws(AudioError) -> WAVWriter
    {
        try WAVWriter(
            descriptor: STDOUT_FILENO, name: "standard output", sampleRateHertz: sampleRateHertz,
            channelCount: channelCount, format: format)
    }

    init(to target: OutputTarget, sampleRateHertz: Int, channelCount: Int, format: SampleFormat) throws(AudioError) {
        let file = try target.makeTemporaryFile()
        let bytes = RandomAccessFile(file.descriptor)
        let content = try WAVContent(
            writing: bytes, sampleRateHertz: sampleRateHertz, channelCount: channelCount, format: format,
            path: target.name)
        self.target = target
        self.file = file
        self.bytes = bytes
        self.content = consume content
        bytesPerSample = format.bytesPerSample
        self.channelCount = channelCount
    }

    /// Appends interleaved frames; `samples.count` must be a multiple of the channel count.
    ///
    /// Integers are rounded to the nearest, and samples beyond ±1 are clamped to full scale; NaN becomes 0.
    ///
    /// - Throws: `AudioError`: `tooLarge` once the samples exceed 4 GiB; `noSpace` or `cannotWrite` if the system
    ///   fails.
    public mutating func write(_ samples: Span<Float>) throws(AudioError) {
        let byteCount = samples.count * bytesPerSample
        guard byteCount <= dataByteLimit - dataByteCount else {
            throw AudioError(
                .tooLarge, operation: "write", path: target.name,
                detail: "a WAV file holds less than 4 GiB of samples",
                advice: "Write several files, or fewer bits a sample")
        }
        guard content?.write(samples) == samples.count / channelCount else { throw failure(bytes.failure) }
        dataByteCount += byteCount
    }

    /// Appends interleaved frames, like the other `write`.
    ///
    /// - Throws: the `AudioError`s of the other `write`.
    public mutating func write(_ samples: [Float]) throws(AudioError) {
        try write(samples.span)
    }

    /// Completes the header and gives the file its name, or sends everything to the descriptor, pipe or device.
    ///
    /// - Throws: `AudioError` if the system fails: `brokenPipe` if the reader of the output has ended, otherwise mostly
    ///   `noSpace` or `cannotWrite`.
    public consuming func finish() throws(AudioError) {
        if let code = content.take()?.finish() { throw failure(code) }
        try target.publish(file)
    }

    private func failure(_ code: CInt?) -> AudioError {
        .system(code ?? EIO, operation: "write", path: target.name, fallback: .cannotWrite)
    }
}
