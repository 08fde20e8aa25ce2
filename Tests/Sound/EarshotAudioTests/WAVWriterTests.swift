import EarshotSystem
import Glibc
import Testing

@testable import EarshotAudio

@Suite struct WAVWriterTests {
    private func makeWriter(_ path: String) throws(AudioError) -> WAVWriter {
        try WAVWriter(path: path, sampleRateHertz: 48_000, channelCount: 1, format: .s16)
    }

    @Test func nothingAppearsBeforeTheEnd() throws {
        let scratch = Scratch()
        var writer = try makeWriter(scratch.file("x.wav"))
        try writer.write(noise(50_000, seed: 1))
        #expect(!scratch.names.contains("x.wav"))
        try writer.finish()
        #expect(scratch.names == ["x.wav"])
    }

    @Test func droppedWriterLeavesNothing() throws {
        let scratch = Scratch()
        func begin() throws {
            var writer = try makeWriter(scratch.file("x.wav"))
            try writer.write(noise(50_000, seed: 1))
        }
        try begin()
        #expect(scratch.names == [])
        let path = scratch.file("x.wav", containing: [1, 2, 3])
        try begin()
        #expect(scratch.names == ["x.wav"])
        #expect(load(path) == [1, 2, 3])
    }

    @Test func existingFileIsReplacedAndKeepsItsPermissions() throws {
        let scratch = Scratch()
        let path = scratch.file("x.wav", containing: [1, 2, 3])
        chmod(path, 0o640)
        try writeWAV([0.5], to: path)
        #expect(try readAll(path) == [0.5])
        var status = stat()
        #expect(stat(path, &status) == 0)
        #expect(status.st_mode & 0o777 == 0o640)
        #expect(scratch.names == ["x.wav"])
    }

    /// SoX warns about floats if the format's extension has no size or the fact chunk is missing.
    @Test func floatsHaveAFactChunk() throws {
        let header = try wavBytes([0.5, -0.25, 2, 0], rate: 44_100, channels: 2, format: .f32).prefix(58)
        let format: [UInt8] = [18, 0, 0, 0, 3, 0, 2, 0, 0x44, 0xAC, 0, 0, 0x20, 0x62, 5, 0, 8, 0, 32, 0, 0, 0]
        #expect(
            Array(header) == Array("RIFF".utf8) + [66, 0, 0, 0] + Array("WAVEfmt ".utf8) + format
                + Array("fact".utf8) + [4, 0, 0, 0, 2, 0, 0, 0] + Array("data".utf8) + [16, 0, 0, 0])
    }

    @Test(arguments: [SampleFormat.s16, .s24]) func integersHaveTheShortestHeader(format: SampleFormat) throws {
        let bytes = try wavBytes([0.5, 0, -1], format: format)
        let width = UInt8(format.bytesPerSample)
        let size = 3 * width
        // An odd size is padded.
        let samples: [UInt8] = width == 2 ? [0, 0x40, 0, 0, 0, 0x80] : [0, 0, 0x40, 0, 0, 0, 0, 0, 0x80, 0]
        let rate: [UInt8] = width == 2 ? [0, 0x77, 1, 0] : [0x80, 0x32, 2, 0]
        #expect(
            bytes == Array("RIFF".utf8) + [36 + UInt8(samples.count), 0, 0, 0] + Array("WAVEfmt ".utf8)
                + [16, 0, 0, 0, 1, 0, 1, 0, 0x80, 0xBB, 0, 0] + rate + [width, 0, 8 * width, 0]
                + Array("data".utf8) + [size, 0, 0, 0] + samples)
    }

    @Test func linkIsFollowedAndStays() throws {
        let scratch = Scratch()
        let path = scratch.file("x.wav", containing: [1])
        #expect(symlink(path, scratch.file("link.wav")) == 0)
        try writeWAV([0.5], to: scratch.file("link.wav"))
        #expect(try readAll(path) == [0.5])
        var status = stat()
        #expect(lstat(scratch.file("link.wav"), &status) == 0)
        #expect(status.st_mode & S_IFMT == S_IFLNK)
    }

    @Test func impossibleTargetsAreErrors() throws {
        let scratch = Scratch()
        let loop = scratch.file("loop")
        #expect(symlink("loop", loop) == 0)
        let cases: [(String, AudioError.Kind)] = [
            (scratch.path, .isDirectory), (scratch.file("missing/x.wav"), .notFound), ("", .notFound),
            (loop, .notFound),
            (scratch.file("x.wav", containing: [1]) + "/y.wav", .notFound),
        ]
        for (path, kind) in cases {
            let error = failure { () throws(AudioError) in _ = try makeWriter(path) }
            #expect(error?.kind == kind, "\(path): \(error?.description ?? "accepted")")
            #expect(error?.operation == "write")
        }
        if geteuid() != 0 {
            chmod(scratch.path, 0o500)
            let error = failure { () throws(AudioError) in _ = try makeWriter(scratch.file("y.wav")) }
            chmod(scratch.path, 0o700)
            #expect(error?.kind == .notPermitted)
        }
        #expect(scratch.names == ["loop", "x.wav"])
    }

    @Test func devicesAreWrittenAndStayDevices() throws {
        try writeWAV(noise(1000, seed: 1), to: "/dev/null")
        var status = stat()
        #expect(stat("/dev/null", &status) == 0)
        #expect(status.st_mode & S_IFMT == S_IFCHR)
    }

    @Test func fullDiskIsAnError() throws {
        let error = failure { () throws(AudioError) in try writeWAV([0.5], to: "/dev/full") }
        #expect(error?.kind == .noSpace)
        #expect(error?.path == "/dev/full")
    }

    @Test func moreThanFourGibibytesIsRefused() throws {
        let scratch = Scratch()
        var writer = try WAVWriter(
            path: scratch.file("x.wav"), sampleRateHertz: 48_000, channelCount: 1, format: .f32)
        #expect((0xFFFF_0000...0xFFFF_FFFF).contains(writer.dataByteLimit))
        // Represents 4 GiB, which a test should not write.
        writer.dataByteLimit = 8
        try writer.write([0.5, 0.5])
        var error: AudioError?
        do throws(AudioError) { try writer.write([0.5]) } catch let caught { error = caught }
        #expect(error?.kind == .tooLarge)
    }

    /// The method for file systems without unnamed files.
    @Test func namedTemporaryFileGoesWithItsOwner() throws {
        let scratch = Scratch()
        func make() throws -> TemporaryFile {
            try #require(TemporaryFile.create(inDirectory: FilePath(scratch.path), allowsUnnamed: false))
        }
        do {
            let file = try make()
            #expect(scratch.names.count == 1)
            #expect(scratch.names[0].hasPrefix(".earshot-"))
            withExtendedLifetime(file) {}
        }
        #expect(scratch.names == [])
        let published = try make().publish(as: FilePath(scratch.file("x.wav")))
        #expect(published)
        #expect(scratch.names == ["x.wav"])
        // A second call must not fail because the file exists.
        let replaced = try make().publish(as: FilePath(scratch.file("x.wav")))
        #expect(replaced)
        #expect(scratch.names == ["x.wav"])
    }

    /// ext4, xfs, btrfs and tmpfs support files without a name, so a killed process leaves nothing.
    @Test func temporaryFileHasNoNameWhereThatWorks() throws {
        let scratch = Scratch()
        let probe = open(scratch.path, 0o20_000_000 | O_DIRECTORY | O_RDWR, 0o600)
        try withKnownIssue("this file system has no files without a name") {
            try #require(probe >= 0)
        } when: {
            probe < 0
        }
        if probe < 0 { return }
        close(probe)
        let writer = try makeWriter(scratch.file("x.wav"))
        #expect(scratch.names == [])
        try writer.finish()
        #expect(scratch.names == ["x.wav"])
    }
}
