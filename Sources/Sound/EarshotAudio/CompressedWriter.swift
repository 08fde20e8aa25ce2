import CSndFile
package import EarshotSystem
import Glibc

/// A writer of samples to a file, which exists when the writer is finished.
package protocol SampleWriter: ~Copyable {
    /// Appends interleaved frames; `samples.count` must be a multiple of the channel count.
    mutating func write(_ samples: Span<Float>) throws(AudioError)

    /// Completes the file and gives it its name.
    consuming func finish() throws(AudioError)
}

extension WAVWriter: SampleWriter {}

/// Samples to a FLAC, Ogg or MP3 file that appears complete or not at all, by libsndfile.
///
/// Lossy kinds get the highest bit rate of their encoder. The same samples give the same bytes in FLAC and MP3; the
/// streams of Ogg have a random number.
package struct CompressedWriter: ~Copyable, SampleWriter {
    private let target: OutputTarget
    private let file: TemporaryFile
    private let bytes: RandomAccessFile
    private var handle: SoundFileHandle?
    private let channelCount: Int

    /// Prepares to write `path`, which may be an existing file, a device or a named pipe.
    ///
    /// - Parameter replacesExisting: false refuses a file that exists, with the kind `exists`.
    /// - Parameter format: the size of a sample in FLAC; other kinds ignore it.
    /// - Throws: `AudioError`: `unsupported` if the system's libsndfile cannot write this kind at this rate, or if FLAC
    ///   is given floats; otherwise those of `WAVWriter`.
    package init(
        path: FilePath, replacesExisting: Bool = true, kind: CompressedKind, sampleRateHertz: Int, channelCount: Int,
        format: SampleFormat
    ) throws(AudioError) {
        func refusal(_ detail: String, _ advice: String) -> AudioError {
            AudioError(.unsupported, operation: "write", path: path.description, detail: detail, advice: advice)
        }
        if kind == .flac, format == .f32 {
            throw refusal("FLAC holds integers only", "Use 16 or 24 bits, or a WAV file")
        }
        var information = SF_INFO()
        information.samplerate = CInt(sampleRateHertz)
        information.channels = CInt(channelCount)
        information.format = kind.formatCode(format)
        // LAME and Opus would convert other rates or refuse them when the first sample comes.
        let hasRate =
            switch kind {
            case .flac, .vorbis: true
            case .mp3: sampleRateHertz == 44_100 || sampleRateHertz == 48_000
            case .opus: sampleRateHertz == 48_000
            }
        guard hasRate else {
            throw refusal("\(kind.name) has no sample rate of \(sampleRateHertz) Hz", "Use 48000 Hz, or a WAV file")
        }
        guard sf_format_check(&information) == SF_TRUE else {
            throw refusal("the libsndfile of this system cannot write \(kind.name)", "Write a WAV file, and convert it")
        }
        let target = try OutputTarget(path: path, replacesExisting: replacesExisting)
        let file = try target.makeTemporaryFile()
        let bytes = RandomAccessFile(file.descriptor)
        handle = try SoundFileHandle(
            writing: bytes, as: kind, format: format, sampleRateHertz: sampleRateHertz, channelCount: channelCount,
            path: target.name)
        self.target = target
        self.file = file
        self.bytes = bytes
        self.channelCount = channelCount
    }

    package mutating func write(_ samples: Span<Float>) throws(AudioError) {
        let frameCount = samples.count / channelCount
        let (written, complaint) = samples.withUnsafeBufferPointer { samples -> (Int, String) in
            guard frameCount > 0, let start = samples.baseAddress else { return (0, "") }
            let written = handle?.write(floats: start, frameCount: frameCount) ?? 0
            return (written, written < frameCount ? handle?.complaint ?? "" : "")
        }
        if let failure = bytes.failure { throw systemError(failure) }
        guard written == frameCount else {
            throw AudioError(
                .cannotWrite, operation: "write", path: target.name, detail: complaint,
                advice: "Write a WAV file, and convert it")
        }
    }

    package consuming func finish() throws(AudioError) {
        // Closing writes what the encoder still has.
        handle = nil
        if let failure = bytes.failure { throw systemError(failure) }
        try target.publish(file)
    }

    private func systemError(_ code: CInt) -> AudioError {
        .system(code, operation: "write", path: target.name, fallback: .cannotWrite)
    }
}
