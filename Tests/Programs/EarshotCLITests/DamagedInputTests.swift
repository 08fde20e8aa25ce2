import EarshotAudio
import Foundation
import TestSupport
import Testing

@Suite(.optimized) struct DamagedInputTests {
    @Test func fileThatIsNotSoundIsRejected() throws {
        let scratch = try Scratch()
        try scratch.save(Data(), "empty.wav")
        try scratch.save(Data("Dear diary, today".utf8), "text.wav")
        try FileManager.default.createSymbolicLink(atPath: scratch.path("loop"), withDestinationPath: "loop")
        for (name, status, words) in [
            ("empty.wav", Int32(65), ["empty.wav", "empty"]),
            ("text.wav", 65, ["text.wav", "not a sound file", "WAV"]),
            ("missing.wav", 66, ["missing.wav", "No such file"]),
            ("loop", 66, ["loop", "links lead back to each other"]), ("", 66, ["\"\"", "the file name is empty"]),
        ] {
            for command in [["decode"], ["inspect", "-o", "x.svg"]] {
                let result = try Tool.run(command + [name], in: scratch)
                #expect(result.status == status)
                #expect(result.output.isEmpty)
                #expect(result.error.hasPrefix("Error: "))
                for word in words { #expect(result.error.contains(word)) }
            }
        }
        let folder = try Tool.run(["inspect", "-o", "x.svg", "."], in: scratch)
        #expect(folder.status == 66 && folder.error.contains("directory"), "\(folder.error)")
        #expect(scratch.names == ["empty.wav", "loop", "text.wav"])
    }

    @Test func anEmptyLineIsNoSound() throws {
        let result = try Tool.run(["decode", "-"], input: Data("\n".utf8), in: Scratch())
        #expect(result.status == 65)
        #expect(
            result.error.hasPrefix(
                "Error: Cannot open standard input: it is not a sound file: it begins with the bytes 0a. "),
            "\(result.error)")
    }

    /// A file's name comes from strangers, and must not act on the terminal.
    @Test func namesInErrorsDoNotActOnTheTerminal() throws {
        let result = try Tool.run(["decode", "a\u{1B}[31m.wav"], in: Scratch())
        #expect(result.status == 66)
        #expect(result.error.contains("a\\u{1b}[31m.wav"), "\(result.error)")
    }

    @Test func telephoneRateIsRejected() throws {
        let scratch = try Scratch()
        try scratch.write(Sound.silence(1, rate: 8_000), "phone.wav", rate: 8_000)
        for command in [["decode"], ["inspect", "-o", "x.svg"]] {
            let result = try Tool.run(command + ["phone.wav"], in: scratch)
            #expect(result.status == 65)
            for word in ["phone.wav", "8000 Hz", "20 kHz", "44100"] { #expect(result.error.contains(word)) }
        }
        #expect(scratch.names == ["phone.wav"])
    }

    @Test func truncatedFileGivesItsTokensAndAnError() throws {
        let scratch = try Scratch()
        try scratch.write(try Sound.frame("0123456789abcdef") + Sound.silence(1), "whole.wav")
        try scratch.save(try scratch.data("whole.wav").dropLast(40_001), "cut.wav")
        let result = try Tool.run(["decode", "cut.wav"], in: scratch)
        #expect(result.status == 65)
        #expect(result.output.contains("0123456789abcdef"))
        #expect(result.error.contains("cut.wav") && result.error.contains("ends before"))
    }

    @Test func samplesThatAreNotNumbersDoNoHarm() throws {
        let scratch = try Scratch()
        var samples = try Sound.silence(1) + Sound.frame("0123456789abcdef") + Sound.silence(0.5)
        for index in 0..<20_000 { samples[index] = [.nan, .infinity, -.infinity, 3e38][index % 4] }
        try scratch.write(samples, "wild.wav", format: .f32)
        let result = try Tool.run(["decode", "--json", "wild.wav"], in: scratch)
        #expect(result.status == 0)
        #expect(result.output.contains("0123456789abcdef"))
        let object = try JSONSerialization.jsonObject(with: Data(try #require(result.lines.first).utf8))
        #expect(object is [String: Any])
        #expect(try Tool.run(["inspect", "wild.wav", "-o", "wild.svg"], in: scratch).status == 0)
    }

    @Test func zerosAndSquareWavesHoldNoToken() throws {
        let scratch = try Scratch()
        try scratch.write(Sound.silence(3), "zeros.wav")
        let square = (0..<144_000).map { Float(($0 / 5).isMultiple(of: 2) ? 1 : -1) }
        try scratch.write(square, "square.wav")
        for name in ["zeros.wav", "square.wav"] {
            let result = try Tool.run(["decode", name], in: scratch)
            #expect(result.status == 1)
            #expect(result.output.isEmpty)
            #expect(try Tool.run(["inspect", name, "-o", "x.svg"], in: scratch).status == 0)
        }
    }
}
