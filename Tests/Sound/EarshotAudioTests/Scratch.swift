import CSndFile
import EarshotBasics
import Glibc
import TestSupport
import Testing

@testable import EarshotAudio

/// A temporary directory; `deinit` removes it.
final class Scratch {
    let path: String

    init() {
        var template = Array("/tmp/earshot-audio-XXXXXX".utf8CString)
        precondition(mkdtemp(&template) != nil, "no temporary directory: errno \(errno)")
        path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    deinit {
        for name in names { unlink("\(path)/\(name)") }
        rmdir(path)
    }

    /// The names in the directory, including hidden files.
    var names: [String] {
        guard let directory = opendir(path) else { return [] }
        defer { closedir(directory) }
        var names: [String] = []
        while let entry = readdir(directory) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) { tuple in
                tuple.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names.sorted()
    }

    func file(_ name: String) -> String { "\(path)/\(name)" }

    func file(_ name: String, containing bytes: [UInt8]) -> String {
        save(bytes, to: file(name))
        return file(name)
    }
}

func save(_ bytes: [UInt8], to path: String) {
    let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0o644)
    precondition(write(descriptor, bytes, bytes.count) == bytes.count, "cannot write \(path)")
    close(descriptor)
}

func load(_ path: String) -> [UInt8] {
    let descriptor = open(path, O_RDONLY)
    defer { close(descriptor) }
    return drain(descriptor)
}

/// All bytes up to the end of a descriptor.
func drain(_ descriptor: CInt) -> [UInt8] {
    var bytes: [UInt8] = []
    var block = [UInt8](repeating: 0, count: 65_536)
    while case let count = read(descriptor, &block, block.count), count > 0 { bytes += block[..<count] }
    return bytes
}

/// Both ends of a pipe.
func makePipe() -> (reading: CInt, writing: CInt) {
    var ends: [CInt] = [-1, -1]
    precondition(pipe(&ends) == 0, "no pipe: errno \(errno)")
    return (ends[0], ends[1])
}

/// The error that `body` throws, or nil.
func failure(_ body: () throws(AudioError) -> Void) -> AudioError? {
    do {
        try body()
        return nil
    } catch {
        return error
    }
}

/// The error of opening `path`, or nil.
func openFailure(_ path: String) -> AudioError? {
    failure { () throws(AudioError) in _ = try SoundFileReader(path: path) }
}

/// All remaining samples, read in blocks of `maxFrames`.
func readAll(_ reader: inout SoundFileReader, maxFrames: Int = 1000) throws(AudioError) -> [Float] {
    var samples: [Float] = []
    var block: [Float] = []
    while case let frames = try reader.read(into: &block, maxFrames: maxFrames), frames > 0 {
        samples += block[..<(frames * reader.channelCount)]
    }
    return samples
}

func readAll(_ path: String, raw: RawFormat? = nil) throws(AudioError) -> [Float] {
    var reader = try SoundFileReader(path: path, raw: raw)
    return try readAll(&reader)
}

func writeWAV(
    _ samples: [Float], to path: String, rate: Int = 48_000, channels: Int = 1, format: SampleFormat = .s16
) throws(AudioError) {
    var writer = try WAVWriter(path: path, sampleRateHertz: rate, channelCount: channels, format: format)
    try writer.write(samples)
    try writer.finish()
}

/// The bytes of a WAV file.
func wavBytes(
    _ samples: [Float], rate: Int = 48_000, channels: Int = 1, format: SampleFormat = .s16
) throws(AudioError) -> [UInt8] {
    let scratch = Scratch()
    try writeWAV(samples, to: scratch.file("x.wav"), rate: rate, channels: channels, format: format)
    return load(scratch.file("x.wav"))
}

/// Containers by their libsndfile numbers (sndfile.h).
enum Container: Int, CaseIterable {
    case wav = 0x010000
    case aiff = 0x020000
    case au = 0x030000
    case w64 = 0x0B0000
    case flac = 0x170000
    case caf = 0x180000
    case rf64 = 0x220000
    /// RIFX: WAV with big-endian numbers.
    case rifx = 0x2001_0000
}

/// A file of 16 bit samples in `container`, written by libsndfile.
func writeSoundFile(_ samples: [Int16], to path: String, container: Container, channels: Int = 1) throws {
    try writeSoundFile(samples, to: path, libraryFormat: container.rawValue | 2, channels: channels)
}

/// A file in a format of libsndfile.
func writeSoundFile(_ samples: [Int16], to path: String, libraryFormat: Int, channels: Int = 1) throws {
    var description = SF_INFO()
    description.samplerate = 48_000
    description.channels = CInt(channels)
    description.format = CInt(libraryFormat)
    let file = try #require(sf_open(path, CInt(SFM_WRITE), &description))
    let frames = sf_writef_short(file, samples, sf_count_t(samples.count / channels))
    sf_close(file)
    #expect(Int(frames) == samples.count / channels)
}

/// Uniformly distributed samples in ±`peak`.
func noise(_ count: Int, seed: UInt64, peak: Float = 1) -> [Float] {
    var generator = SeededGenerator(seed: seed)
    return (0..<count).map { _ in Float.random(in: -peak...peak, using: &generator) }
}
