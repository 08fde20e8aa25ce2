import CSndFile
import Glibc
import Synchronization

/// The owner of one libsndfile handle.
struct SoundFileHandle: ~Copyable {
    private let file: OpaquePointer
    let info: SF_INFO

    /// What the handle reads from or writes to must live as long as the handle.
    private let descriptor: Descriptor?
    private let stream: ByteStream?

    /// libsndfile keeps the reason of a failed open in one variable for all threads.
    private static let opening = Mutex(())

    /// Opens whatever begins at the descriptor's present position.
    init(reading descriptor: Descriptor, path: String) throws(AudioError) {
        let opened = Self.open(SF_INFO()) { sf_open_fd(descriptor.number, CInt(SFM_READ), &$0, 0) }
        guard let file = opened.file else {
            throw Self.openError(code: opened.code, detail: opened.detail, path: path)
        }
        self.file = file
        info = opened.info
        self.descriptor = descriptor
        stream = nil
    }

    /// Reads headerless samples from `stream`.
    init(reading stream: ByteStream, as format: RawFormat, path: String) throws(AudioError) {
        var description = SF_INFO()
        description.samplerate = CInt(format.sampleRateHertz)
        description.channels = CInt(format.channelCount)
        description.format = format.encoding.rawFormatCode
        stream.bytesPerFrame = format.encoding.bytesPerSample * format.channelCount
        let opened = Self.open(description) { info in
            var callbacks = Self.forwardReading
            return sf_open_virtual(&callbacks, CInt(SFM_READ), &info, Unmanaged.passUnretained(stream).toOpaque())
        }
        guard let file = opened.file else {
            throw Self.openError(code: opened.code, detail: opened.detail, path: path)
        }
        self.file = file
        info = opened.info
        descriptor = nil
        self.stream = stream
    }

    /// Writes a new file from the descriptor's present position on. The same samples give the same bytes.
    init(writing descriptor: Descriptor, format: CInt, sampleRateHertz: Int, channelCount: Int, path: String)
        throws(AudioError)
    {
        var description = SF_INFO()
        description.samplerate = CInt(sampleRateHertz)
        description.channels = CInt(channelCount)
        description.format = format
        let opened = Self.open(description) { sf_open_fd(descriptor.number, CInt(SFM_WRITE), &$0, 0) }
        guard let file = opened.file else {
            throw AudioError(
                .cannotWrite, operation: "write", path: path, detail: opened.detail,
                advice: "Try another format, sample rate or channel count")
        }
        self.file = file
        info = opened.info
        self.descriptor = descriptor
        stream = nil
        // The PEAK chunk holds the time of day.
        sf_command(file, CInt(SFC_SET_ADD_PEAK_CHUNK), nil, CInt(SF_FALSE))
    }

    deinit {
        sf_close(file)
    }

    /// Writes what is buffered and the lengths in the header. False when the library reports a failure.
    consuming func close() -> Bool {
        // The handle is closed in deinit, so this only brings the header up to date before that.
        sf_command(file, CInt(SFC_UPDATE_HEADER_NOW), nil, 0)
        return sf_error(file) == 0
    }

    /// Up to `frameCount` frames as floats, integer full scale = ±1; the number of frames read.
    func read(floats: UnsafeMutablePointer<Float>, frameCount: Int) -> Int {
        max(0, Int(sf_readf_float(file, floats, sf_count_t(frameCount))))
    }

    /// Up to `frameCount` frames as 16 bit integers; the number of frames read.
    func read(int16 integers: UnsafeMutablePointer<Int16>, frameCount: Int) -> Int {
        max(0, Int(sf_readf_short(file, integers, sf_count_t(frameCount))))
    }

    /// True when all `frameCount` frames were written.
    func write(int16 integers: UnsafePointer<Int16>, frameCount: Int) -> Bool {
        sf_writef_short(file, integers, sf_count_t(frameCount)) == frameCount
    }

    /// True when all `frameCount` frames were written; integers are left-justified in 32 bits.
    func write(int32 integers: UnsafePointer<Int32>, frameCount: Int) -> Bool {
        sf_writef_int(file, integers, sf_count_t(frameCount)) == frameCount
    }

    /// True when all `frameCount` frames were written.
    func write(floats: UnsafePointer<Float>, frameCount: Int) -> Bool {
        sf_writef_float(file, floats, sf_count_t(frameCount)) == frameCount
    }

    /// What libsndfile says about its last failure.
    var errorText: String { Self.clause(sf_strerror(file)) }

    private struct Opened {
        var file: OpaquePointer?
        var info: SF_INFO
        var code: CInt = 0
        var detail = ""
    }

    private static func open(_ description: SF_INFO, _ call: (inout SF_INFO) -> OpaquePointer?) -> Opened {
        var opened = Opened(file: nil, info: description)
        opening.withLock { _ in
            opened.file = call(&opened.info)
            if opened.file == nil {
                opened.code = sf_error(nil)
                opened.detail = clause(sf_strerror(nil))
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

    /// A message of libsndfile without its full stop and line breaks.
    private static func clause(_ message: UnsafePointer<CChar>?) -> String {
        guard let message else { return "no reason was given" }
        var text = String(cString: message).split(whereSeparator: \.isNewline).joined(separator: " ")
        while text.last == "." || text.last == " " { text.removeLast() }
        return text
    }

    /// Reads a `ByteStream`. The only seek that succeeds is the one to where the stream is.
    private static let forwardReading = SF_VIRTUAL_IO(
        get_filelen: { _ in 1 << 60 },
        seek: { offset, whence, context in
            guard let context else { return -1 }
            let stream = Unmanaged<ByteStream>.fromOpaque(context).takeUnretainedValue()
            let here = sf_count_t(stream.position)
            return whence == SEEK_SET && offset == here || whence == SEEK_CUR && offset == 0 ? here : -1
        },
        read: { target, count, context in
            guard let target, let context else { return 0 }
            let stream = Unmanaged<ByteStream>.fromOpaque(context).takeUnretainedValue()
            let buffer = UnsafeMutableRawBufferPointer(start: target, count: max(0, Int(count)))
            return sf_count_t(stream.read(into: buffer))
        },
        write: { _, _, _ in 0 },
        tell: { context in
            guard let context else { return 0 }
            return sf_count_t(Unmanaged<ByteStream>.fromOpaque(context).takeUnretainedValue().position)
        }
    )
}
