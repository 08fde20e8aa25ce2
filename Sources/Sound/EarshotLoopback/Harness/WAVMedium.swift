package import EarshotAudio
package import EarshotSystem
import Glibc

/// A WAV file between transmitter and receiver: it shows only the effects of rounding to integers, of the file code and
/// of the modem.
package struct WAVMedium: LoopbackMedium {
    /// The format of the samples.
    package let format: SampleFormat
    /// The path of the file; nil for a temporary one.
    package let path: FilePath?

    private let replacesExisting: Bool

    private static let blockLength = 8_192
    /// The maximum of a WAV file's length fields, minus some room for its header.
    private static let maximumByteCount = 0xFFFF_0000

    /// Sets the properties of the same names.
    /// - Parameter replacesExisting: false refuses a file that exists.
    package init(format: SampleFormat = .s16, keptAt path: FilePath? = nil, replacesExisting: Bool = false) {
        self.format = format
        self.path = path
        self.replacesExisting = replacesExisting
    }

    /// The maximum length of a program, in samples.
    package var maximumSampleCount: Int { Self.maximumByteCount / format.bytesPerSample }

    /// A text such as "WAV file, s16".
    package var description: String { "WAV file, \(format.rawValue)" }

    /// Writes the whole file, then reads it. It can be ended early only while reading: the file is complete or does not exist.
    /// - Throws: `AudioError` if the file cannot be written or read.
    package func carry(_ run: LoopbackRun) throws(AudioError) {
        if let path {
            guard try Self.write(run, try WAVWriter(path: path, replacesExisting: replacesExisting, run, format))
            else { return }
            return try listen(run, try SoundFileReader(path: path))
        }
        let file = try NamelessFile()
        guard try Self.write(run, try WAVWriter(descriptor: file.descriptor, name: file.name, run, format)) else {
            return
        }
        try file.rewind()
        try listen(run, try SoundFileReader(descriptor: file.descriptor, name: file.name))
    }

    /// Writes the program of a run to a file of 16 bits, for another player. A run that is cancelled leaves no file.
    /// - Parameter replacesExisting: false refuses a file that exists.
    /// - Throws: `AudioError` if the file cannot be written.
    package static func write(
        _ run: LoopbackRun, to path: FilePath, replacesExisting: Bool
    ) throws(AudioError) {
        _ = try write(run, try WAVWriter(path: path, replacesExisting: replacesExisting, run, .s16))
    }

    /// - Returns: false if the run was cancelled; then there is no file.
    private static func write(_ run: LoopbackRun, _ writer: consuming WAVWriter) throws(AudioError) -> Bool {
        var stream = ProgramStream(run.program)
        var block = [Float](repeating: 0, count: Self.blockLength)
        while true {
            var room = block.mutableSpan
            let count = stream.read(into: &room)
            guard count > 0 else { break }
            guard !run.isCancelled else { return false }
            try writer.write(block.span.extracting(0..<count))
            run.progressed(to: 0.5 * Double(stream.position) / Double(run.program.sampleCount))
        }
        try writer.finish()
        return true
    }

    private func listen(_ run: LoopbackRun, _ reader: consuming SoundFileReader) throws(AudioError) {
        var ear = OfflineEar(run)
        var block: [Float] = []
        var readCount = 0
        run.left(0, atSeconds: 0)
        while !run.isCancelled, case let count = try reader.read(into: &block, maxFrames: Self.blockLength), count > 0 {
            ear.hear(block.span.extracting(0..<count))
            readCount += count
            run.left(readCount, atSeconds: ear.seconds)
            run.progressed(to: 0.5 + 0.5 * Double(readCount) / Double(run.program.sampleCount))
        }
        ear.finish()
    }
}

extension WAVWriter {
    fileprivate init(
        path: FilePath, replacesExisting: Bool, _ run: LoopbackRun, _ format: SampleFormat
    ) throws(AudioError) {
        try self.init(
            path: path, replacesExisting: replacesExisting, sampleRateHertz: run.program.sampleRateHertz,
            channelCount: 1, format: format)
    }

    fileprivate init(descriptor: CInt, name: String, _ run: LoopbackRun, _ format: SampleFormat) throws(AudioError) {
        try self.init(
            descriptor: descriptor, name: name, sampleRateHertz: run.program.sampleRateHertz, channelCount: 1,
            format: format)
    }
}

/// A temporary file that is removed with its owner, or with the process.
private struct NamelessFile: ~Copyable {
    let descriptor: CInt
    let name = "a temporary file"

    init() throws(AudioError) {
        let variable = getenv("TMPDIR").map { String(cString: $0) } ?? ""
        let directory = variable.isEmpty ? "/tmp" : variable
        var template = Array("\(directory)/earshot-XXXXXX".utf8CString)
        descriptor = template.withUnsafeMutableBufferPointer { mkstemp($0.baseAddress!) }
        guard descriptor >= 0 else {
            throw AudioError(
                .cannotWrite, operation: "write", path: "a temporary file in \(directory)",
                detail: String(cString: strerror(errno)), advice: "Set TMPDIR to a directory you may write to")
        }
        template.withUnsafeBufferPointer { _ = unlink($0.baseAddress!) }
    }

    func rewind() throws(AudioError) {
        guard lseek(descriptor, 0, SEEK_SET) == 0 else {
            throw AudioError(
                .cannotRead, operation: "read", path: name, detail: String(cString: strerror(errno)),
                advice: "Set TMPDIR to another directory")
        }
    }

    deinit {
        close(descriptor)
    }
}
