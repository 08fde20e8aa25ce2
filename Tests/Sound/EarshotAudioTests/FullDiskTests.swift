import EarshotSystem
import Glibc
import TestSupport
import Testing

@testable import EarshotAudio

/// A recording on a full disk, and one with a file that becomes unwritable.
@Suite struct FullDiskTests {
    /// A disk of 512 KiB in a user namespace of its own, which needs no root; nil if the system forbids that.
    private final class SmallDisk {
        let path: String
        private let program: Program
        private let scratch: TestSupport.Scratch

        init?() throws {
            scratch = try TestSupport.Scratch()
            let script = "mount -t tmpfs -o size=512k none . && echo /proc/$$/root$PWD && exec sleep 600"
            program = try Program(
                "unshare", ["-Urm", "sh", "-c", script], environment: ["PATH": "/usr/sbin:/usr/bin:/sbin:/bin"],
                in: scratch)
            while program.isRunning, !program.output.hasSuffix("\n") { usleep(2_000) }
            path = String(program.output.dropLast())
            if path.isEmpty { return nil }
        }
    }

    private func withSmallDisk(_ body: (String) throws -> Void) throws {
        let disk = try SmallDisk()
        try withKnownIssue("this system does not let users mount a disk") {
            try #require(disk != nil)
        } when: {
            disk == nil
        }
        if let disk { try body(disk.path) }
    }

    private func writeFailure(_ recorder: inout WAVRecorder, _ samples: [Float]) -> AudioError? {
        do throws(AudioError) {
            try recorder.write(samples)
            return nil
        } catch {
            return error
        }
    }

    /// 9 bytes a frame, so that the disk ends within a frame.
    @Test func fullDiskEndsTheRecordingAndKeepsIt() throws {
        try withSmallDisk { disk in
            let sent = noise(3 * 100_000, seed: 2, peak: 0.9)
            let whole = Scratch()
            try writeWAV(sent, to: whole.file("x.wav"), channels: 3, format: .s24)
            let expected = try readAll(whole.file("x.wav"))

            let path = "\(disk)/x.wav"
            var recorder = try makeRecorder(path, channels: 3, format: .s24)
            var error: AudioError?
            var first = 0
            while error == nil, first < sent.count {
                error = writeFailure(&recorder, Array(sent[first..<first + 3000]))
                first += 3000
            }
            #expect(error?.kind == .noSpace)
            #expect(error?.path == path)
            #expect(error?.detail.contains("the recording ends after 1.2 s, which are kept") == true)
            #expect(recorder.isRecording == false)

            // The space for samples: 512 KiB less at most a page, the header and the last frame.
            let frames = Int((recorder.secondsWritten * 48_000).rounded())
            #expect(frames * 9 > 524_288 - 4096 - 44 - 9)
            #expect(try readAll(path) == Array(expected[..<(3 * frames)]))
            #expect(try readAllByLibrary(path, channels: 3) == Array(expected[..<(3 * frames)]))
            // A WAV pads an odd number of bytes by one.
            #expect(load(path).count == 44 + (frames * 9 + 1) / 2 * 2)

            // The error came once; the caller may continue to write.
            #expect(writeFailure(&recorder, sent) == nil)
            try recorder.writeSilence(frameCount: 1000)
            #expect(Int((recorder.secondsWritten * 48_000).rounded()) == frames)
            try recorder.finish()
            #expect(try readAll(path).count == 3 * frames)
        }
    }

    @Test func fullDiskAtTheNextFileKeepsTheFirst() throws {
        try withSmallDisk { disk in
            var recorder = try makeRecorder("\(disk)/x.wav")
            // The first file takes all 128 pages.
            recorder.dataByteLimit = 524_288 - 44
            #expect(writeFailure(&recorder, noise(262_144 - 22, seed: 1)) == nil)
            let error = writeFailure(&recorder, [0.5])
            #expect(error?.kind == .noSpace)
            #expect(error?.path == "\(disk)/x-2.wav")
            #expect(recorder.isRecording == false)
            #expect(recorder.files == ["\(disk)/x.wav"])
            try recorder.finish()
            #expect(try readAll("\(disk)/x.wav").count == 262_144 - 22)
            // A recording that cannot start leaves nothing.
            let other = failure { () throws(AudioError) in _ = try makeRecorder("\(disk)/y.wav") }
            #expect(other?.kind == .noSpace)
            #expect(access("\(disk)/x-2.wav", F_OK) != 0 && access("\(disk)/y.wav", F_OK) != 0)
        }
    }

    /// Not even the header can be written any more: the last header must describe a valid file.
    @Test func unwritableFileKeepsAllButTheLastSecond() throws {
        let scratch = Scratch()
        let path = scratch.file("x.wav")
        let sent = noise(70_000, seed: 7).map(SampleConversion.int16).map { Float($0) / 32_768 }
        var recorder = try makeRecorder(path)
        try recorder.write(sent)

        // Exchanges the recorder's own descriptor for one that cannot write.
        let other = try #require(Descriptor(opening: FilePath(path), flags: O_RDONLY))
        let file = try #require(other.status)
        let numbers = (0..<1024 as Range<CInt>).filter { number in
            var status = stat()
            return number != other.number && fstat(number, &status) == 0 && status.st_dev == file.st_dev
                && status.st_ino == file.st_ino
        }
        try #require(numbers.count == 1)
        try #require(dup2(other.number, numbers[0]) == numbers[0])

        let error = writeFailure(&recorder, sent)
        #expect(error?.kind == .cannotWrite)
        #expect(error?.detail.contains("1.4 s, which are kept") == true)
        #expect(recorder.isRecording == false)
        #expect(writeFailure(&recorder, sent) == nil)
        try recorder.finish()
        #expect(try readAll(path) == Array(sent[..<48_000]))
    }
}
