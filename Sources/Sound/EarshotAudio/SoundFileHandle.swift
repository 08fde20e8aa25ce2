import CSndFile
import Glibc
import Synchronization

/// The owner of one libsndfile handle.
struct SoundFileHandle: ~Copyable {
    private let file: OpaquePointer
    let info: SF_INFO

    /// The frame count of a file opened for reading.
    var frameCount: Int { Int(info.frames) }

    /// The `ByteStream` or `RandomAccessFile` behind the handle; it must live as long as the handle.
    private let context: AnyObject

    /// Serialises opens: libsndfile keeps the reason of a failed open in one variable for all threads.
    private static let opening = Mutex(())

    /// Opens `content` in any format that libsndfile knows.
    init(reading content: RandomAccessFile, path: String) throws(AudioError) {
        try self.init(
            reading: content, through: LibraryCallbacks.randomAccess, description: SF_INFO(), path: path)
    }

    /// Reads headerless samples from `stream`.
    init(reading stream: ByteStream, as format: RawFormat, path: String) throws(AudioError) {
        stream.bytesPerFrame = format.encoding.bytesPerSample * format.channelCount
        let description = Self.description(
            format.encoding.rawFormatCode, sampleRateHertz: format.sampleRateHertz,
            channelCount: format.channelCount)
        try self.init(
            reading: stream, through: LibraryCallbacks.forwardReading, description: description, path: path)
    }

    /// Writes `kind` to the beginning of an empty file.
    init(
        writing file: RandomAccessFile, as kind: CompressedKind, format: SampleFormat, sampleRateHertz: Int,
        channelCount: Int, path: String
    ) throws(AudioError) {
        let description = Self.description(
            kind.formatCode(format), sampleRateHertz: sampleRateHertz, channelCount: channelCount)
        try self.init(
            file, mode: SFM_WRITE, through: LibraryCallbacks.randomAccess, description: description, path: path)
        _ = sf_command(self.file, CInt(SFC_SET_CLIPPING), nil, CInt(SF_TRUE))
        guard kind.isLossy else { return }
        // At low rates the codecs remove near-ultrasound (docs/codecs.md). 0 asks for the highest rate.
        var level = 0.0
        var mode = CInt(SF_BITRATE_MODE_CONSTANT)
        _ = sf_command(self.file, CInt(SFC_SET_BITRATE_MODE), &mode, CInt(MemoryLayout<CInt>.size))
        _ = sf_command(self.file, CInt(SFC_SET_COMPRESSION_LEVEL), &level, CInt(MemoryLayout<Double>.size))
    }

    private init(reading context: AnyObject, through callbacks: SF_VIRTUAL_IO, description: SF_INFO, path: String)
        throws(AudioError)
    {
        try self.init(context, mode: SFM_READ, through: callbacks, description: description, path: path)
    }

    private init(
        _ context: AnyObject, mode: Int, through callbacks: SF_VIRTUAL_IO, description: SF_INFO, path: String
    ) throws(AudioError) {
        let opened = Self.open(context, mode: mode, through: callbacks, description: description)
        guard let file = opened.file else {
            throw Self.openError(code: opened.code, detail: opened.detail, path: path)
        }
        self.file = file
        info = opened.info
        self.context = context
    }

    deinit {
        _ = withExtendedLifetime(context) { sf_close(file) }
    }

    /// Reads up to `frameCount` frames as floats, integer full scale = ±1; returns the number of frames read.
    func read(floats: UnsafeMutablePointer<Float>, frameCount: Int) -> Int {
        max(0, Int(sf_readf_float(file, floats, sf_count_t(frameCount))))
    }

    /// Reads up to `frameCount` frames as 16 bit integers; returns the number of frames read.
    func read(int16 integers: UnsafeMutablePointer<Int16>, frameCount: Int) -> Int {
        max(0, Int(sf_readf_short(file, integers, sf_count_t(frameCount))))
    }

    /// Writes frames; returns the number of frames written.
    func write(floats: UnsafePointer<Float>, frameCount: Int) -> Int {
        max(0, Int(sf_writef_float(file, floats, sf_count_t(frameCount))))
    }

    /// Why the last call failed.
    var complaint: String { Self.clause(sf_strerror(file)) }

    private struct Opened {
        var file: OpaquePointer?
        var info: SF_INFO
        var code: CInt = 0
        var detail = ""
    }

    private static func description(_ format: CInt, sampleRateHertz: Int, channelCount: Int) -> SF_INFO {
        var description = SF_INFO()
        description.samplerate = CInt(sampleRateHertz)
        description.channels = CInt(channelCount)
        description.format = format
        return description
    }

    private static func open(
        _ context: AnyObject, mode: Int, through callbacks: SF_VIRTUAL_IO, description: SF_INFO
    ) -> Opened {
        var opened = Opened(file: nil, info: description)
        var callbacks = callbacks
        let pointer = Unmanaged.passUnretained(context).toOpaque()
        withExtendedLifetime(context) {
            opening.withLock { _ in
                opened.file = sf_open_virtual(&callbacks, CInt(mode), &opened.info, pointer)
                if opened.file == nil {
                    opened.code = sf_error(nil)
                    opened.detail = clause(sf_strerror(nil))
                }
            }
        }
        return opened
    }

    private static func openError(code: CInt, detail: String, path: String) -> AudioError {
        let kind: AudioError.Kind =
            switch Int(code) {
            case SF_ERR_UNRECOGNISED_FORMAT: .notAudio
            case SF_ERR_SYSTEM: .cannotRead
            case SF_ERR_UNSUPPORTED_ENCODING: .unsupported
            default: .damaged
            }
        return AudioError(
            kind, operation: "open", path: path, detail: detail,
            advice: kind == .unsupported ? "Convert it to WAV with 16 bits" : "Copy or record it again")
    }

    /// A message of libsndfile without full stop and line breaks.
    private static func clause(_ message: UnsafePointer<CChar>?) -> String {
        guard let message else { return "no reason was given" }
        var text = String(cString: message).split(whereSeparator: \.isNewline).joined(separator: " ")
        while text.last == "." || text.last == " " { text.removeLast() }
        return text
    }
}
