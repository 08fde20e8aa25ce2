import EarshotModem
import Foundation
import TestSupport
import Testing

@Suite(.optimized) struct DecodeMemoryTests {
    /// The receiver of a finished file must be released: 600 of them would take 3.1 GB. Measured: 31 MB with two
    /// workers.
    @Test func manyFilesNeedTheMemoryOfTheWorkers() throws {
        let scratch = try Scratch()
        try scratch.save(Sound.s16(try Sound.frame("0123456789abcdef", .fast)), "token.raw")
        // Standard input keeps the program running after the last file.
        let files = [String](repeating: "token.raw", count: 600) + ["-"]
        let running = try Running(["decode", "--jobs", "2", "--raw", "s16le:48000", "--quiet"] + files, in: scratch)
        let input = try running.startWithPipe()
        #expect(running.waitForOutput(seconds: 60) { $0.count { $0 == "\n" } == 600 })
        let peak = try #require(running.memory("VmHWM"))
        #expect(peak < 60_000, "\(peak) kB")
        try input.close()
        #expect(try running.wait().lines.count == 600)
    }

    /// Measured: 403 MB, of which 20 MB are the program's.
    @Test func sixtyFourChannelsNeedLessThan430Megabytes() throws {
        let scratch = try Scratch()
        let samples = Sound.interleaved([63: try Sound.frame("0123456789abcdef", .fast)], channelCount: 64)
        let running = try Running(["decode", "--raw", "s16le:48000:64", "-"], in: scratch)
        let input = try running.startWithPipe()
        try input.write(contentsOf: Sound.s16(samples + Sound.silence(64)))
        #expect(running.waitForOutput { $0.contains("0123456789abcdef") })
        let peak = try #require(running.memory("VmHWM"))
        #expect(peak < 430_000, "\(peak) kB")
        try input.close()
        #expect(try running.wait().status == 0)
    }

    /// 64 channels reserve 440 MB before they allocate 385 MB, so under a limit the program prints all tokens or an error.
    @Test(arguments: [(1, 0), (1, 4), (2, 0)]) func aLimitIsAnErrorAndNoAbort(fileCount: Int, combined: Int) throws {
        let scratch = try Scratch()
        let samples = Sound.interleaved([63: try Sound.frame("0123456789abcdef", .fast)], channelCount: 64)
        try scratch.save(Sound.s16(samples), "many.raw")
        var statuses: [Int32] = []
        for megabytes in stride(from: 50, through: 1_050, by: TestLength.isLong ? 50 : 200) {
            let tool = Tool.url.path
            let arguments =
                ["decode", "--quiet", "--raw", "s16le:48000:64"] + (combined > 0 ? ["--combine", "\(combined)"] : [])
                + [String](repeating: "many.raw", count: fileCount)
            let running = try Running(
                ["-c", "ulimit -v \(megabytes * 1_000) && exec \"$0\" \"$@\"", tool] + arguments, in: scratch)
            running.process.executableURL = URL(fileURLWithPath: "/bin/sh")
            try running.start()
            let result = try running.wait()
            statuses.append(result.status)
            if result.status == 71 {
                #expect(result.error.contains("memory") && result.error.contains("ulimit"), "\(megabytes) MB")
            } else {
                #expect(result.status == 0 && result.lines.count == fileCount, "\(megabytes) MB: \(result.error)")
            }
        }
        #expect(statuses.first == 71 && statuses.last == 0)
    }
}
