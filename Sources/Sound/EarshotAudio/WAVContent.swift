import Glibc

/// The content of one WAV while it is written: floats in, samples of a `SampleFormat` out, after a header.
///
/// `WAVWriter` and `WAVRecorder` differ in when the file appears under its name, not in its content.
/// No allocation after the first block.
///
/// The package writes WAV itself: libsndfile 1.2 writes 16 bytes of format for floats, and SoX warns about each such file.
///
///     "RIFF" size "WAVE"  "fmt " 16 format…                           "data" size samples…  [pad]
///     "RIFF" size "WAVE"  "fmt " 18 format… 0  "fact" 4 frame count   "data" size samples…
///
/// Source: Microsoft, Multiple Channel Audio Data and WAVE Files: a format other than integers has the size of its
/// extension, and a fact chunk.
struct WAVContent: ~Copyable {
    /// The maximum of a 32 bit length field, less room for the header, in bytes.
    static let dataByteLimit = 0xFFFF_FFFF - 4096

    /// The frames written. While the file is open, the header lags behind until `updateHeader`.
    private var frameCount = 0

    private let file: RandomAccessFile
    private let format: SampleFormat
    private let sampleRateHertz: Int
    private let channelCount: Int
    private let silentFrame: [UInt8]
    private var block: [UInt8] = []

    private var bytesPerFrame: Int { format.bytesPerSample * channelCount }

    /// Writes the header of an empty WAV to the beginning of `file`; errors show `path`.
    init(writing file: RandomAccessFile, sampleRateHertz: Int, channelCount: Int, format: SampleFormat, path: String)
        throws(AudioError)
    {
        precondition(
            StreamLimits.sampleRateHertz.contains(sampleRateHertz),
            "sample rate \(sampleRateHertz) Hz outside \(StreamLimits.sampleRateHertz)")
        precondition(
            StreamLimits.channelCount.contains(channelCount),
            "channel count \(channelCount) outside \(StreamLimits.channelCount)")
        self.file = file
        self.format = format
        self.sampleRateHertz = sampleRateHertz
        self.channelCount = channelCount
        silentFrame = [UInt8](repeating: 0, count: format.bytesPerSample * channelCount)
        guard updateHeader() else {
            throw .system(file.failure ?? EIO, operation: "write", path: path, fallback: .cannotWrite)
        }
    }

    /// Appends interleaved frames and returns the number of frames written.
    ///
    /// Integers are rounded to the nearest, and samples beyond ±1 are clamped to full scale; NaN becomes 0.
    mutating func write(_ samples: Span<Float>) -> Int {
        precondition(
            samples.count.isMultiple(of: channelCount), "\(samples.count) samples for \(channelCount) channels")
        // The block size bounds the memory for converted samples.
        let limit = 4096 * channelCount
        var first = 0
        while first < samples.count {
            let count = min(limit, samples.count - first)
            convert(samples.extracting(first..<first + count))
            let frames = append(block) / bytesPerFrame
            frameCount += frames
            first += frames * channelCount
            if frames * channelCount < count { break }
        }
        return first / channelCount
    }

    /// Appends `frames` ≥ 1 frames of silence and returns their number, 0 if that failed.
    ///
    /// Only the last frame is written. The gap before it reads as zeros, which is silence in every `SampleFormat`, and
    /// takes no space if the file system supports holes (all common ones except FAT and exFAT).
    mutating func writeSilence(frames: Int) -> Int {
        precondition(frames > 0, "silence of \(frames) frames")
        guard file.seek(to: (frames - 1) * bytesPerFrame, from: SEEK_CUR) >= 0, append(silentFrame) == bytesPerFrame
        else {
            return 0
        }
        frameCount += frames
        return frames
    }

    /// Updates the length in the header; false if the system could not write it.
    ///
    /// It is one `write(2)` within the file's first page, so a killed process has written all of it or nothing.
    func updateHeader() -> Bool {
        let header = header
        return file.seek(to: 0, from: SEEK_SET) == 0 && append(header) == header.count
            && file.seek(to: 0, from: SEEK_END) >= 0
    }

    /// Completes the header, closes the file and returns the `errno` of the first failure, earlier writes included, or
    /// nil.
    consuming func finish() -> CInt? {
        let file = file
        let failure = file.failure
        _ = consume self
        return failure ?? file.failure
    }

    deinit {
        // Removes a last frame that was only partly written.
        if file.failure != nil { file.truncate(to: header.count + dataByteCount) }
        if dataByteCount % 2 == 1, file.seek(to: 0, from: SEEK_END) >= 0 { _ = append([0]) }
        _ = updateHeader()
    }

    private var dataByteCount: Int { frameCount * bytesPerFrame }

    private var header: [UInt8] {
        let isFloat = format == .f32
        var body = Array("WAVEfmt ".utf8)
        body.append(isFloat ? 18 : 16, bytes: 4)
        body.append(isFloat ? 3 : 1, bytes: 2)
        body.append(channelCount, bytes: 2)
        body.append(sampleRateHertz, bytes: 4)
        body.append(sampleRateHertz * bytesPerFrame, bytes: 4)
        body.append(bytesPerFrame, bytes: 2)
        body.append(8 * format.bytesPerSample, bytes: 2)
        if isFloat {
            body.append(0, bytes: 2)
            body += Array("fact".utf8)
            body.append(4, bytes: 4)
            body.append(frameCount, bytes: 4)
        }
        body += Array("data".utf8)
        body.append(dataByteCount, bytes: 4)
        var header = Array("RIFF".utf8)
        header.append(body.count + dataByteCount + dataByteCount % 2, bytes: 4)
        return header + body
    }

    /// Appends bytes at the file's position, and returns the number of bytes written.
    private func append(_ bytes: [UInt8]) -> Int { bytes.withUnsafeBytes { file.write($0) } }

    /// Puts the samples into `block` in the file's format.
    private mutating func convert(_ samples: Span<Float>) {
        block.removeAll(keepingCapacity: true)
        for index in samples.indices {
            switch format {
            case .s16: block.append(Int(SampleConversion.int16(samples[index])), bytes: 2)
            // Left-justified in 32 bits.
            case .s24: block.append(Int(SampleConversion.int24(samples[index]) >> 8), bytes: 3)
            case .f32: block.append(Int(samples[index].bitPattern), bytes: 4)
            }
        }
    }
}

extension [UInt8] {
    /// Appends the lowest `count` bytes of a number, the lowest first.
    fileprivate mutating func append(_ number: Int, bytes count: Int) {
        for index in 0..<count { append(UInt8(truncatingIfNeeded: number >> (8 * index))) }
    }
}
