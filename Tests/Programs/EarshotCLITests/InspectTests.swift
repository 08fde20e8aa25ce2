import EarshotModem
import Foundation
import TestSupport
import Testing

@Suite(.optimized) struct InspectTests {
    @Test func thePictureShowsTheFrames() throws {
        let scratch = try Scratch()
        let name = "a <b> & 'c' \"d\".wav"
        try scratch.write(
            Sound.silence(0.5) + Sound.frame("0123456789abcdef") + Sound.frame("3c263e", .fast) + Sound.silence(0.4),
            name)
        let result = try Tool.run(["inspect", name, "-o", "x.svg"], in: scratch)
        #expect(result.status == 0)
        #expect(result.error.hasSuffix("2 frames\n"))
        let picture = try SVGContent(try scratch.data("x.svg"))
        for word in ["0123456789abcdef", "3c263e", "\"<&>\"", "standard", "fast", name, "48,000 Hz", "path metric"] {
            #expect(picture.text.contains(word), "\(word)")
        }
        // Each tone of a frame is in the picture once: 44 data tones of the token, 24 of the other frame.
        let dataMarks = picture.paths.filter { $0["stroke"] == "#ffffff" && $0["opacity"] == "0.9" }
        #expect(dataMarks.map { $0["d"]?.count { $0 == "M" } } == [44, 24])
        #expect(!picture.elements.contains { $0.name == "image" })
    }

    /// If two devices send at once, the colours show which tones belong to which frame.
    @Test func framesThatOverlapHaveAColourEach() throws {
        let scratch = try Scratch()
        let (first, second) = (try Sound.frame("0123456789abcdef"), try Sound.frame("fedcba9876543210"))
        let delay = 20_000
        var both = first + [Float](repeating: 0, count: delay)
        for index in second.indices { both[delay + index] = (both[delay + index] + second[index]) / 2 }
        try scratch.write(both + Sound.silence(0.3) + Sound.frame("cafe", .fast), "x.wav")
        let result = try Tool.run(["inspect", "x.wav", "-o", "x.svg"], in: scratch)
        #expect(result.status == 0 && result.error.hasSuffix("3 frames\n"), "\(result.error)")
        let picture = try SVGContent(scratch.data("x.svg"))
        let data = picture.paths.filter { $0["opacity"] == "0.9" }.map { $0["stroke"] }
        #expect(data.count == 3 && Set(data.prefix(2)).count == 2, "\(data)")
        let chips = picture.elements.filter { $0.name == "rect" && $0.attributes["rx"] == "4" }
        let labels = Set(chips.compactMap { $0.attributes["stroke"] })
        #expect(labels.count == 3 && labels.isSuperset(of: data.prefix(2).compactMap(\.self)), "\(labels)")
        #expect(picture.text.contains("each overlapping frame in its own colour"))
        #expect(picture.text.contains("fast frame") && !picture.text.contains("standard frame"))
    }

    @Test func theLightPictureHasAWhiteGround() throws {
        let scratch = try Scratch()
        try scratch.write(Sound.frame("cafe", .fast), "x.wav")
        for theme in ["dark", "light"] {
            let arguments = ["inspect", "x.wav", "-o", "\(theme).svg", "--theme", theme]
            #expect(try Tool.run(arguments, in: scratch).status == 0)
        }
        let dark = try SVGContent(try scratch.data("dark.svg"))
        let light = try SVGContent(try scratch.data("light.svg"))
        #expect(dark.text == light.text && dark.elements.count == light.elements.count)
        let ground = try #require(light.elements.first { $0.name == "rect" }?.attributes["fill"])
        #expect(ground.hasPrefix("#f"), "\(ground)")
        let other = try Tool.run(["inspect", "x.wav", "-o", "y.svg", "--theme", "grey"], in: scratch)
        #expect(other.status == 64 && other.error.contains("grey") && other.error.contains("light"))
        let nothing = try Tool.run(["simulate", "--theme", "light"], in: scratch)
        #expect(nothing.status == 64 && nothing.error.contains("--theme light without --plot: no picture is drawn"))
    }

    @Test func quietPrintsNothing() throws {
        let scratch = try Scratch()
        try scratch.write(try Sound.frame("cafe", .fast), "x.wav")
        try scratch.save(try scratch.data("x.wav").dropLast(2_001), "cut.wav")
        for name in ["x.wav", "cut.wav"] {
            let result = try Tool.run(["inspect", name, "-o", "x.svg", "-q"], in: scratch)
            #expect(result.status == 0)
            #expect(result.output.isEmpty && result.error.isEmpty, "\(result.error)")
        }
        #expect(try SVGContent(scratch.data("x.svg")).text.contains("cafe"))
    }

    @Test func noiseStaysSmall() throws {
        let scratch = try Scratch()
        var state: UInt64 = 7
        let noise = (0..<48_000 * 12).map { _ in
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Float(Int32(truncatingIfNeeded: state >> 32)) * 0x1p-33
        }
        try scratch.write(Array(noise[..<144_000]), "short.wav")
        try scratch.write(noise, "long.wav")
        for name in ["short.wav", "long.wav"] {
            let result = try Tool.run(["inspect", name, "-o", "-"], in: scratch)
            #expect(result.status == 0)
            #expect(result.outputBytes.count < 400_000)
            #expect(try SVGContent(result.outputBytes).text.contains("no frame found"))
        }
    }

    @Test func aPartAndAChannelCanBeChosen() throws {
        let scratch = try Scratch()
        let second = try Sound.silence(3) + Sound.frame("0123456789abcdef") + Sound.silence(1)
        try scratch.write(Sound.interleaved([1: second], channelCount: 2), "x.wav", channels: 2)
        let there = try Tool.run(
            ["inspect", "x.wav", "--channel", "1", "--start", "3.5", "--seconds", "0.2", "-o", "-"], in: scratch)
        #expect(try SVGContent(there.outputBytes).text.contains("0123456789abcdef"))
        for elsewhere in [["--channel", "1", "--seconds", "2.9"], ["--channel", "0"]] {
            let result = try Tool.run(["inspect", "x.wav", "-o", "-"] + elsewhere, in: scratch)
            #expect(try !SVGContent(result.outputBytes).text.contains("0123456789abcdef"))
        }
    }

    @Test func mistakesAreExplained() throws {
        let scratch = try Scratch()
        try scratch.write(Sound.silence(1), "x.wav")
        let old = Data("old".utf8)
        try scratch.save(old, "x.svg")
        for (arguments, status, word) in [
            (["--channel", "1", "-o", "x.svg"], Int32(64), "only channel 0"),
            (["--start", "2", "-o", "x.svg"], 64, "it lasts 1.000 s"),
            (["--seconds", "0", "-o", "x.svg"], 64, "--seconds"),
            (["-o", "nowhere/x.svg"], 73, "Create the directory"),
            (["-o", "x.png"], 64, "inkscape FILE.svg -o FILE.png"),
            (["-o", "x.WAV"], 64, "--output x.WAV: a picture would replace the sound. Name it .svg."),
            (["-o", "x.flac"], 64, "--output x.flac: a picture would replace the sound. Name it .svg."),
            (["-o", "."], 73, "directory"), (["-o", "/dev/full"], 74, "No space"), ([], 64, "--output"),
        ] {
            let result = try Tool.run(["inspect", "x.wav"] + arguments, in: scratch)
            #expect(result.status == status)
            #expect(result.error.contains(word))
        }
        #expect(scratch.names == ["x.svg", "x.wav"])
        #expect(try scratch.data("x.svg") == old)
    }

    @Test func standardInputIsTheDefault() throws {
        let scratch = try Scratch()
        try scratch.write(try Sound.frame("cafe", .fast), "x.wav")
        let result = try Tool.run(["inspect", "-o", "-"], input: scratch.data("x.wav"), in: scratch)
        #expect(result.status == 0, "\(result.error)")
        #expect(try SVGContent(result.outputBytes).text.contains("cafe"))
        let nothing = try Tool.run(["inspect", "-o", "-"], in: scratch)
        #expect(nothing.status == 64 && nothing.error.contains("Nothing to inspect"), "\(nothing.error)")
    }
}
