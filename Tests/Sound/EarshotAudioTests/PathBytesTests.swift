import EarshotSystem
import Glibc
import Testing

@testable import EarshotAudio

/// Paths that are not UTF-8 name the file with exactly these bytes.
@Suite struct PathBytesTests {
    /// "café" in Latin-1, and a cut character of three bytes.
    private static let name: [UInt8] = Array("caf".utf8) + [0xE9, 0xE2, 0x82] + Array(".wav".utf8)

    @Test func filesAreWrittenAndReadByTheirBytes() throws {
        let scratch = Scratch()
        let path = FilePath(bytes: Array("\(scratch.path)/".utf8) + Self.name)
        var writer = try WAVWriter(path: path, sampleRateHertz: 48_000, channelCount: 1, format: .s16)
        try writer.write([0.5, 0.25])
        try writer.finish()
        // A second time over an existing file.
        var recorder = try WAVRecorder(
            path: path, sampleRateHertz: 48_000, channelCount: 1, format: .s16, replacesExisting: true)
        recorder.dataByteLimit = 4
        try recorder.write([0.5, 0.25, 0.125])
        #expect(recorder.files == [#"caf\xE9\xE2\x82.wav"#, #"caf\xE9\xE2\x82-2.wav"#].map(scratch.file))
        try recorder.finish()
        var reader = try SoundFileReader(path: path)
        #expect(try readAll(&reader) == [0.5, 0.25])
        for name in [Self.name, Array("caf".utf8) + [0xE9, 0xE2, 0x82] + Array("-2.wav".utf8)] {
            let file = FilePath(bytes: Array("\(scratch.path)/".utf8) + name)
            #expect(file.withCString { unlink($0) } == 0)
        }
        #expect(scratch.names.isEmpty)
    }

    @Test func errorsShowThePath() {
        let error = failure { () throws(AudioError) in
            _ = try SoundFileReader(path: FilePath(bytes: Array("/nowhere/".utf8) + Self.name))
        }
        #expect(error?.path == #"/nowhere/caf\xE9\xE2\x82.wav"#)
    }
}
