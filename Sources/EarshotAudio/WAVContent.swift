import CSndFile
import Glibc

/// The content of one WAV while it is written: floats in, samples of a `SampleFormat` out, after a header.
///
/// `WAVWriter` and `WAVRecorder` differ in when the file appears under its name, not in its content.
/// No allocation after the first block.
struct WAVContent: ~Copyable {
    /// The maximum of a 32 bit length field, less room for the header, in bytes.
    static let dataByteLimit = 0xFFFF_FFFF - 4096

    /// The frames written. While the file is open, the header lags behind until `updateHeader`.
    private var frameCount = 0

    private let file: RandomAccessFile
    private let handle: SoundFileHandle
    private let format: SampleFormat
    private let channelCount: Int
    private let headerByteCount: Int
    private let silentFrame: [Float]
    private var int16s: [Int16] = []
    private var int32s: [Int32] = []

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
        let subtype =
            switch format {
            case .s16: SF_FORMAT_PCM_16
            case .s24: SF_FORMAT_PCM_24
            case .f32: SF_FORMAT_FLOAT
            }
        handle = try SoundFileHandle(
            writing: file, format: CInt(SF_FORMAT_WAV | subtype), sampleRateHertz: sampleRateHertz,
            channelCount: channelCount, path: path)
        self.file = file
        self.format = format
        self.channelCount = channelCount
        headerByteCount = file.byteCount
        silentFrame = [Float](repeating: 0, count: channelCount)
    }

    /// Appends interleaved frames and returns the number of frames written.
    ///
    /// Integers are rounded to the nearest, and samples beyond ±1 are clamped to full scale; NaN becomes 0.
    mutating func write(_ samples: Span<Float>) -> Int {
        precondition(
            samples.count.isMultiple(of: channelCount), "\(samples.count) samples for \(channelCount) channels")
        // The block size bounds the memory for converted samples.
        let block = 4096 * channelCount
        var first = 0
        while first < samples.count {
            let count = min(block, samples.count - first)
            let frames = writeBlock(samples.extracting(first..<first + count))
            frameCount += frames
            first += frames * channelCount
            if frames * channelCount < count { break }
        }
        return first / channelCount
    }

    /// Appends `frames` ≥ 1 frames of silence and returns their number, 0 if that failed.
    ///
    /// Only the last frame is written. The gap before it reads as zeros, which is silence in every `SampleFormat`, and
    /// takes no space where the file system has holes (all common ones but FAT and exFAT).
    mutating func writeSilence(frames: Int) -> Int {
        precondition(frames > 0, "silence of \(frames) frames")
        guard handle.skip(frameCount: frames - 1) else { return 0 }
        let silence = silentFrame
        guard writeBlock(silence.span) == 1 else { return 0 }
        frameCount += frames
        return frames
    }

    /// Updates the length in the header; false if the system could not write it.
    ///
    /// It is one `write(2)` within the file's first page, so a killed process has written all of it or nothing.
    func updateHeader() -> Bool {
        handle.updateHeader()
        return file.failure == nil
    }

    /// Completes the header, closes the file and returns the `errno` of the first failure, earlier writes included, or
    /// nil.
    consuming func finish() -> CInt? {
        let file = file
        if file.failure != nil {
            // Removes a last frame that was only partly written.
            file.truncate(to: headerByteCount + frameCount * format.bytesPerSample * channelCount)
        }
        // The library completes the header when it closes the file.
        _ = consume self
        return file.failure
    }

    /// Writes one block and returns the number of frames of `samples` that were written.
    private mutating func writeBlock(_ samples: Span<Float>) -> Int {
        let frames = samples.count / channelCount
        switch format {
        case .s16:
            int16s.removeAll(keepingCapacity: true)
            for index in samples.indices { int16s.append(SampleConversion.int16(samples[index])) }
            return int16s.withUnsafeBufferPointer { buffer in
                buffer.baseAddress.map { handle.write(int16: $0, frameCount: frames) } ?? 0
            }
        case .s24:
            int32s.removeAll(keepingCapacity: true)
            for index in samples.indices { int32s.append(SampleConversion.int24(samples[index])) }
            return int32s.withUnsafeBufferPointer { buffer in
                buffer.baseAddress.map { handle.write(int32: $0, frameCount: frames) } ?? 0
            }
        case .f32:
            return samples.withUnsafeBufferPointer { buffer in
                buffer.baseAddress.map { handle.write(floats: $0, frameCount: frames) } ?? 0
            }
        }
    }
}
