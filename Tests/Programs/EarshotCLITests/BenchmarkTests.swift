import Foundation
import TestSupport
import Testing

/// `earshot benchmark`, as a user types it. The speeds are those of this machine, so the tests look at the comparison.
@Suite(.optimized, .serialized) struct BenchmarkTests {
    private static let command = ["benchmark", "--seconds", "1", "--cores", "1"]

    /// One run, whose figures the tests change.
    private static let baseline = Result { try Tool.run(command + ["--json"], in: Scratch()) }

    private func lines() throws -> [[String: Any]] {
        try Self.baseline.get().lines.map { line in
            try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
        }
    }

    /// Compares a run with the baseline after `change` has changed each line of it.
    private func compare(
        _ arguments: [String] = [], _ change: (String) -> String = { $0 }
    ) throws -> Tool.Result {
        let text = try Self.baseline.get().lines.map(change).joined(separator: "\n")
        return try Tool.run(
            Self.command + ["--json", "--compare", "-"] + arguments, input: Data(text.utf8), in: Scratch())
    }

    private static func replacing(_ pattern: String, _ replacement: String) -> (String) -> String {
        { $0.replacingOccurrences(of: pattern, with: replacement, options: .regularExpression) }
    }

    @Test func everyProfileAndSoundHasItsFigures() throws {
        let result = try Self.baseline.get()
        #expect(result.status == 0 && result.error.isEmpty, "\(result.error)")
        let lines = try lines()
        #expect(lines.count == 4 * 4 + 1)
        for line in lines.dropLast() {
            let (realTime, relative) = (line["real_time"] as? Double ?? 0, line["relative"] as? Double ?? 0)
            // A receiver that is not 20 times faster than real time breaks its promise, however busy the machine is.
            #expect(realTime > 20 && relative > 0, "\(line)")
        }
        let profiles = lines.dropLast().compactMap { $0["profile"] as? String }
        #expect(profiles == [[String]](repeating: ["fast", "standard", "far", "all"], count: 4).flatMap { $0 })
        let last = try #require(lines.last)
        #expect(last["live_channels"] as? Double ?? 0 > 20)
        #expect(last["cores"] as? Int == 1)
        // One receiver of all profiles takes 6 MB.
        #expect((4_000_000...8_000_000).contains(last["channel_bytes"] as? Int ?? 0))
        #expect(last["passed"] == nil)
    }

    /// The receiver allocates nothing per block. On Debian the C library's trace must work; without it this test fails.
    @Test func allocationsAreCounted() throws {
        let last = try #require(try lines().last)
        #expect(last["allocations"] as? Int == 0)
        #expect((1.0...12).contains(last["allocations_a_token"] as? Double ?? 0))
    }

    @Test func theTableHasTheSameRows() throws {
        let result = try Tool.run(Self.command, in: Scratch())
        #expect(result.status == 0)
        for text in [
            "times real time", "noise", "a token every 10 s, 20 dB", "live", "memory", "allocations  0 in", "reference",
        ] {
            #expect(result.output.contains(text), "\(text): \(result.output)")
        }
    }

    @Test func noFigureIsElevenTimesWorseThanItself() throws {
        let result = try compare(["--tolerance", "10"])
        #expect(result.status == 0 && result.error == "no figure of 20 is worse by more than 1000 %\n")
        #expect(result.lines.last?.hasSuffix("\"worse\":[],\"passed\":true}") == true, "\(result.output)")
    }

    /// With a hundredth of the baseline's time, the receiver counts as a hundred times slower on any machine.
    @Test func aSlowerReceiverFails() throws {
        let result = try compare([]) { line in
            line.contains("\"far\",\"sound\":\"noise\"")
                ? Self.replacing("\"relative\":[0-9.]+", "\"relative\":0.001")(line)
                : Self.replacing("relative\":[0-9.]+", "relative\":1000")(line)
        }
        #expect(result.status == 1)
        #expect(result.error.hasPrefix("worse: far, noise: ") && result.error.contains(", before 0.001 (+"))
        #expect(result.error.split(separator: "\n").count == 1, "\(result.error)")
        #expect(
            result.lines.last?.hasSuffix("\"worse\":[\"far, noise\"],\"passed\":false}") == true, "\(result.output)")
    }

    @Test func moreMemoryAndAllocationsFail() throws {
        let result = try compare([]) { line in
            var line = Self.replacing("relative\":[0-9.]+", "relative\":1000")(line)
            line = Self.replacing("channel_bytes\":[0-9]+", "channel_bytes\":1000")(line)
            return Self.replacing("allocations_a_token\":[0-9.]+", "allocations_a_token\":0.5")(line)
        }
        #expect(result.status == 1)
        #expect(
            result.lines.last?.contains("\"worse\":[\"memory\",\"allocations a token\"]") == true, "\(result.error)")
    }

    @Test func anotherProcessorIsNamed() throws {
        let result = try compare(
            ["--tolerance", "10"], Self.replacing("\"processor\":\"[^\"]*\"", "\"processor\":\"Z80\""))
        #expect(result.status == 0)
        #expect(result.error.hasPrefix("note: the baseline is of another processor, Z80, whose ratios may differ\n"))
    }

    @Test(arguments: ["", "no JSON\n", "{\"profile\":1}\n", "{}\n"])
    func whatIsNoBaselineIsRefused(text: String) throws {
        let result = try Tool.run(Self.command + ["--compare", "-"], input: Data(text.utf8), in: Scratch())
        #expect(result.status == 65)
        #expect(
            result.error
                == "Error: Cannot compare with -: it does not have the lines of 'earshot benchmark --json'.\n")
    }

    @Test func figuresOfAnotherVersionAreRefused() throws {
        let line = "{\"profile\":\"other\",\"sound\":\"rain\",\"relative\":1}\n"
        let result = try Tool.run(Self.command + ["--compare", "-"], input: Data(line.utf8), in: Scratch())
        #expect(result.status == 65)
        #expect(result.error.hasSuffix("none of this version's figures; make a new one with --json.\n"))
    }

    @Test func aMissingBaselineIsMissingInput() throws {
        let result = try Tool.run(Self.command + ["--compare", "absent.json"], in: Scratch())
        #expect(result.status == 66)
        #expect(result.error.contains("absent.json"))
    }

    @Test func moreCoresThanTheMachineHasAreRefused() throws {
        let result = try Tool.run(["benchmark", "--cores", "100000"], in: Scratch())
        #expect(result.status == 64 && result.output.isEmpty)
        #expect(
            result.error.contains("--cores 100000: give 1") && result.error.contains("as many as this machine has."),
            "\(result.error)")
    }

    @Test func toleranceNeedsABaseline() throws {
        let result = try Tool.run(Self.command + ["--tolerance", "0.1"], in: Scratch())
        #expect(result.status == 64)
        #expect(result.error.contains("--tolerance without --compare"))
    }
}
