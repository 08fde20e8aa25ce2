import EarshotModem
import Foundation
import TestSupport
import Testing

@Suite(.optimized) struct DecodeTests {
    @Test func jsonHasItsKeysInOrder() throws {
        let scratch = try Scratch()
        try scratch.write(Sound.silence(0.5) + Sound.frame("0123456789abcdef"), "a \"b\".wav")
        let result = try Tool.run(["decode", "--json", "a \"b\".wav"], in: scratch)
        let line = try #require(result.lines.first)
        let object = try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
        let keys = [
            "token", "bytes", "profile", "start_s", "end_s", "snr_db", "offset_hz", "channel", "file", "path_metric",
        ]
        #expect(Set(object.keys) == Set(keys))
        let places = keys.compactMap { line.range(of: "\"\($0)\":")?.lowerBound }
        #expect(places.count == keys.count && places == places.sorted())
        #expect(line.hasPrefix(#"{"token":"0123456789abcdef","bytes":8,"profile":"standard","start_s":0."#))
        #expect(object["file"] as? String == "a \"b\".wav")
        #expect(object["channel"] as? Int == 0)
        let length = try #require(object["end_s"] as? Double) - #require(object["start_s"] as? Double)
        #expect(abs(length - 1.1093) < 0.003)
    }

    @Test func manyFilesKeepTheirOrder() throws {
        let scratch = try Scratch()
        // The first file has the most sound, so its decoding ends last.
        let names = (0..<8).map { "\($0).wav" }
        for (index, name) in names.enumerated() {
            let samples = try Sound.frame("0000000000000\(100 + index)") + Sound.silence(Double(8 - index) * 4)
            try scratch.write(samples, name)
        }
        try scratch.save(Data("RIFF....WAVEfmt nonsense".utf8), "broken.wav")
        let files = Array(names[..<3]) + ["broken.wav", "missing.wav"] + Array(names[3...])
        for jobs in ["1", "4"] {
            let result = try Tool.run(["decode", "--jobs", jobs] + files, in: scratch)
            #expect(result.lines.count == 8)
            for (index, line) in result.lines.enumerated() {
                #expect(line.hasPrefix("\(index).wav: "))
                #expect(line.contains("0000000000000\(100 + index)"))
            }
            #expect(result.status == 65)
            #expect(result.error.contains("broken.wav") && result.error.contains("missing.wav"))
        }
        let reversed = try Tool.run(["decode", "missing.wav", "broken.wav"], in: scratch)
        #expect(reversed.status == 66)
    }

    @Test func everyChannelIsHeard() throws {
        let scratch = try Scratch()
        let samples = Sound.interleaved(
            [0: try Sound.frame("0123456789abcdef"), 1: try Sound.frame("fedcba9876543210", .fast)], channelCount: 2)
        try scratch.write(samples, "two.wav", channels: 2)
        let lines = try Tool.run(["decode", "two.wav"], in: scratch).lines
        // The `fast` frame ends first.
        #expect(lines.count == 2)
        #expect(lines.first?.contains("fedcba9876543210  fast") == true && lines.first?.hasSuffix("ch 1") == true)
        #expect(lines.last?.contains("0123456789abcdef  standard") == true && lines.last?.hasSuffix("ch 0") == true)
    }

    @Test func sixtyFourChannels() throws {
        let scratch = try Scratch()
        let frames = try [0, 31, 63].reduce(into: [Int: [Float]]()) { frames, channel in
            // Each frame starts later than the one before, so the times show the order.
            frames[channel] =
                try Sound.silence(Double(channel) / 200) + Sound.frame("00000000000000\(10 + channel)", .fast)
        }
        try scratch.write(Sound.interleaved(frames, channelCount: 64), "many.wav", channels: 64)
        let lines = try Tool.run(["decode", "many.wav"], in: scratch).lines
        #expect(lines.count == 3)
        for (line, channel) in zip(lines, [0, 31, 63]) {
            #expect(line.contains("00000000000000\(10 + channel)"))
            #expect(line.hasSuffix("ch \(channel)"))
        }
    }

    @Test func profilesCanBeChosen() throws {
        let scratch = try Scratch()
        try scratch.write(
            try Sound.frame("0123456789abcdef") + Sound.frame("fedcba9876543210", .fast) + Sound.silence(0.3), "x.wav")
        let fast = try Tool.run(["decode", "--profile", "fast", "x.wav"], in: scratch)
        #expect(fast.lines.count == 1 && fast.output.contains("fedcba9876543210"))
        let both = try Tool.run(["decode", "--profile", "fast", "--profile", "standard", "x.wav"], in: scratch)
        #expect(both.lines.count == 2)
        #expect(try Tool.run(["decode", "--profile", "far", "x.wav"], in: scratch).status == 1)
    }

    @Test func aMissingTokenIsReported() throws {
        let scratch = try Scratch()
        try scratch.write(Sound.silence(2), "silence.wav")
        let result = try Tool.run(["decode", "silence.wav"], in: scratch)
        #expect(result.status == 1)
        #expect(result.output.isEmpty)
        #expect(result.error == "no token found in silence.wav, 2.0 s of sound searched\n")
        let quiet = try Tool.run(["decode", "--quiet", "silence.wav"], in: scratch)
        #expect(quiet.status == 1 && quiet.error.isEmpty)
    }

    @Test func statisticsAreShown() throws {
        let scratch = try Scratch()
        try scratch.write(try Sound.frame("0123456789abcdef") + Sound.silence(0.976), "x.wav")
        let result = try Tool.run(["decode", "--stats", "x.wav"], in: scratch)
        #expect(result.error.hasPrefix("x.wav: searched 2.085 s, frames 1, of which cancelled "))
        #expect(result.lines.count == 1)
    }

    @Test func mistakesInTheCommandLine() throws {
        let scratch = try Scratch()
        for (arguments, word) in [
            (["-", "-"], "only once"), (["--jobs", "0", "-"], "--jobs"), ([], "file"),
            (["--combine", "1", "-"], "--combine 1"),
            (["--combine", "9", "-"], "2 to 8"), (["--raw", "s17le:48000", "-"], "s16le"),
            (["--raw", "s16le", "-"], "encoding:rate"),
        ] {
            let result = try Tool.run(["decode"] + arguments, in: scratch)
            #expect(result.status == 64)
            #expect(result.error.contains(word))
        }
    }

    @Test func aFolderStandsForItsSoundFiles() throws {
        let scratch = try Scratch()
        for folder in ["takes/b", "takes/.hidden", "takes/a.wav", "none/deep"] {
            try FileManager.default.createDirectory(
                atPath: scratch.path(folder), withIntermediateDirectories: true)
        }
        let names = ["takes/a.wav/2.wav", "takes/b/1.WAV", "takes/c.wav"]
        for (index, name) in names.enumerated() {
            try scratch.write(try Sound.frame("00000000000000\(10 + index)", .fast) + Sound.silence(0.3), name)
        }
        try scratch.write(try Sound.frame("cafe", .fast), "takes/.hidden/x.wav")
        try scratch.write(try Sound.frame("cafe", .fast), "takes/.x.wav")
        try scratch.save(Data("notes".utf8), "takes/notes.txt")
        // Following a link to a parent folder would never end.
        try FileManager.default.createSymbolicLink(atPath: scratch.path("takes/b/up.wav"), withDestinationPath: "..")
        for folder in ["takes", "takes/"] {
            let result = try Tool.run(["decode", folder], in: scratch)
            #expect(result.status == 0 && result.error.isEmpty, "\(result.error)")
            #expect(result.lines.count == 3)
            for (index, line) in result.lines.enumerated() {
                #expect(line.hasPrefix("\(names[index]): ") && line.contains("00000000000000\(10 + index)"), "\(line)")
            }
        }
        let single = try Tool.run(["decode", "takes/b"], in: scratch)
        #expect(single.lines.count == 1 && single.output.hasPrefix("takes/b/1.WAV: "), "\(single.output)")
        let none = try Tool.run(["decode", "none"], in: scratch)
        #expect(none.status == 66 && none.output.isEmpty)
        #expect(none.error.hasPrefix("Error: Cannot decode the directory none: no file in it has the extension"))
    }

    @Test func payloadsCanStandAlone() throws {
        let scratch = try Scratch()
        try scratch.write(
            try Sound.frame("0123456789abcdef", .fast) + Sound.frame("4869", .fast) + Sound.silence(0.3), "x.wav")
        let result = try Tool.run(["decode", "--payload", "x.wav", "x.wav"], in: scratch)
        #expect(result.status == 0 && result.error.isEmpty, "\(result.error)")
        #expect(result.output == "0123456789abcdef\n4869\n0123456789abcdef\n4869\n")
        let both = try Tool.run(["decode", "--payload", "--json", "x.wav"], in: scratch)
        #expect(both.status == 64 && both.error.contains("Both --json and --payload"), "\(both.error)")
    }

    @Test func standardInputIsTheDefault() throws {
        let scratch = try Scratch()
        try scratch.write(try Sound.frame("0123456789abcdef", .fast) + Sound.silence(0.3), "x.wav")
        // `start` gives a file, `startWithPipe` a pipe.
        let file = try Tool.run(["decode"], input: scratch.data("x.wav"), in: scratch)
        #expect(file.status == 0 && file.output.contains("0123456789abcdef"), "\(file.error)")
        let decoder = try Running(["decode"], in: scratch)
        let pipe = try decoder.startWithPipe()
        try pipe.write(contentsOf: scratch.data("x.wav"))
        try pipe.close()
        let piped = try decoder.wait()
        #expect(piped.status == 0 && piped.output == file.output, "\(piped.error)")
    }

    @Test func nothingToDecodeIsAUsageError() throws {
        let result = try Tool.run(["decode"], in: Scratch())
        #expect(result.status == 64 && result.error.contains("Nothing to decode"), "\(result.error)")
    }
}
