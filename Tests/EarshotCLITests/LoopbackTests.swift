import Foundation
import TestSupport
import Testing

@Suite struct LoopbackTests {
    @Test func aFilePassesAndSaysSo() throws {
        let scratch = try Scratch()
        let result = try Tool.run(["loopback", "--via", "wav", "--count", "2", "--seed", "7"], in: scratch)
        #expect(result.status == 0)
        #expect(result.error.isEmpty)
        #expect(result.lines.first?.hasPrefix("WAV file, s16, 48000 Hz, -12 dBFS, seed 7: 6 tokens in ") == true)
        for profile in ["fast", "standard", "far"] {
            let row = try #require(result.lines.first { $0.hasPrefix(profile) })
            #expect(row.split(separator: " ").dropFirst().prefix(3) == ["2/2", "0", "0"])
            #expect(row.hasSuffix("-12.0 dBFS"))
        }
        #expect(result.lines.last == "result    passed")
        #expect(scratch.names.isEmpty)
    }

    @Test func jsonHasItsKeysInOrder() throws {
        let scratch = try Scratch()
        let arguments = ["loopback", "--via", "air", "--count", "1", "--profile", "fast", "--seed", "3", "--json"]
        let result = try Tool.run(arguments, in: scratch)
        #expect(result.status == 0)
        try #require(result.lines.count == 2)
        let keys = [
            [
                "profile", "sent", "decoded", "wrong", "duplicates", "missing", "snr_db", "snr_min_db", "snr_max_db",
                "latency_s", "latency_p95_s", "latency_max_s", "level_dbfs", "passed",
            ],
            [
                "via", "medium", "rate_hz", "sent_level_dbfs", "seed", "required_percent", "sent", "decoded", "wrong",
                "duplicates", "played_s", "clock_ppm", "clock_uncertainty_ppm", "dropouts", "dropped_s", "interrupted",
                "response_db", "ripple_db", "noise_dbfs", "cut_off_hz", "problems", "verdict", "passed",
            ],
        ]
        for (line, keys) in zip(result.lines, keys) {
            let object = try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
            #expect(Set(object.keys) == Set(keys))
            let places = keys.compactMap { line.range(of: "\"\($0)\":")?.lowerBound }
            #expect(places.count == keys.count && places == places.sorted())
            #expect(object["decoded"] as? Int == 1)
            #expect(object["passed"] as? Bool == true)
        }
        // The same seed, the same report.
        #expect(try Tool.run(arguments, in: scratch).outputBytes == result.outputBytes)
    }

    @Test func hopelessAirFails() throws {
        let scratch = try Scratch()
        let arguments = [
            "loopback", "--via", "air", "--snr", "-30", "--count", "4", "--profile", "fast", "--seed", "1",
        ]
        let result = try Tool.run(arguments, in: scratch)
        #expect(result.status == 1)
        #expect(result.output.contains("missing   fast "))
        #expect(result.output.contains(" and 1 more\n"))
        #expect(result.lines.last == "result    failed: fast decoded 0 of 4, 95 % asked for")
        // Nothing has to be decoded, and nothing was wrong.
        #expect(try Tool.run(arguments + ["--require", "0"], in: scratch).status == 0)
    }

    @Test func aKeptFileCanBeDecoded() throws {
        let scratch = try Scratch()
        let arguments = ["loopback", "--via", "wav", "--count", "1", "--keep", "k.wav", "--format", "s24"]
        #expect(try Tool.run(arguments, in: scratch).status == 0)
        #expect(scratch.names == ["k.wav"])
        #expect(try Tool.run(["decode", "k.wav"], in: scratch).lines.count == 3)
        let missing = try Tool.run(["loopback", "--via", "wav", "--keep", "no/k.wav"], in: scratch)
        #expect(missing.status == 73)
        #expect(missing.output.isEmpty && missing.error.contains("no/k.wav"))
    }

    @Test(arguments: [
        ["--via", "wav", "--snr", "3"], ["--via", "air", "--keep", "x.wav"], ["--via", "wav", "--device", "hw:0"],
        ["--via", "wav", "--count", "0"], ["--via", "wav", "--level", "1"], ["--via", "wav", "--keep", "-"],
        ["--via", "air", "--channel", "room-d"], ["--via", "air", "--channel", "crowd-4"],
        ["--via", "air", "--ppm", "2000"], ["--via", "wav", "--require", "101"],
        ["--via", "wav", "--rate", "32000"], ["--via", "wav", "--rate", "192000", "--count", "10000"], [],
    ])
    func impossibleWishesAreRefused(arguments: [String]) throws {
        let scratch = try Scratch()
        let result = try Tool.run(["loopback"] + arguments, in: scratch)
        #expect(result.status == 64)
        #expect(result.output.isEmpty && result.error.contains("Error: "))
        #expect(scratch.names.isEmpty)
    }

    @Test func thePairIsDrawn() throws {
        let scratch = try Scratch()
        let arguments = ["loopback", "--via", "air", "--count", "1", "--profile", "fast", "--seed", "2"]
        let result = try Tool.run(arguments + ["--report", "pair.svg"], in: scratch)
        #expect(result.status == 0)
        #expect(result.error == "wrote pair.svg\n")
        let picture = try #require(String(data: scratch.data("pair.svg"), encoding: .utf8))
        #expect(picture.hasSuffix("</svg>\n") && picture.contains("simulated air, SNR 20 dB"))
        let unheard = try Tool.run(arguments + ["--snr", "-60", "--report", "none.svg"], in: scratch)
        #expect(unheard.status == 1)
        #expect(unheard.error.contains("no sweep was heard"))
        #expect(unheard.output.contains("verdict   Nothing was heard"))
        #expect(scratch.names == ["pair.svg"])
        #expect(try Tool.run(arguments + ["--report", "no/pair.svg"], in: scratch).status == 73)
        #expect(try Tool.run(arguments + ["--report", "-"], in: scratch).status == 64)
    }

    @Test func ctrlCJudgesWhatWasPlayed() throws {
        let scratch = try Scratch()
        let test = try Running(
            ["loopback", "--via", "air", "--count", "10000", "--profile", "fast", "--seed", "1"], in: scratch)
        try test.start()
        usleep(1_500_000)
        #expect(test.process.isRunning)
        test.process.interrupt()
        let result = try test.wait()
        #expect(result.status == 130)
        #expect(result.lines.last == "result    passed, ended early")
    }
}
