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
        let cases: [(String, AudioError.Kind)] = [
            (scratch.path, .isDirectory), (scratch.file("missing/x.wav"), .notFound), ("", .notFound),
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
        #expect(scratch.names == ["x.wav"])
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
        // Stands for 4 GiB, which a test should not write.
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
            try #require(TemporaryFile.create(inDirectory: scratch.path, allowsUnnamed: false))
        }
        do {
            let file = try make()
            #expect(scratch.names.count == 1)
            #expect(scratch.names[0].hasPrefix(".earshot-"))
            withExtendedLifetime(file) {}
        }
        #expect(scratch.names == [])
        let published = try make().publish(as: scratch.file("x.wav"))
        #expect(published)
        #expect(scratch.names == ["x.wav"])
        // A second call must not fail because the file exists.
        let replaced = try make().publish(as: scratch.file("x.wav"))
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
