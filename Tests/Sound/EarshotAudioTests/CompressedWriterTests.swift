import EarshotSystem
import Testing

@testable import EarshotAudio

@Suite struct CompressedWriterTests {
    private func write(_ samples: [Float], _ kind: CompressedKind, _ path: String, _ format: SampleFormat) throws {
        var writer = try CompressedWriter(
            path: FilePath(path), kind: kind, sampleRateHertz: 48_000, channelCount: 1, format: format)
        try writer.write(samples.span)
        try writer.finish()
    }

    @Test(arguments: [SampleFormat.s16, .s24]) func flacKeepsEverySample(format: SampleFormat) throws {
        let scratch = Scratch()
        let samples = noise(50_000, seed: 1)
        try write(samples, .flac, scratch.file("x.flac"), format)
        try writeWAV(samples, to: scratch.file("x.wav"), format: format)
        #expect(try readAll(scratch.file("x.flac")) == readAll(scratch.file("x.wav")))
        #expect(scratch.names.sorted() == ["x.flac", "x.wav"])
    }

    @Test func sampleBeyondFullScaleIsClamped() throws {
        let scratch = Scratch()
        try write([2, -2, 0.5], .flac, scratch.file("x.flac"), .s16)
        #expect(try readAll(scratch.file("x.flac")) == [32_767.0 / 32_768, -1, 0.5])
    }

    @Test(arguments: CompressedKind.allCases) func nothingAppearsBeforeTheEnd(kind: CompressedKind) throws {
        let scratch = Scratch()
        let old: [UInt8] = [1, 2, 3]
        func begin() throws {
            var writer = try CompressedWriter(
                path: FilePath(scratch.file("x")), kind: kind, sampleRateHertz: 48_000, channelCount: 1, format: .s16)
            try writer.write(noise(50_000, seed: 1).span)
            #expect((scratch.names.contains("x") ? load(scratch.file("x")) : old) == old)
        }
        try begin()
        #expect(scratch.names == [])
        let path = scratch.file("x", containing: old)
        try begin()
        #expect(load(path) == old)
    }

    @Test(arguments: CompressedKind.allCases) func aFullDiskIsAnError(kind: CompressedKind) throws {
        do throws(AudioError) {
            var writer = try CompressedWriter(
                path: "/dev/full", kind: kind, sampleRateHertz: 48_000, channelCount: 1, format: .s16)
            try writer.write(noise(50_000, seed: 1).span)
            try writer.finish()
            Issue.record("no error")
        } catch {
            #expect(error.kind == .noSpace, "\(error)")
        }
    }

    /// `ogg` and the others by any case; names of WAV and of nothing are no compressed kind.
    @Test(arguments: [
        ("a.flac", CompressedKind.flac), ("a.OGG", .vorbis), ("a.oga", .vorbis), ("a.opus", .opus), ("b/a.Mp3", .mp3),
        ("a.wav", nil), ("a", nil), ("mp3", nil), ("a.mp3.wav", nil), ("", nil),
    ])
    func theNameSaysTheKind(name: String, kind: CompressedKind?) {
        #expect(CompressedKind(path: FilePath(name)) == kind)
    }
}
