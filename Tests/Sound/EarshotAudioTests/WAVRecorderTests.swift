import EarshotBasics
import EarshotSystem
import Glibc
import Synchronization
import TestSupport
import Testing

@testable import EarshotAudio

@Suite struct WAVRecorderTests {
    static let kinds = SampleFormat.allCases.flatMap { format in (1...8).map { (format, $0) } }

    /// Opens the file a second time, to read what a kill would leave: the page cache outlives the process.
    @Test(arguments: kinds)
    func everyMomentIsReadable(format: SampleFormat, channels: Int) throws {
        let scratch = Scratch()
        let rate = 8000
        let sent = noise(3 * rate * channels, seed: UInt64(channels), peak: 0.9)
        try writeWAV(sent, to: scratch.file("whole.wav"), rate: rate, channels: channels, format: format)
        let expected = try readAll(scratch.file("whole.wav"))

        var recorder = try makeRecorder(scratch.file("x.wav"), rate: rate, channels: channels, format: format)
        var generator = SeededGenerator(seed: UInt64(channels) << 8 + UInt64(format.bytesPerSample))
        var frames = 0
        while true {
            let left = scratch.file("left.wav", containing: load(scratch.file("x.wav")))
            for (reader, samples) in [
                ("SoundFileReader", try readAll(left)), ("libsndfile", try readAllByLibrary(left, channels: channels)),
            ] {
                #expect(
                    samples == Array(expected[..<min(samples.count, expected.count)]), "\(reader), \(frames) frames")
                #expect(samples.count > (frames - rate) * channels, "\(reader), \(frames) frames")
                #expect(samples.count <= frames * channels, "\(reader), \(frames) frames")
            }
            let block = min(Int.random(in: 0...1500, using: &generator), 3 * rate - frames)
            if block == 0, frames == 3 * rate { break }
            try recorder.write(Array(sent[frames * channels..<(frames + block) * channels]))
            frames += block
        }
        #expect(recorder.secondsWritten == 3)
        try recorder.finish()
        #expect(load(scratch.file("x.wav")) == load(scratch.file("whole.wav")))
    }

    private final class Progress: Sendable {
        let written = Atomic(0)
        let moments = Atomic(0)
    }

    /// The same at random moments, even during the recorder's writes.
    @Test func anotherThreadFindsTheFileValid() async throws {
        let scratch = Scratch()
        let path = scratch.file("x.wav")
        let rate = 48_000
        let limit = 600 * rate
        let cycle = noise(rate, seed: 5).map(SampleConversion.int16).map { Float($0) / 32_768 }
        let progress = Progress()
        var recorder = try makeRecorder(path, rate: rate)
        async let reading: Void = {
            while case let before = progress.written.load(ordering: .acquiring), before < limit {
                let samples = try readAll(path)
                let isRight = samples.indices.allSatisfy { samples[$0] == cycle[$0 % rate] }
                try #require(isRight, "after \(before) frames")
                try #require(samples.count > before - rate)
                progress.moments.add(1, ordering: .releasing)
                await Task.yield()
            }
        }()
        var generator = SeededGenerator(seed: 6)
        var frames = 0
        while frames < limit, progress.moments.load(ordering: .acquiring) < 100 {
            // Sometimes more than a second at once, for which the recorder must update the header as well.
            let block = Int.random(in: 1...2 * rate, using: &generator)
            try recorder.write((0..<block).map { cycle[(frames + $0) % rate] })
            frames += block
            progress.written.store(frames, ordering: .releasing)
            await Task.yield()
        }
        progress.written.store(limit, ordering: .releasing)
        try await reading
        #expect(progress.moments.load(ordering: .acquiring) > 0)
    }

    @Test func fileExistsFromTheStart() throws {
        let scratch = Scratch()
        let recorder = try makeRecorder(scratch.file("x.wav"))
        #expect(scratch.names == ["x.wav"])
        #expect(recorder.files == [scratch.file("x.wav")])
        #expect(try readAll(scratch.file("x.wav")).isEmpty)
        try recorder.finish()
        #expect(try readAllByLibrary(scratch.file("x.wav")).isEmpty)
    }

    @Test(arguments: SampleFormat.allCases)
    func droppedRecorderLeavesEverything(format: SampleFormat) throws {
        let scratch = Scratch()
        func begin() throws {
            var recorder = try makeRecorder(scratch.file("x.wav"), format: format)
            try recorder.write(noise(60_001, seed: 1))
        }
        try begin()
        #expect(load(scratch.file("x.wav")) == (try wavBytes(noise(60_001, seed: 1), format: format)))
    }

    @Test func existingFileStaysUnlessReplaced() throws {
        let scratch = Scratch()
        let path = scratch.file("x.wav", containing: [1, 2, 3])
        chmod(path, 0o640)
        #expect(symlink(path, scratch.file("link.wav")) == 0)
        #expect(symlink(scratch.file("nothing"), scratch.file("lost.wav")) == 0)
        for name in ["x.wav", "link.wav", "lost.wav"] {
            let error = failure { () throws(AudioError) in _ = try makeRecorder(scratch.file(name)) }
            #expect(error?.kind == .exists, "\(name)")
            #expect(error?.path == scratch.file(name))
        }
        #expect(load(path) == [1, 2, 3])

        var recorder = try makeRecorder(scratch.file("link.wav"), replacesExisting: true)
        #expect(try readAll(path).isEmpty)
        try recorder.write([0.5])
        try recorder.finish()
        #expect(try readAll(path) == [0.5])
        var status = stat()
        #expect(lstat(scratch.file("link.wav"), &status) == 0 && status.st_mode & S_IFMT == S_IFLNK)
        #expect(stat(path, &status) == 0 && status.st_mode & 0o777 == 0o640)
        #expect(scratch.names == ["link.wav", "lost.wav", "x.wav"])
    }

    @Test func impossibleTargetsAreErrors() throws {
        let scratch = Scratch()
        #expect(mkfifo(scratch.file("pipe"), 0o600) == 0)
        let cases: [(String, AudioError.Kind)] = [
            ("-", .notRegularFile), ("/dev/null", .notRegularFile), ("/dev/full", .notRegularFile),
            ("/dev/stdout", .notRegularFile), ("/dev/fd/1", .notRegularFile), (scratch.file("pipe"), .notRegularFile),
            (scratch.path, .isDirectory), (scratch.file("missing/x.wav"), .notFound), ("", .notFound),
        ]
        for (path, kind) in cases {
            for replacesExisting in [false, true] {
                let error = failure { () throws(AudioError) in
                    _ = try makeRecorder(path, replacesExisting: replacesExisting)
                }
                #expect(error?.kind == kind, "\(path): \(error?.description ?? "accepted")")
            }
        }
        #expect(scratch.names == ["pipe"])
    }

    /// The method for file systems without unnamed files, and perhaps without links.
    @Test func namedTemporaryFileDoesNotReplace() throws {
        let scratch = Scratch()
        let path = scratch.file("x.wav", containing: [1])
        func publish(as path: String) throws -> Bool {
            let file = try #require(TemporaryFile.create(inDirectory: FilePath(scratch.path), allowsUnnamed: false))
            return file.publishAsNew(FilePath(path))
        }
        #expect(try publish(as: path) == false)
        #expect(load(path) == [1])
        #expect(try publish(as: scratch.file("y.wav")))
        #expect(scratch.names == ["x.wav", "y.wav"])
    }
}

func makeRecorder(
    _ path: String, rate: Int = 48_000, channels: Int = 1, format: SampleFormat = .s16, replacesExisting: Bool = false
) throws(AudioError) -> WAVRecorder {
    try WAVRecorder(
        path: path, sampleRateHertz: rate, channelCount: channels, format: format, replacesExisting: replacesExisting)
}

/// All samples of a file as libsndfile reads it.
func readAllByLibrary(_ path: String, channels: Int = 1) throws -> [Float] {
    let descriptor = try #require(Descriptor(opening: FilePath(path), flags: O_RDONLY))
    let handle = try SoundFileHandle(reading: RandomAccessFile(descriptor), path: path)
    return [Float](unsafeUninitializedCapacity: handle.frameCount * channels) { buffer, count in
        guard let start = buffer.baseAddress else { return }
        count = handle.read(floats: start, frameCount: handle.frameCount) * channels
    }
}
