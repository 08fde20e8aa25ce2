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

    private init(reading context: AnyObject, through callbacks: SF_VIRTUAL_IO, description: SF_INFO, path: String)
        throws(AudioError)
    {
        let opened = Self.open(context, through: callbacks, mode: SFM_READ, description: description)
        guard let file = opened.file else {
            throw Self.openError(code: opened.code, detail: opened.detail, path: path)
        }
        self.file = file
        info = opened.info
        self.context = context
    }

    /// Opens a new file for writing. The same samples give the same bytes.
    init(writing content: RandomAccessFile, format: CInt, sampleRateHertz: Int, channelCount: Int, path: String)
        throws(AudioError)
    {
        let description = Self.description(format, sampleRateHertz: sampleRateHertz, channelCount: channelCount)
        let opened = Self.open(
            content, through: LibraryCallbacks.randomAccess, mode: SFM_WRITE, description: description)
        // The library does not check whether its header was written.
        if let code = content.failure {
            if let file = opened.file { sf_close(file) }
            throw .system(code, operation: "write", path: path, fallback: .cannotWrite)
        }
        guard let file = opened.file else {
            throw AudioError(
                .cannotWrite, operation: "write", path: path, detail: opened.detail,
                advice: "Try another format, sample rate or channel count")
        }
        self.file = file
        info = opened.info
        context = content
        // The PEAK chunk holds the time of day, so it would make equal samples give different bytes.
        sf_command(file, CInt(SFC_SET_ADD_PEAK_CHUNK), nil, CInt(SF_FALSE))
    }

    deinit {
        // Closing a written file completes its header.
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

    /// Writes 16 bit integers; returns the number of frames written, `frameCount` unless a write failed.
    func write(int16 integers: UnsafePointer<Int16>, frameCount: Int) -> Int {
        max(0, Int(sf_writef_short(file, integers, sf_count_t(frameCount))))
    }

    /// Writes integers left-justified in 32 bits; returns the number of frames written, `frameCount` unless a write
    /// failed.
    func write(int32 integers: UnsafePointer<Int32>, frameCount: Int) -> Int {
        max(0, Int(sf_writef_int(file, integers, sf_count_t(frameCount))))
    }

    /// Writes floats; returns the number of frames written, `frameCount` unless a write failed.
    func write(floats: UnsafePointer<Float>, frameCount: Int) -> Int {
        max(0, Int(sf_writef_float(file, floats, sf_count_t(frameCount))))
    }

    /// Leaves a hole of `frameCount` frames in the file; the hole exists once a later frame is written.
    func skip(frameCount: Int) -> Bool {
        frameCount == 0 || sf_seek(file, sf_count_t(frameCount), CInt(SEEK_CUR) | CInt(SFM_WRITE)) >= 0
    }

    /// Writes the header as if the file ended here.
    func updateHeader() {
        sf_command(file, CInt(SFC_UPDATE_HEADER_NOW), nil, 0)
    }

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
        _ context: AnyObject, through callbacks: SF_VIRTUAL_IO, mode: Int, description: SF_INFO
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
