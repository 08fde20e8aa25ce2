import EarshotAudio
import Foundation
import TestSupport
import Testing

/// `earshot simulate`, as a user types it.
@Suite(.optimized) struct SimulateTests {
    /// Points around the knee of `fast`, with few trials.
    static let knee = ["simulate", "--profile", "fast", "--snr", "-9:-7:1", "--trials", "60", "--seed", "9"]

    @Test func jsonLinesHaveTheirKeysInOrderAndCountRight() throws {
        let scratch = try Scratch()
        let result = try Tool.run(Self.knee + ["--json"], in: scratch)
        #expect(result.status == 0)
        try #require(result.lines.count == 4)
        let keys = [
            "profile", "channel", "snr_db", "trials", "success", "low", "high", "wrong", "duplicates", "sent",
            "decoded",
            "eb_n0_db",
        ]
        for (line, snr) in zip(result.lines, [-9.0, -8.0, -7.0]) {
            let object = try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
            let places = keys.compactMap { line.range(of: "\"\($0)\":")?.lowerBound }
            #expect(object.count == keys.count && places.count == keys.count && places == places.sorted())
            #expect(object["snr_db"] as? Double == snr)
            let success = try #require(object["success"] as? Double)
            let decoded = try #require(object["decoded"] as? Int)
            #expect(abs(success - Double(decoded) / 60) < 1e-4)
            #expect(try #require(object["low"] as? Double) <= success)
            #expect(try #require(object["high"] as? Double) >= success)
            // SNR + 10·log₁₀(1500·0.5547/64).
            #expect(abs(try #require(object["eb_n0_db"] as? Double) - snr - 11.14) < 0.006)
        }
        let summary = try #require(
            try JSONSerialization.jsonObject(with: Data(result.lines[3].utf8)) as? [String: Any])
        #expect(summary["points"] as? Int == 3 && summary["seed"] as? Int == 9)
        let half = try #require(summary["snr_50_db"] as? Double)
        #expect((-9.0 ... -7.0).contains(half))
        // The bound is left of the measured curve. A second implementation gives −6.33 dB.
        let bound = try #require(summary["bound_90_db"] as? Double)
        #expect(abs(bound + 6.33) < 0.1)
    }

    /// Text and picture are equal byte for byte.
    @Test func theNumberOfThreadsDoesNotMatter() throws {
        let scratch = try Scratch()
        let one = try Tool.run(Self.knee + ["--threads", "1", "--plot", "a.svg"], in: scratch)
        let four = try Tool.run(Self.knee + ["--threads", "4", "--plot", "b.svg"], in: scratch)
        #expect(one.status == 0 && one.error == "wrote a.svg\n")
        #expect(one.outputBytes == four.outputBytes)
        #expect(try scratch.data("a.svg") == scratch.data("b.svg"))
        let picture = try #require(String(data: scratch.data("a.svg"), encoding: .utf8))
        #expect(
            picture.hasSuffix("</svg>\n") && picture.contains("phases known") && picture.contains("energies known")
                && picture.contains("Frames decoded in awgn"))
        let other = try Tool.run(Self.knee.dropLast() + ["10"], in: scratch)
        #expect(other.outputBytes != one.outputBytes)
    }

    @Test func csvHasAHeaderAndValues() throws {
        let scratch = try Scratch()
        let result = try Tool.run(Self.knee + ["--csv", "--channel", "room-a"], in: scratch)
        try #require(result.status == 0 && result.lines.count == 4)
        let names = result.lines[0].split(separator: ",")
        for line in result.lines.dropFirst() {
            let fields = line.split(separator: ",")
            #expect(fields.count == names.count)
            #expect(fields.prefix(2) == ["fast", "room-a"])
        }
    }

    /// `--min-success` as a gate in another project's CI.
    @Test func theRequiredShareIsJudged() throws {
        let scratch = try Scratch()
        let arguments = ["simulate", "--profile", "fast", "--trials", "50", "--min-success", "0.97", "--snr"]
        let good = try Tool.run(arguments + ["5"], in: scratch)
        #expect(good.status == 0 && good.error.isEmpty)
        let bad = try Tool.run(arguments + ["-7,5"], in: scratch)
        #expect(bad.status == 1)
        #expect(bad.lines.count >= 4)
        let reason = try #require(bad.error.split(separator: "\n").first)
        #expect(reason.hasPrefix("FAILED: fast in awgn at -7 dB decoded "))
        #expect(reason.hasSuffix("Again: earshot simulate --profile fast --channel awgn --snr -7 --trials 50 --seed 1"))
        #expect(!bad.error.contains("at 5 dB"))
    }

    @Test func theCommandThatRepeatsAFailureHasAllOptions() throws {
        let scratch = try Scratch()
        let arguments = [
            "simulate", "--profile", "fast", "--trials", "5", "--seed", "4", "--bytes", "2", "--rate", "44100",
            "--snr", "-30", "--min-success", "0.5",
        ]
        let reason = try Tool.run(arguments, in: scratch).error
        #expect(reason.hasSuffix("--snr -30 --trials 5 --seed 4 --bytes 2 --rate 44100\n"))
        let burst = [
            "simulate", "--trials", "5", "--alike", "--burst", "3", "--combine", "2", "--snr", "-30", "--min-success",
            "0.5",
        ]
        #expect(try Tool.run(burst, in: scratch).error.contains(" --alike --burst 3 --combine 2\n"))
    }

    @Test func allChannelsAreListed() throws {
        let scratch = try Scratch()
        let text = try Tool.run(["simulate", "--list"], in: scratch)
        let json = try Tool.run(["simulate", "--list", "--json"], in: scratch)
        #expect(text.status == 0 && json.status == 0)
        for name in ["awgn", "room-a", "hall", "walk", "pilot", "keys", "crowd-4"] {
            #expect(text.lines.contains { $0.hasPrefix(name + " ") })
            #expect(json.lines.contains { $0.hasPrefix("{\"channel\":\"\(name)\",") })
        }
        #expect(text.lines.allSatisfy { $0.count <= 100 })
    }

    /// White noise from a file is as loud as generated white noise: the share at the knee is the same within three
    /// standard deviations of 200 trials, √(2·0.25/200) = 5 % each. A file at another rate is converted.
    @Test(arguments: [48_000, 44_100])
    func aRecordingIsNoise(rate: Int) throws {
        let scratch = try Scratch()
        var generator = SystemRandomNumberGenerator()
        var writer = try WAVWriter(
            path: scratch.path("noise.wav"), sampleRateHertz: rate, channelCount: 1, format: .f32)
        try writer.write((0..<10 * rate).map { _ in Float.random(in: -0.1...0.1, using: &generator) })
        try writer.finish()
        let arguments = [
            "simulate", "--profile", "fast", "--snr", "-5.7", "--trials", "200", "--precision", "0", "--csv",
        ]
        func share(_ more: [String]) throws -> Double {
            let result = try Tool.run(arguments + more, in: scratch)
            return try #require(Double(result.lines[1].split(separator: ",")[7]))
        }
        #expect(try abs(share([]) - share(["--noise", "noise.wav"])) < 0.15)

        let few = ["simulate", "--profile", "fast", "--snr", "0", "--trials", "1", "--noise", "noise.wav"]
        let text = try Tool.run(few, in: scratch)
        #expect(text.lines.first?.hasPrefix("fast in awgn with the noise of noise.wav, 8 bytes") == true, "\(text)")
        let json = try Tool.run(few + ["--json"], in: scratch)
        #expect(json.lines.count == 2)
        #expect(json.lines.allSatisfy { $0.contains(#""channel":"awgn","noise":"noise.wav","#) }, "\(json)")
    }

    @Test(arguments: [
        ["--channel", "nowhere"], ["--snr", "a:b"], ["--snr", "1:2:0"], ["--snr", "200"], ["--trials", "0"],
        ["--seed", "-1"], ["--threads", "0"], ["--bytes", "33"], ["--rate", "32000"], ["--min-success", "97"],
        ["--json", "--csv"], ["--plot", "-"], ["--precision", "60"], ["--profile", "slow"],
        ["--burst", "9"], ["--burst", "2", "--bytes", "2"], ["--combine", "1"],
    ])
    func impossibleOptionsAreRejected(arguments: [String]) throws {
        let scratch = try Scratch()
        let result = try Tool.run(["simulate"] + arguments, in: scratch)
        #expect(result.status == 64)
        #expect(result.output.isEmpty && result.error.contains("Error: "))
    }

    @Test func unusableNoiseIsRejected() throws {
        let scratch = try Scratch()
        #expect(try Tool.run(["simulate", "--noise", "none.wav"], in: scratch).status == 66)
        try Data("no sound".utf8).write(to: URL(fileURLWithPath: scratch.path("text.wav")))
        #expect(try Tool.run(["simulate", "--noise", "text.wav"], in: scratch).status == 65)
        var writer = try WAVWriter(
            path: scratch.path("silence.wav"), sampleRateHertz: 48_000, channelCount: 1, format: .s16)
        try writer.write([Float](repeating: 0, count: 48_000))
        try writer.finish()
        let silent = try Tool.run(["simulate", "--noise", "silence.wav"], in: scratch)
        #expect(silent.status == 65)
        #expect(silent.error.contains("silence.wav"))
    }

    /// Finished points are on standard output already, and a picture can show them.
    @Test func anInterruptionKeepsFinishedPoints() throws {
        let scratch = try Scratch()
        let arguments = ["simulate", "--profile", "far", "--snr", "-12:30:0.25", "--trials", "20", "--precision", "0"]
        let run = try Running(arguments + ["--plot", "part.svg"], in: scratch)
        try run.start()
        #expect(run.waitForOutput { $0.split(separator: "\n").count >= 4 })
        run.process.terminate()
        let result = try run.wait()
        #expect(result.status == 143)
        #expect(result.lines.count >= 4)
        #expect(scratch.names == ["part.svg"])
    }

    @Test(arguments: [
        (["--snr", "200"], 64, "--snr 200: give -60 to 100 dB."),
        (["--snr", "0:5:0"], 64, "--snr: the step is 0. Give a step such as 0.5."),
        (["--snr", "0:60:0.001"], 64, "--snr: more than 1000 points. Give a larger step."),
        (["--snr", "5", "--plot", "x.wav"], 64, "--plot x.wav: a picture would replace the sound. Name it .svg."),
        (
            ["--plot", "nowhere/c.svg"], 73,
            "--plot nowhere/c.svg: there is no folder nowhere. Make it first, or name another file."
        ),
    ])
    func aProblemIsNamedBeforeTheWork(arguments: [String], status: Int32, reason: String) throws {
        let result = try Tool.run(["simulate", "--trials", "1000000"] + arguments, in: Scratch())
        #expect(result.status == status && result.output.isEmpty)
        #expect(result.error.contains("Error: \(reason)\n"), "\(result.error)")
    }
}
