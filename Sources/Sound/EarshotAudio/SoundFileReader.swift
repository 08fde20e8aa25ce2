import CSndFile
package import EarshotSystem
import Glibc

/// Samples from a sound file or a pipe, in order and once.
///
///     var reader = try SoundFileReader(path: "take.wav")
///     var block: [Float] = []
///     while case let frames = try reader.read(into: &block, maxFrames: 8192), frames > 0 { … }
///
/// The reader delivers WAV, RF64 and headerless samples as they arrive, from a pipe too. libsndfile decodes everything
/// else that it can: FLAC, Ogg, AIFF, AU, CAF, W64, compressed WAV and more, MP3 from version 1.1 on. These need seeking,
/// so the reader first copies a pipe to its end into a temporary file without a name.
///
/// If the samples end before the count in the header, the reader delivers the existing ones and `isTruncated` is true.
///
/// Cost: 48 kHz, 16 bit, mono takes about 12 µs of processor time a second of sound, for any block size.
public struct SoundFileReader: ~Copyable {
    /// Frames a second, 1 … 1,536,000.
    public let sampleRateHertz: Int

    /// Interleaved channels, 1 … 64.
    public let channelCount: Int

    /// The frame count of the file; nil if unknown, as on a pipe.
    public let frameCount: Int?

    /// Readable container and encoding: "WAV, signed 16 bit".
    public let formatName: String

    /// True once the samples have ended before the frame count that the header states.
    public private(set) var isTruncated = false

    private let handle: SoundFileHandle
    private let stream: ByteStream?
    /// What libsndfile reads, unless the samples are uncompressed.
    private let content: RandomAccessFile?
    private let path: String
    private let promisedFrameCount: Int?
    private var deliveredFrameCount = 0

    /// 16 bit samples read ahead, of which `pending` are not delivered yet; empty if libsndfile converts.
    private var integers: [Int16]
    private var pending = 0..<0

    /// 64 KiB: few system calls, and it still fits a second-level cache.
    private static let integerCapacity = 32_768

    /// Opens a file, named pipe or device.
    ///
    /// - Parameters:
    ///   - path: the file to read.
    ///   - raw: the format of headerless samples; nil if the file has a header.
    /// - Throws: `AudioError`: `notFound`, `notPermitted` or `isDirectory` if the path cannot be opened; `empty`,
    ///   `notAudio`, `unsupported` or `damaged` if the content cannot be decoded; `cannotRead` if a read fails;
    ///   `cannotWrite` or `noSpace` if the temporary copy of a pipe fails.
    public init(path: String, raw: RawFormat? = nil) throws(AudioError) {
        try self.init(path: FilePath(path), raw: raw)
    }

    /// Opens a file, named pipe or device whose name need not be UTF-8, like the other `init(path:raw:)`.
    package init(path: FilePath, raw: RawFormat? = nil) throws(AudioError) {
        guard let descriptor = Descriptor(opening: path, flags: O_RDONLY) else {
            throw .system(errno, operation: "open", path: path.description, fallback: .cannotRead)
        }
        try self.init(descriptor, path: path.description, raw: raw)
    }

    /// Reads an open descriptor from its current position on.
    ///
    /// - Parameters:
    ///   - descriptor: the descriptor to read. The caller keeps it and must not read from it meanwhile.
    ///   - name: the name that errors show.
    ///   - raw: the format of headerless samples; nil if the stream has a header.
    /// - Throws: the `AudioError`s of `init(path:raw:)`.
    public init(descriptor: CInt, name: String, raw: RawFormat? = nil) throws(AudioError) {
        guard let duplicate = Descriptor(duplicating: descriptor) else {
            throw .system(errno, operation: "open", path: name, fallback: .cannotRead)
        }
        try self.init(duplicate, path: name, raw: raw)
    }

    /// Reads standard input as it arrives; `raw` is the format of headerless samples.
    ///
    /// - Throws: the `AudioError`s of `init(path:raw:)`.
    public static func standardInput(raw: RawFormat? = nil) throws(AudioError) -> SoundFileReader {
        try SoundFileReader(descriptor: STDIN_FILENO, name: "standard input", raw: raw)
    }

    private init(_ descriptor: Descriptor, path: String, raw: RawFormat?) throws(AudioError) {
        if descriptor.status?.isDirectory == true {
            throw .system(EISDIR, operation: "open", path: path, fallback: .isDirectory)
        }
        let stream = ByteStream(descriptor)
        if let raw {
            try self.init(
                stream, header: nil, format: raw, name: "raw, \(FormatName.text(raw.encoding))", path: path)
            return
        }

        let head = stream.peek(12)
        if let code = stream.failure {
            throw .system(code, operation: "read", path: path, fallback: .cannotRead)
        }
        switch FileKind(head: head) {
        case .wav:
            let header = try WAVHeader(reading: stream, path: path)
            if let encoding = header.encoding {
                let format = RawFormat(
                    encoding, sampleRateHertz: header.sampleRateHertz, channelCount: header.channelCount)
                let name = "\(header.containerName), \(FormatName.text(encoding))"
                try self.init(stream, header: header, format: format, name: name, path: path)
            } else {
                try self.init(decoding: stream, path: path)
            }
        case .other(let name):
            if head.isEmpty { throw .emptyContent(path: path) }
            do throws(AudioError) {
                if name == nil { try Self.probe(stream, path: path) }
                try self.init(decoding: stream, path: path)
            } catch {
                throw error.kind == .notAudio ? AudioError.unknownContent(head, name: name, path: path) : error
            }
        }
    }

    /// Reads uncompressed samples.
    private init(_ stream: ByteStream, header: WAVHeader?, format: RawFormat, name: String, path: String)
        throws(AudioError)
    {
        let bytesPerFrame = format.encoding.bytesPerSample * format.channelCount
        let promised = header?.dataByteCount.map { $0 / bytesPerFrame }
        let present = stream.byteCountAtOpen.map { max(0, $0 - stream.position) / bytesPerFrame }
        stream.restartCounting()
        if let promised { stream.end = promised * bytesPerFrame }
        handle = try SoundFileHandle(reading: stream, as: format, path: path)
        self.stream = stream
        content = nil
        self.path = path
        sampleRateHertz = format.sampleRateHertz
        channelCount = format.channelCount
        frameCount = present.map { min($0, promised ?? .max) }
        formatName = name
        promisedFrameCount = promised
        integers =
            format.encoding == .s16le || format.encoding == .s16be
            ? [Int16](repeating: 0, count: Self.integerCapacity) : []
    }

    /// Reads samples that libsndfile locates and decodes.
    private init(decoding stream: ByteStream, path: String) throws(AudioError) {
        let content = try Self.seekable(stream, path: path)
        func failure(_ code: CInt) -> AudioError {
            .system(code, operation: "read", path: path, fallback: .cannotRead)
        }
        let opened: SoundFileHandle
        do throws(AudioError) { opened = try SoundFileHandle(reading: content, path: path) } catch {
            throw content.readFailure.map(failure) ?? error
        }
        if let code = content.readFailure { throw failure(code) }
        let info = opened.info
        if let refusal = StreamLimits.refusal(
            sampleRateHertz: Int(info.samplerate), channelCount: Int(info.channels), path: path)
        {
            throw refusal
        }
        let isKnown = (0..<Int.max / 2).contains(opened.frameCount)
        frameCount = isKnown ? opened.frameCount : nil
        handle = opened
        self.stream = nil
        self.content = content
        self.path = path
        sampleRateHertz = Int(info.samplerate)
        channelCount = Int(info.channels)
        formatName = FormatName.text(info.format)
        promisedFrameCount = frameCount
        let is16Bit = Int(info.format) & SF_FORMAT_SUBMASK == SF_FORMAT_PCM_16
        integers = is16Bit ? [Int16](repeating: 0, count: Self.integerCapacity) : []
    }

    /// Reads up to `maxFrames` ≥ 1 frames, interleaved, to the beginning of `buffer`.
    ///
    /// Integer full scale is ±1; floats pass unchanged, including NaN, infinity and values beyond ±1. From a pipe, the
    /// call returns the available frames without waiting for more, but at least one.
    ///
    /// - Parameters:
    ///   - buffer: is extended to `maxFrames * channelCount` samples if it is shorter, so only the first of
    ///     many calls allocates. The samples after the frames read stay unchanged.
    ///   - maxFrames: the maximum number of frames to read, ≥ 1.
    /// - Returns: the number of frames read, 0 only at the end.
    /// - Throws: `AudioError` if the system reports a failed read, mostly of the kind `cannotRead`.
    public mutating func read(into buffer: inout [Float], maxFrames: Int) throws(AudioError) -> Int {
        precondition(maxFrames > 0, "reading \(maxFrames) frames")
        let missing = maxFrames * channelCount - buffer.count
        if missing > 0 { buffer.append(contentsOf: repeatElement(0, count: missing)) }
        var samples = buffer.mutableSpan
        return try read(into: &samples)
    }

    /// Reads as many frames as fit into `samples`, which must hold at least one; otherwise like
    /// `read(into:maxFrames:)`.
    ///
    /// - Returns: the number of frames read, 0 only at the end.
    /// - Throws: `AudioError` if the system reports a failed read, mostly of the kind `cannotRead`.
    public mutating func read(into samples: inout MutableSpan<Float>) throws(AudioError) -> Int {
        let maxFrames = samples.count / channelCount
        precondition(maxFrames > 0, "\(samples.count) samples hold no frame of \(channelCount) channels")
        stream?.beginRequest()
        return try concludeRead(integers.isEmpty ? readFloats(&samples, maxFrames) : readIntegers(&samples, maxFrames))
    }

    /// Counts the frames of a read, or throws the reason why it delivered none.
    private mutating func concludeRead(_ frames: Int) throws(AudioError) -> Int {
        if let code = stream?.failure ?? content?.readFailure, frames == 0 {
            throw .system(code, operation: "read", path: path, fallback: .cannotRead)
        }
        deliveredFrameCount += frames
        if frames == 0, let promisedFrameCount, deliveredFrameCount < promisedFrameCount { isTruncated = true }
        return frames
    }

    /// Whether the file stores 16 bit integers, which `read(integers:maxFrames:)` delivers unchanged.
    public var holdsIntegers: Bool { !integers.isEmpty }

    /// Reads the 16 bit samples of a file that `holdsIntegers` unchanged, full scale 2¹⁵; otherwise like
    /// `read(into:maxFrames:)`. Cost: that of the system's `read`.
    ///
    /// - Returns: the number of frames read, 0 only at the end.
    /// - Throws: `AudioError` if the system reports a failed read, mostly of the kind `cannotRead`.
    public mutating func read(integers buffer: inout [Int16], maxFrames: Int) throws(AudioError) -> Int {
        precondition(holdsIntegers && maxFrames > 0, "reading \(maxFrames) frames of \(formatName) as integers")
        let missing = maxFrames * channelCount - buffer.count
        if missing > 0 { buffer.append(contentsOf: repeatElement(0, count: missing)) }
        stream?.beginRequest()
        var frames = 0
        if pending.isEmpty {
            frames = buffer.withUnsafeMutableBufferPointer {
                handle.read(int16: $0.baseAddress!, frameCount: maxFrames)
            }
        } else {
            // The samples that an earlier call of the other `read` has left.
            let chunk = pending.prefix(maxFrames * channelCount)
            for index in chunk { buffer[index - chunk.lowerBound] = integers[index] }
            pending = chunk.upperBound..<pending.upperBound
            frames = chunk.count / channelCount
        }
        return try concludeRead(frames)
    }

    private func readFloats(_ samples: inout MutableSpan<Float>, _ maxFrames: Int) -> Int {
        samples.withUnsafeMutableBufferPointer { buffer in
            guard let start = buffer.baseAddress else { return 0 }
            return handle.read(floats: start, frameCount: maxFrames)
        }
    }

    /// libsndfile converts integers to floats one by one; this converts several at a time, in a third of the time.
    private mutating func readIntegers(_ samples: inout MutableSpan<Float>, _ maxFrames: Int) -> Int {
        let wanted = maxFrames * channelCount
        var count = 0
        while count < wanted {
            if pending.isEmpty {
                // A refill from a pipe could wait and so delay samples that are available.
                if count > 0, frameCount == nil { break }
                refill()
                if pending.isEmpty { break }
            }
            let chunk = pending.prefix(wanted - count)
            SampleConversion.floats(from: integers.span.extracting(chunk), into: &samples, at: count)
            pending = chunk.upperBound..<pending.upperBound
            count += chunk.count
        }
        return count / channelCount
    }

    private mutating func refill() {
        // Taken out of self, because the handle, another part of self, is in use meanwhile.
        var block = exchange(&integers, with: [])
        let frames = block.withUnsafeMutableBufferPointer { buffer in
            guard let start = buffer.baseAddress else { return 0 }
            return handle.read(int16: start, frameCount: buffer.count / channelCount)
        }
        integers = block
        pending = 0..<frames * channelCount
    }
}
