import CSndFile
import Glibc

/// The content of one WAV file that is being written: floats in, samples of a `SampleFormat` out, and a header in front.
///
/// `WAVWriter` and `WAVRecorder` differ in when the file is there under its name, not in what is in it.
/// No allocation after the first block.
struct WAVContent: ~Copyable {
    /// What a length field of 32 bits can say, less room for the header.
    static let dataByteLimit = 0xFFFF_FFFF - 4096

    /// The frames behind the header. While the file is open, the header lags behind them until `updateHeader`.
    private var frameCount = 0

    private let file: RandomAccessFile
    private let handle: SoundFileHandle
    private let format: SampleFormat
    private let channelCount: Int
    private let headerByteCount: Int
    private let silentFrame: [Float]
    private var int16s: [Int16] = []
    private var int32s: [Int32] = []

    /// Writes the header of an empty WAV to the beginning of `file`; `path` stands for it in errors.
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

    /// Appends interleaved frames, and gives the number that could be written.
    ///
    /// Integers are rounded to the nearest, and samples beyond ±1 held to full scale; NaN becomes 0.
    mutating func write(_ samples: Span<Float>) -> Int {
        precondition(
            samples.count.isMultiple(of: channelCount), "\(samples.count) samples for \(channelCount) channels")
        // Blocks bound the memory for converted samples.
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

    /// Appends `frames` ≥ 1 frames of silence and gives their number, 0 if that failed.
    ///
    /// Only the last one is written. What was never written before it reads as zeros, which is silence in every
    /// `SampleFormat`, and takes no space where the file system has holes (all common ones but FAT and exFAT).
    mutating func writeSilence(frames: Int) -> Int {
        precondition(frames > 0, "silence of \(frames) frames")
        guard handle.skip(frameCount: frames - 1) else { return 0 }
        let silence = silentFrame
        guard writeBlock(silence.span) == 1 else { return 0 }
        frameCount += frames
        return frames
    }

    /// Makes the header say what is there; false if the system could not write it.
    ///
    /// It is one `write(2)` within the file's first page, so a process that is killed has written all of it or nothing.
    func updateHeader() -> Bool {
        handle.updateHeader()
        return file.failure == nil
    }

    /// Completes the header and closes; the `errno` of what has failed, in earlier writes too, or nil.
    consuming func finish() -> CInt? {
        let file = file
        if file.failure != nil {
            // The beginning of a frame whose end found no room.
            file.truncate(to: headerByteCount + frameCount * format.bytesPerSample * channelCount)
        }
        // The library completes the header of what it closes.
        _ = consume self
        return file.failure
    }

    /// The frames of `samples` that were written.
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
