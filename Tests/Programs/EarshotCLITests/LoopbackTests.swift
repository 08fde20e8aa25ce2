import Foundation
import TestSupport
import Testing

@Suite(.optimized) struct LoopbackTests {
    @Test func aFilePassesAndTheReportSaysSo() throws {
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
        // The same seed gives the same report.
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
        #expect(result.lines.last == "result    failed: fast decoded 0 of 4, 95 % required")
        // With --require 0 no token has to be decoded, and no frame was wrong.
        #expect(try Tool.run(arguments + ["--require", "0"], in: scratch).status == 0)
    }

    @Test func aKeptFileCanBeDecoded() throws {
        let scratch = try Scratch()
        let arguments = ["loopback", "--via", "wav", "--count", "1", "--keep", "k.wav", "--format", "s24"]
        #expect(try Tool.run(arguments, in: scratch).status == 0)
        #expect(scratch.names == ["k.wav"])
        #expect(try Tool.run(["decode", "k.wav"], in: scratch).lines.count == 3)
        let again = try Tool.run(arguments, in: scratch)
        #expect(again.status == 73 && again.error.contains("--overwrite"), "\(again)")
        #expect(try Tool.run(arguments + ["--overwrite"], in: scratch).status == 0)
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
    func impossibleOptionsAreRejected(arguments: [String]) throws {
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
        let sound = try Tool.run(arguments + ["--report", "pair.flac"], in: scratch)
        #expect(sound.status == 64 && sound.error.contains("--report pair.flac: a picture would replace the sound."))
    }

    /// Each curve, read on the axis of its own colour, has the level that the report prints, and the title is complete.
    @Test func thePictureAgreesWithTheReport() throws {
        let scratch = try Scratch()
        let result = try Tool.run(
            [
                "loopback", "--via", "air", "--count", "1", "--profile", "fast", "--seed", "2", "--level", "-20",
                "--snr",
                "12.345678", "--ppm", "123.456789", "--report", "pair.svg", "--json",
            ], in: scratch)
        try #require(result.status == 0, "\(result.error)")
        let line = Data(try #require(result.lines.last).utf8)
        let report = try #require(try JSONSerialization.jsonObject(with: line) as? [String: Any])
        let medium = try #require(report["medium"] as? String)
        let picture = try SVGContent(scratch.data("pair.svg"))
        #expect(picture.labels.joined(separator: " ").contains("earshot loopback through \(medium)"))

        let (responseColour, noiseColour) = ("#5ee6ff", "#ffb86b")
        let response = try meanLevel(of: responseColour, in: picture)
        let noise = try meanLevel(of: noiseColour, in: picture)
        // White noise and a flat response: 1 dB is the spread of a mean over 30 bins, and a third of the smallest
        // possible error of an axis.
        #expect(abs(response - (try #require(report["response_db"] as? Double))) < 1)
        #expect(abs(noise - (try #require(report["noise_dbfs"] as? Double))) < 1)
    }

    /// The mean of a curve between 18.5 and 20 kHz, read on the axis labels of its colour.
    private func meanLevel(of colour: String, in picture: SVGContent) throws -> Double {
        let texts = picture.elements.filter { $0.name == "text" }.map(\.attributes)
        let numbers = zip(picture.labels, texts).compactMap { label, attributes -> (level: Double, y: Double)? in
            guard attributes["fill"] == colour, let level = Double(label.replacing("−", with: "-")),
                let y = Double(attributes["y"] ?? "")
            else { return nil }
            // The middle of a digit is 5 px above its baseline.
            return (level, y - 5)
        }
        let (first, last) = (try #require(numbers.first), try #require(numbers.last))
        try #require(numbers.count >= 2)
        let slope = (last.level - first.level) / (last.y - first.y)

        let band = try ["18.5", "20.0"].map { try #require(Double(picture.label($0)["x"] ?? "")) }
        let curve = try #require(
            picture.paths.filter { $0["stroke"] == colour }.compactMap { $0["d"] }.max { $0.count < $1.count })
        let levels = curve.split { "ML".contains($0) }.compactMap { point -> Double? in
            let place = point.split(separator: " ").compactMap { Double($0) }
            guard place.count == 2, (band[0]...band[1]).contains(place[0]) else { return nil }
            return first.level + slope * (place[1] - first.y)
        }
        try #require(levels.count > 20)
        return levels.reduce(0, +) / Double(levels.count)
    }

    @Test func ctrlCJudgesThePartPlayed() throws {
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
