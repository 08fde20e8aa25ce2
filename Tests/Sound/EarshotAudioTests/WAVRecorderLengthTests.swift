import EarshotSystem
import Glibc
import Testing

@testable import EarshotAudio

/// Gaps, and recordings longer than a WAV can hold.
@Suite struct WAVRecorderLengthTests {
    private func status(_ path: String) throws -> stat {
        var status = stat()
        try #require(stat(path, &status) == 0)
        return status
    }

    @Test func namesAreNumberedBeforeTheExtension() {
        let cases = [
            ("take.wav", "take-2.wav"), ("a.b/take", "a.b/take-2"), ("a.b/c.d.wav", "a.b/c.d-2.wav"),
            (".wav", ".wav-2"), ("a/.x.wav", "a/.x-2.wav"), ("/take.", "/take-2."),
        ]
        for (path, second) in cases {
            #expect(RecordingName.path(FilePath(path), number: 1) == FilePath(path))
            #expect(RecordingName.path(FilePath(path), number: 2) == FilePath(second))
        }
    }

    @Test(arguments: WAVRecorderTests.kinds)
    func gapKeepsTime(format: SampleFormat, channels: Int) throws {
        let scratch = Scratch()
        let sound = noise(100 * channels, seed: 3, peak: 0.9)
        var recorder = try makeRecorder(scratch.file("x.wav"), channels: channels, format: format)
        try recorder.writeSilence(frameCount: 1)
        try recorder.write(sound)
        try recorder.writeSilence(frameCount: 0)
        try recorder.writeSilence(frameCount: 70_000)
        // More than a second, so the header includes it at once.
        #expect(try readAllByLibrary(scratch.file("x.wav"), channels: channels).count == 70_101 * channels)
        try recorder.write(sound)
        #expect(recorder.secondsWritten == 70_201 / 48_000.0)
        try recorder.finish()
        let expected =
            [Float](repeating: 0, count: channels) + sound + [Float](repeating: 0, count: 70_000 * channels) + sound
        #expect(
            load(scratch.file("x.wav")) == (try wavBytes(expected, channels: channels, format: format)))
    }

    @Test func longGapTakesNoSpaceAndTooLongOneIsRefused() throws {
        let scratch = Scratch()
        var recorder = try makeRecorder(scratch.file("x.wav"))
        try recorder.write([0.5])
        for frameCount in [WAVRecorder.silenceLimitSeconds * 48_000 + 1, .max] {
            var error: AudioError?
            do throws(AudioError) { try recorder.writeSilence(frameCount: frameCount) } catch let caught {
                error = caught
            }
            #expect(error?.kind == .tooLarge)
            #expect(recorder.isRecording == true)
        }
        #expect(recorder.secondsWritten == 1 / 48_000.0)
        try recorder.writeSilence(frameCount: 3600 * 48_000)
        try recorder.write([0.25])
        try recorder.finish()
        let status = try status(scratch.file("x.wav"))
        #expect(status.st_size == 44 + 2 * (3600 * 48_000 + 2))
        // A few blocks of the file system, of up to 64 KiB each, instead of 345 MB.
        #expect(status.st_blocks * 512 < 1 << 20)
    }

    @Test(arguments: WAVRecorderTests.kinds)
    func fullFileIsFollowedByTheNext(format: SampleFormat, channels: Int) throws {
        let scratch = Scratch()
        let sent = noise(5000 * channels, seed: 4, peak: 0.9)
        var recorder = try makeRecorder(scratch.file("x.wav"), channels: channels, format: format)
        // 1000 frames, and bytes that do not fill a frame.
        let bytesPerFrame = format.bytesPerSample * channels
        recorder.dataByteLimit = 1001 * bytesPerFrame - 1
        for first in stride(from: 0, to: 5000, by: 700) {
            try recorder.write(Array(sent[first * channels..<min(first + 700, 5000) * channels]))
        }
        // The fifth file is full, and a sixth would be empty.
        let files = recorder.files
        #expect(files == ["x.wav", "x-2.wav", "x-3.wav", "x-4.wav", "x-5.wav"].map(scratch.file))
        #expect(recorder.secondsWritten == 5000 / 48_000.0)
        try recorder.finish()
        #expect(scratch.names == ["x-2.wav", "x-3.wav", "x-4.wav", "x-5.wav", "x.wav"])
        for (index, path) in files.enumerated() {
            let part = Array(sent[index * 1000 * channels..<(index + 1) * 1000 * channels])
            #expect(load(path) == (try wavBytes(part, channels: channels, format: format)))
        }
    }

    @Test func nameInUseIsSkippedOrReplaced() throws {
        let scratch = Scratch()
        for (replacesExisting, files) in [(false, ["x.wav", "x-3.wav"]), (true, ["x.wav", "x-2.wav"])] {
            let other = scratch.file("x-2.wav", containing: [1])
            var recorder = try makeRecorder(scratch.file("x.wav"), replacesExisting: replacesExisting)
            recorder.dataByteLimit = 4
            try recorder.write([0.5, 0.5, 0.25])
            #expect(recorder.files == files.map(scratch.file))
            try recorder.finish()
            #expect(try readAll(scratch.file(files[1])) == [0.25])
            #expect((load(other) == [1]) == !replacesExisting)
            unlink(scratch.file("x-3.wav"))
        }
    }

    /// A gap of a day at the real limit: 4 GiB of hole, filled past the limit by sound and by silence.
    @Test func trueLimitIsCrossed() throws {
        let scratch = Scratch()
        let sound = noise(1000, seed: 9, peak: 0.9)
        var recorder = try makeRecorder(scratch.file("x.wav"))
        let frameLimit = recorder.dataByteLimit / 2
        #expect((0xFFFF_0000...0xFFFF_FFFF).contains(recorder.dataByteLimit))
        try recorder.writeSilence(frameCount: frameLimit - 400)
        try recorder.write(sound)
        try recorder.writeSilence(frameCount: frameLimit)
        let files = recorder.files
        #expect(files == ["x.wav", "x-2.wav", "x-3.wav"].map(scratch.file))
        try recorder.finish()

        for (path, frames) in zip(files, [frameLimit, frameLimit, 600]) {
            let descriptor = try #require(Descriptor(opening: FilePath(path), flags: O_RDONLY))
            let handle = try SoundFileHandle(reading: RandomAccessFile(descriptor), path: path)
            #expect(handle.frameCount == frames)
            let frameCount = try SoundFileReader(path: path).frameCount
            #expect(frameCount == frames)
            #expect(try status(path).st_blocks * 512 < 1 << 20)
        }
        func samples(_ path: String, at frame: Int, _ count: Int) throws -> [Int16] {
            let descriptor = try #require(Descriptor(opening: FilePath(path), flags: O_RDONLY))
            var samples = [Int16](repeating: 0, count: count)
            try #require(pread(descriptor.number, &samples, 2 * count, 44 + 2 * frame) == 2 * count)
            return samples
        }
        let expected = sound.map(SampleConversion.int16)
        #expect(try samples(files[0], at: frameLimit - 400, 400) == Array(expected[..<400]))
        #expect(try samples(files[1], at: 0, 600) == Array(expected[400...]))
    }
}
