import Glibc

/// Samples to a WAV file that is there completely or not at all.
///
///     var writer = try WAVWriter(path: "token.wav", sampleRateHertz: 48_000, channelCount: 1, format: .s16)
///     try writer.write(samples)
///     try writer.finish()
///
/// The samples go to a temporary file in the target's directory, which gets its name in `finish()`. A writer that
/// is dropped before leaves nothing, and what was under the name stays. Standard output, pipes and devices get
/// everything in `finish()`, with the right lengths in the header.
///
/// The same samples give the same bytes: no time or version is stored.
public struct WAVWriter: ~Copyable {
    /// A variable for the tests' sake.
    var dataByteLimit = WAVContent.dataByteLimit

    private let target: OutputTarget
    private let file: TemporaryFile
    private let bytes: RandomAccessFile
    private var content: WAVContent?
    private let bytesPerSample: Int
    private let channelCount: Int
    private var dataByteCount = 0

    /// Prepares to write `path`, which may exist, or be a device or a named pipe.
    public init(path: String, sampleRateHertz: Int, channelCount: Int, format: SampleFormat) throws(AudioError) {
        try self.init(
            to: OutputTarget(path: path), sampleRateHertz: sampleRateHertz, channelCount: channelCount,
            format: format)
    }

    /// Prepares to write to an open descriptor, which stays the caller's; `name` stands for it in errors.
    public init(descriptor: CInt, name: String, sampleRateHertz: Int, channelCount: Int, format: SampleFormat)
        throws(AudioError)
    {
        try self.init(
            to: OutputTarget(descriptor: descriptor, name: name), sampleRateHertz: sampleRateHertz,
            channelCount: channelCount, format: format)
    }

    /// Prepares to write to standard output.
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
            path: target.path)
        self.target = target
        self.file = file
        self.bytes = bytes
        self.content = consume content
        bytesPerSample = format.bytesPerSample
        self.channelCount = channelCount
    }

    /// Appends interleaved frames; `samples.count` must be a multiple of the channel count.
    ///
    /// Integers are rounded to the nearest, and samples beyond ±1 held to full scale; NaN becomes 0.
    public mutating func write(_ samples: Span<Float>) throws(AudioError) {
        let byteCount = samples.count * bytesPerSample
        guard byteCount <= dataByteLimit - dataByteCount else {
            throw AudioError(
                .tooLarge, operation: "write", path: target.path,
                detail: "a WAV file holds less than 4 GiB of samples",
                advice: "Write several files, or fewer bits a sample")
        }
        guard content?.write(samples) == samples.count / channelCount else { throw failure(bytes.failure) }
        dataByteCount += byteCount
    }

    /// Appends interleaved frames, like the other `write`.
    public mutating func write(_ samples: [Float]) throws(AudioError) {
        try write(samples.span)
    }

    /// Completes the header and gives the file its name, or sends everything where it belongs.
    public consuming func finish() throws(AudioError) {
        if let code = content.take()?.finish() { throw failure(code) }
        try target.publish(file)
    }

    private func failure(_ code: CInt?) -> AudioError {
        .system(code ?? EIO, operation: "write", path: target.path, fallback: .cannotWrite)
    }
}
