import CSndFile
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
    /// What a length field of 32 bits can say, less room for the header. A variable for the tests' sake.
    var dataByteLimit = 0xFFFF_FFFF - 4096

    private let target: OutputTarget
    private let file: TemporaryFile
    private let content: RandomAccessFile
    private var handle: SoundFileHandle?
    private let format: SampleFormat
    private let channelCount: Int
    private var dataByteCount = 0
    private var int16s: [Int16] = []
    private var int32s: [Int32] = []

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
        precondition(
            StreamLimits.sampleRateHertz.contains(sampleRateHertz),
            "sample rate \(sampleRateHertz) Hz outside \(StreamLimits.sampleRateHertz)")
        precondition(
            StreamLimits.channelCount.contains(channelCount),
            "channel count \(channelCount) outside \(StreamLimits.channelCount)")
        let file = try target.makeTemporaryFile()
        let subtype =
            switch format {
            case .s16: SF_FORMAT_PCM_16
            case .s24: SF_FORMAT_PCM_24
            case .f32: SF_FORMAT_FLOAT
            }
        let content = RandomAccessFile(file.descriptor)
        let handle = try SoundFileHandle(
            writing: content, format: CInt(SF_FORMAT_WAV | subtype), sampleRateHertz: sampleRateHertz,
            channelCount: channelCount, path: target.path)
        self.target = target
        self.file = file
        self.content = content
        self.handle = consume handle
        self.format = format
        self.channelCount = channelCount
    }

    /// Appends interleaved frames; `samples.count` must be a multiple of the channel count.
    ///
    /// Integers are rounded to the nearest, and samples beyond ±1 held to full scale; NaN becomes 0.
    public mutating func write(_ samples: Span<Float>) throws(AudioError) {
        precondition(
            samples.count.isMultiple(of: channelCount), "\(samples.count) samples for \(channelCount) channels")
        let byteCount = samples.count * format.bytesPerSample
        guard byteCount <= dataByteLimit - dataByteCount else {
            throw AudioError(
                .tooLarge, operation: "write", path: target.path,
                detail: "a WAV file holds less than 4 GiB of samples",
                advice: "Write several files, or fewer bits a sample")
        }
        // Blocks bound the memory for converted samples.
        let block = 4096 * channelCount
        var first = 0
        while first < samples.count {
            let count = min(block, samples.count - first)
            guard writeBlock(samples.extracting(first..<first + count)) else { throw failure() }
            first += count
        }
        dataByteCount += byteCount
    }

    /// Appends interleaved frames, like the other `write`.
    public mutating func write(_ samples: [Float]) throws(AudioError) {
        try write(samples.span)
    }

    /// Completes the header and gives the file its name, or sends everything where it belongs.
    public consuming func finish() throws(AudioError) {
        // Ends here, and with it the library completes the header.
        _ = handle.take()
        guard content.failure == nil else { throw failure() }
        try target.publish(file)
    }

    private mutating func writeBlock(_ samples: Span<Float>) -> Bool {
        let frames = samples.count / channelCount
        switch format {
        case .s16:
            int16s.removeAll(keepingCapacity: true)
            for index in samples.indices { int16s.append(SampleConversion.int16(samples[index])) }
            return int16s.withUnsafeBufferPointer { buffer in
                buffer.baseAddress.map { handle?.write(int16: $0, frameCount: frames) ?? false } ?? true
            }
        case .s24:
            int32s.removeAll(keepingCapacity: true)
            for index in samples.indices { int32s.append(SampleConversion.int24(samples[index])) }
            return int32s.withUnsafeBufferPointer { buffer in
                buffer.baseAddress.map { handle?.write(int32: $0, frameCount: frames) ?? false } ?? true
            }
        case .f32:
            return samples.withUnsafeBufferPointer { buffer in
                buffer.baseAddress.map { handle?.write(floats: $0, frameCount: frames) ?? false } ?? true
            }
        }
    }

    private func failure() -> AudioError {
        .system(content.failure ?? EIO, operation: "write", path: target.path, fallback: .cannotWrite)
    }
}
