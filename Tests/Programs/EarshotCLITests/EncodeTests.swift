import Foundation
import TestSupport
import Testing

@Suite struct EncodeTests {
    @Test func theSameArgumentsGiveTheSameBytes() throws {
        let scratch = try Scratch()
        for name in ["a.wav", "b.wav"] {
            let result = try Tool.run(
                ["encode", "0123456789abcdef", "--repeat", "2", "-o", name], in: scratch)
            #expect(result.status == 0)
        }
        let piped = try Tool.run(["encode", "0123456789abcdef", "--repeat", "2", "-o", "-"], in: scratch)
        #expect(try scratch.data("a.wav") == scratch.data("b.wav"))
        #expect(try scratch.data("a.wav") == piped.outputBytes)
        #expect(piped.outputBytes.count > 200_000)
    }

    @Test func theSummaryDescribesTheFile() throws {
        let scratch = try Scratch()
        let result = try Tool.run(["encode", "0123456789abcdef", "-o", "token.wav"], in: scratch)
        #expect(
            result.error
                == "wrote token.wav: 0123456789abcdef, standard, 1.109 s, 48000 Hz s16, -12 dBFS\n")
        #expect(result.output.isEmpty)
        #expect(scratch.names == ["token.wav"])
    }

    @Test func jsonDescribesTheFile() throws {
        let scratch = try Scratch()
        let result = try Tool.run(
            [
                "encode", "--text", "Hi \"you\"/", "--profile", "fast", "--rate", "96000", "--format", "f32",
                "--repeat",
                "3", "--gap", "0.25", "--level", "-20.5", "--json", "-o", "x.wav",
            ], in: scratch)
        let object = try #require(try JSONSerialization.jsonObject(with: result.outputBytes) as? [String: Any])
        #expect(object["text"] as? String == "Hi \"you\"/")
        #expect(object["bytes"] as? Int == 9)
        #expect(object["rate_hz"] as? Int == 96_000)
        #expect(object["level_dbfs"] as? Double == -20.5)
        #expect(object["repeat"] as? Int == 3)
        // 72 bits and a check of 24 bits take 48 tones, the header 6 and sync 8. The sound has these 62 tones of
        // 10.67 ms three times.
        let seconds = try #require(object["duration_s"] as? Double)
        #expect(abs(seconds - (0.2 + 0.5 + 3 * 62 * 16.0 / 1_500)) < 0.002)
        #expect(result.error.isEmpty)
        let samples = (try scratch.data("x.wav").count - 58) / 4
        #expect(abs(Double(samples) / 96_000 - seconds) < 0.001)
    }

    @Test(arguments: [(-12.0, "s16"), (-40, "f32"), (0, "s24")])
    func theLevelIsThePeak(level: Double, format: String) throws {
        let scratch = try Scratch()
        _ = try Tool.run(["encode", "cafe", "--level", "\(level)", "--format", format, "-o", "x.wav"], in: scratch)
        let peak = try scratch.samples("x.wav").map(abs).max() ?? 0
        #expect(abs(20 * log10(Double(peak)) - level) < 0.02)
    }

    /// Each line: arguments, exit code, and words that the message must have.
    static let refusals: [([String], Int32, [String])] = [
        (["xyz1", "-o", "x.wav"], 64, ["'x'", "hexadecimal", "--text"]),
        (["abc", "-o", "x.wav"], 64, ["3 hexadecimal digits", "two digits a byte"]),
        ([String(repeating: "ab", count: 33), "-o", "x.wav"], 64, ["33 bytes", "1 to 32"]),
        (["--text", String(repeating: "é", count: 17), "-o", "x.wav"], 64, ["34 bytes", "1 to 32"]),
        (["--text", "", "-o", "x.wav"], 64, ["empty", "1 to 32"]),
        (["ab", "--text", "ab", "-o", "x.wav"], 64, ["Both", "--text", "quotation marks"]),
        (["-o", "x.wav"], 64, ["Nothing to send", "--text"]),
        (["ab"], 64, ["--output"]),
        (["ab", "--rate", "8000", "-o", "x.wav"], 64, ["8000 Hz", "20 kHz", "44100"]),
        (["ab", "--rate", "9000000", "-o", "x.wav"], 64, ["768000"]),
        (["ab", "--level", "1", "-o", "x.wav"], 64, ["--level", "dBFS"]),
        (["ab", "--level", "-90", "-o", "x.wav"], 64, ["--level", "-90"]),
        (["ab", "--level", "nan", "-o", "x.wav"], 64, ["--level"]),
        (["ab", "--repeat", "0", "-o", "x.wav"], 64, ["--repeat", "once"]),
        (["ab", "--repeat", "9999999", "-o", "x.wav"], 64, ["4 GiB", "At most"]),
        (["ab", "--burst", "4", "-o", "x.wav"], 64, ["1 bytes", "--burst 4", "8 bytes"]),
        (["0123456789abcdef", "--burst", "9", "-o", "x.wav"], 64, ["--burst 9", "1 to 8"]),
        (["ab", "--gap", "-1", "-o", "x.wav"], 64, ["--gap -1", "0 to 3600 s"]),
        (["ab", "-o", ""], 73, ["\"\"", "the file name is empty"]),
        (["ab", "--profile", "loud", "-o", "x.wav"], 64, ["loud", "fast", "standard", "far"]),
        (["ab", "--format", "mp3", "-o", "x.wav"], 64, ["mp3", "s16", "s24", "f32"]),
        (
            ["ab", "--format", "s24", "-o", "x.mp3"], 64,
            ["--format is for WAV and FLAC: 'x.mp3' has no sample format."]
        ),
        (["ab", "-o", "nowhere/x.wav"], 73, ["nowhere/x.wav", "No such file", "Create the directory"]),
        (["ab", "-o", "."], 73, ["directory"]),
        (["ab", "-o", "x.m4a"], 64, ["--output x.m4a", "WAV", "ffmpeg -i FILE.wav FILE.m4a"]),
        (["ab", "-o", "x.AIFF"], 64, ["--output x.AIFF", "WAV", "ffmpeg -i FILE.wav FILE.aiff"]),
        (["ab", "--rate", "96000", "-o", "x.mp3"], 73, ["x.mp3", "no sample rate of 96000 Hz", "Use 48000 Hz"]),
        (["ab", "--rate", "44100", "-o", "x.opus"], 73, ["x.opus", "no sample rate of 44100 Hz", "Use 48000 Hz"]),
        (["ab", "--format", "f32", "-o", "x.flac"], 73, ["x.flac", "integers only", "16 or 24 bits"]),
        (["ab", "-o", "nowhere/x.mp3"], 73, ["nowhere/x.mp3", "No such file", "Create the directory"]),
        (["ab", "-o", "/dev/full"], 74, ["/dev/full", "No space"]),
    ]

    /// The content must match the name's extension.
    @Test(arguments: [
        (["listen", "--record", "x.mp3"], "--record x.mp3: this command writes a WAV file, but not .mp3"),
        (
            ["loopback", "--via", "wav", "--keep", "x.flac"],
            "--keep x.flac: this command writes a WAV file, but not .flac"
        ),
        (
            ["loopback", "--via", "wav", "--report", "x.png"],
            "--report x.png: this command writes an SVG picture, but not .png"
        ),
        (["simulate", "--plot", "x.pdf"], "--plot x.pdf: this command writes an SVG picture, but not .pdf"),
    ])
    func namesOfOtherFormatsAreRefused(arguments: [String], reason: String) throws {
        let result = try Tool.run(arguments, in: Scratch())
        #expect(result.status == 64 && result.error.contains(reason), "\(result.error)")
    }

    @Test(arguments: refusals)
    func impossibleArgumentsAreRejected(arguments: [String], status: Int32, words: [String]) throws {
        let scratch = try Scratch()
        let result = try Tool.run(["encode"] + arguments, in: scratch)
        #expect(result.status == status)
        #expect(result.error.hasPrefix("Error: "))
        for word in words { #expect(result.error.contains(word)) }
        #expect(result.output.isEmpty)
        #expect(scratch.names.isEmpty)
    }

    /// Each format is chosen by the file's name, and every token survives the codec.
    @Test(arguments: ["flac", "ogg", "opus", "mp3"], ["fast", "standard", "far"])
    func otherFormatsDecode(name: String, profile: String) throws {
        let scratch = try Scratch()
        let tokens = ["0123456789abcdef", "fedcba9876543210", "00000000000000aa"]
        for (index, token) in tokens.enumerated() {
            let encoded = try Tool.run(
                ["encode", token, "--profile", profile, "-o", "\(index).\(name)"], in: scratch)
            #expect(encoded.status == 0, "\(encoded.error)")
            let decoded = try Tool.run(["decode", "--payload", "\(index).\(name)"], in: scratch)
            #expect(decoded.output == token + "\n")
        }
        let kept = try scratch.data("0.\(name)")
        let again = try Tool.run(["encode", "ab", "-o", "0.\(name)"], in: scratch)
        #expect(again.status == 73 && again.error.contains("--overwrite"))
        #expect(try scratch.data("0.\(name)") == kept)
    }

    @Test func quietPrintsNothing() throws {
        let scratch = try Scratch()
        for option in ["-q", "--quiet"] {
            let result = try Tool.run(["encode", "ab", "-o", "x.wav", "--overwrite", option], in: scratch)
            #expect(result.status == 0)
            #expect(result.output.isEmpty && result.error.isEmpty)
            #expect(scratch.names == ["x.wav"])
            let refused = try Tool.run(["encode", "ab", "-o", "nowhere/x.wav", option], in: scratch)
            #expect(refused.error.contains("nowhere/x.wav"))
        }
    }

    /// The command checks these before it opens a device.
    @Test(arguments: [(["ab", "--burst", "4"], "8 bytes"), (["0123456789abcdef", "--burst", "9"], "1 to 8")])
    func broadcastRejectsTheSameBursts(arguments: [String], word: String) throws {
        let result = try Tool.run(["broadcast", "--device", "no_such_pcm"] + arguments, in: try Scratch())
        #expect(result.status == 64)
        #expect(result.error.contains(word))
    }

    @Test func anExistingFileSurvivesAMistake() throws {
        let scratch = try Scratch()
        let precious = Data("precious".utf8)
        try scratch.save(precious, "x.wav")
        for arguments in [["xyz"], ["ab", "--rate", "8000"], ["ab", "--repeat", "9999999"]] {
            #expect(try Tool.run(["encode", "-o", "x.wav"] + arguments, in: scratch).status == 64)
        }
        #expect(try scratch.data("x.wav") == precious)
    }

    @Test func theTextCanComeFromStandardInput() throws {
        let scratch = try Scratch()
        let typed = try Tool.run(["encode", "--text", "Hall 3, 14:00", "-o", "-"], in: scratch)
        for text in ["Hall 3, 14:00", "Hall 3, 14:00\n", "Hall 3, 14:00\r\n"] {
            let read = try Tool.run(["encode", "--text", "-", "-o", "-"], input: Data(text.utf8), in: scratch)
            #expect(read.status == 0 && read.outputBytes == typed.outputBytes, "\(read.error)")
        }
        for (input, words) in [
            (Data(), "empty"), (Data([0x63, 0xE9]), "not UTF-8"), (Data(count: 33), "33 bytes"),
            (Data(count: 100_000), "1 to 32 bytes"),
        ] {
            let result = try Tool.run(["encode", "--text", "-", "-o", "x.wav"], input: input, in: scratch)
            #expect(result.status == 64 && result.error.contains("standard input"), "\(result.error)")
            #expect(result.error.contains(words), "\(result.error)")
        }
        #expect(scratch.names.isEmpty)
    }

    @Test func anExistingFileIsReplacedOnlyWithOverwrite() throws {
        let scratch = try Scratch()
        let precious = Data("precious".utf8)
        try scratch.save(precious, "x.wav")
        try FileManager.default.createSymbolicLink(atPath: scratch.path("link.wav"), withDestinationPath: "x.wav")
        for name in ["x.wav", "link.wav"] {
            let refused = try Tool.run(["encode", "ab", "-o", name], in: scratch)
            #expect(refused.status == 73 && refused.output.isEmpty)
            #expect(refused.error.contains("\(name): File exists"), "\(refused.error)")
            #expect(refused.error.contains("--overwrite"), "\(refused.error)")
            #expect(try scratch.data("x.wav") == precious)
        }
        #expect(try Tool.run(["encode", "ab", "-o", "x.wav", "--overwrite"], in: scratch).status == 0)
        #expect(try scratch.samples("x.wav").count > 10_000)
        // A device is not a file that must be kept.
        #expect(try Tool.run(["encode", "ab", "-o", "/dev/null"], in: scratch).status == 0)
        #expect(scratch.names == ["link.wav", "x.wav"])
    }
}
