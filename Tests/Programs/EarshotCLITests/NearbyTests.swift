import Foundation
import TestSupport
import Testing

/// `nearby` without a sound card.
@Suite struct NearbyTests {
    @Test(arguments: [
        (["--mode", "scan", "--token", "aa"], "--token with --mode scan"),
        (["--mode", "scan", "--playback", "x"], "--playback with --mode scan"),
        (["--mode", "broadcast", "--device", "x"], "--device with --mode broadcast"),
        (["--mode", "broadcast", "--count", "1"], "--count with --mode broadcast"),
        (["--mode", "shout"], "--mode"), (["--medium", "smoke"], "--medium"), (["--token", "xyz"], "xyz"),
        (["--seconds", "0"], "--seconds 0"), (["--count", "0"], "--count 0"), (["--device", ""], "--device"),
    ])
    func contradictoryOptionsAreRejected(arguments: [String], reason: String) throws {
        let result = try Tool.run(["nearby"] + arguments, in: Scratch())
        #expect(result.status == 64)
        #expect(result.error.contains(reason), "\(result.error)")
        #expect(result.outputBytes.isEmpty)
    }

    /// alsa-lib reads its configuration once, and a sound server that starts later is not in it.
    @Test func aDeviceThatIsConfiguredLaterIsFound() throws {
        let scratch = try Scratch()
        let environment = ProcessInfo.processInfo.environment.merging(["HOME": scratch.url.path]) { $1 }
        let program = try Program(
            Tool.url.path, ["nearby", "--json", "--mode", "broadcast", "--medium", "audio", "--playback", "later"],
            environment: environment, in: scratch)
        #expect(
            program.waitForOutput(within: 30) { $0.contains("\"event\":\"problem\",\"problem\":\"no loudspeaker\"") },
            "\(program.account)")
        try Data("pcm.later { type null }\n".utf8).write(to: scratch.url.appendingPathComponent(".asoundrc"))
        #expect(
            program.waitForOutput(within: 60) { $0.contains("\"event\":\"solved\",\"problem\":\"no loudspeaker\"") },
            "\(program.output) \(program.account)")
        program.signal(SIGINT)
        #expect(program.waitForEnd(within: 30))
    }

    /// coreutils' `timeout` sends each signal to the program and to its group. Of eight programs that took the second one for another
    /// request, six ended with 130, five of them without their last line.
    @Test func aSignalThatComesTwiceIsOneRequest() throws {
        let scratch = try Scratch()
        for _ in 0..<4 {
            let program = try Program(
                Tool.url.path, ["nearby", "--json", "--medium", "audio", "--device", "nosuch", "--playback", "nosuch"],
                environment: ProcessInfo.processInfo.environment, in: scratch)
            #expect(program.waitForOutput(within: 30) { $0.contains("\"event\":\"problem\"") }, "\(program.account)")
            program.signal(SIGINT)
            program.signal(SIGTERM)
            #expect(program.waitForEnd(within: 30))
            #expect(program.status == 1 && program.error.contains("0 devices found"), "\(program.account)")
        }
    }

    @Test func withoutDevicesNearbyReportsAndContinues() throws {
        let result = try Tool.run(
            ["nearby", "--device", "nosuch", "--playback", "nosuch", "--seconds", "1", "--json"], in: Scratch())
        #expect(result.status == 1)
        #expect(result.lines.count == 2)
        for (problem, line) in zip(["microphone", "loudspeaker"], result.lines.sorted(by: >)) {
            #expect(
                line.contains("\"event\":\"problem\",\"problem\":\"no \(problem)\",\"medium\":\"audio\""), "\(line)")
            #expect(line.contains("'nosuch'"))
        }
        #expect(result.error.contains("0 devices found"))
    }
}
