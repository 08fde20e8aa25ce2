import Foundation
import TestSupport
import Testing

/// Events while the tool runs: slow pipes, Ctrl-C, readers that close the pipe.
@Suite struct LiveTests {
    @Test func aTokenIsPrintedBeforeThePipeIsClosed() throws {
        let scratch = try Scratch()
        let decoder = try Running(["decode", "--json", "--raw", "s16le:48000", "-"], in: scratch)
        let pipe = try decoder.startWithPipe()
        let samples = Sound.s16(try Sound.frame("0123456789abcdef") + Sound.silence(1.5))
        // A tenth of a second at a time, as from a microphone, but faster.
        for start in stride(from: 0, to: samples.count, by: 9_600) {
            try pipe.write(contentsOf: samples[start..<min(start + 9_600, samples.count)])
            usleep(5_000)
        }
        #expect(decoder.waitForOutput { $0.hasSuffix("}\n") })
        #expect(decoder.process.isRunning)
        #expect(decoder.output.contains("0123456789abcdef"))
        try pipe.close()
        #expect(try decoder.wait().status == 0)
    }

    /// ALSA's PCM `null` accepts any sound.
    @Test(arguments: [("0.3", true), ("0", false), ("1", false)])
    func anIntervalShorterThanThePayloadIsNoted(interval: String, isNoted: Bool) throws {
        let result = try Tool.run(
            ["broadcast", "01", "--profile", "fast", "--device", "null", "--interval", interval, "--count", "1"],
            in: Scratch())
        let note = "note: the payload plays for 0.32 s, longer than --interval 0.3, so there is no pause\n"
        #expect(result.status == 0 && result.lines.count == 1, "\(result.error)")
        #expect(
            result.error.contains("no pause") == isNoted && result.error.hasPrefix(note) == isNoted, "\(result.error)")
    }

    @Test func ctrlCPrintsWhatWasFound() throws {
        let scratch = try Scratch()
        let decoder = try Running(["decode", "--raw", "s16le:48000", "-"], in: scratch)
        let pipe = try decoder.startWithPipe()
        // So little sound follows the frame that only the end of the input decides it.
        try pipe.write(contentsOf: Sound.s16(try Sound.frame("0123456789abcdef") + Sound.silence(0.01)))
        usleep(500_000)
        #expect(decoder.process.isRunning)
        #expect(decoder.output.isEmpty)
        decoder.process.interrupt()
        let result = try decoder.wait()
        #expect(result.status == 130)
        #expect(result.output.contains("0123456789abcdef"))
        try pipe.close()
    }

    /// The worker thread ends as soon as the signal ends its file, and must not set the exit code.
    @Test func ctrlCWhileFilesAreDecoded() throws {
        let scratch = try Scratch()
        try scratch.write(try Sound.frame("0123456789abcdef") + Sound.silence(60), "x.wav")
        let (names, line) = (Array(repeating: "x.wav", count: 400), "x.wav: 0.00")
        for _ in 0..<5 {
            let decoder = try Running(["decode", "--jobs", "1"] + names, in: scratch)
            try decoder.start()
            #expect(decoder.waitForOutput { $0.contains(line) })
            decoder.process.interrupt()
            let result = try decoder.wait()
            #expect(result.status == 130)
            #expect(result.error.isEmpty, "\(result.error)")
            #expect(result.output.hasSuffix("\n") && result.lines.allSatisfy { $0.hasPrefix(line) })
            #expect(result.lines.count < names.count)
        }
    }

    @Test func ctrlCLeavesNothingOfALongEncode() throws {
        let scratch = try Scratch()
        let precious = Data("precious".utf8)
        try scratch.save(precious, "old.wav")
        for name in ["new.wav", "old.wav"] {
            let encoder = try Running(
                [
                    "encode", "ab", "--rate", "192000", "--format", "s24", "--repeat", "6500", "--gap", "0.2", "-o",
                    name, "--overwrite",
                ],
                in: scratch)
            try encoder.start()
            usleep(200_000)
            #expect(encoder.process.isRunning)
            encoder.process.interrupt()
            #expect(try encoder.wait().status == 130)
            #expect(scratch.names == ["old.wav"])
        }
        #expect(try scratch.data("old.wav") == precious)
    }

    @Test func aReaderThatClosesThePipeEndsTheToolQuietly() throws {
        let scratch = try Scratch()
        try scratch.write(try Sound.frame("0123456789abcdef"), "x.wav")
        for arguments in [["decode", "x.wav"], ["encode", "ab", "-o", "-"], ["inspect", "x.wav", "-o", "-"]] {
            let tool = try Running(arguments, in: scratch)
            let pipe = Pipe()
            tool.process.standardOutput = pipe
            try pipe.fileHandleForReading.close()
            try tool.start()
            let result = try tool.wait()
            #expect(result.status == 141)
            #expect(result.error.isEmpty)
        }
    }
}
