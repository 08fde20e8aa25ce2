import EarshotAudio
import EarshotBasics
import EarshotCoding
import EarshotModem
import Foundation
import TestSupport
import Testing

@Suite(.optimized) struct RoundTripTests {
    static let formats = ["s16", "s24", "f32"]

    @Test(arguments: ["fast", "standard", "far"], [44_100, 48_000, 88_200, 96_000, 192_000])
    func everyProfileAndRate(profile: String, rate: Int) throws {
        let scratch = try Scratch()
        for format in Self.formats {
            let encoded = try Tool.run(
                [
                    "encode", "0123456789abcdef", "--profile", profile, "--rate", "\(rate)", "--format", format, "-o",
                    "x.wav", "--overwrite",
                ], in: scratch)
            #expect(encoded.status == 0)
            let decoded = try Tool.run(["decode", "x.wav"], in: scratch)
            #expect(decoded.status == 0)
            #expect(decoded.lines.count == 1)
            #expect(decoded.output.contains("0123456789abcdef  \(profile)  SNR "))
            #expect(decoded.output.hasPrefix("0.1") && decoded.output.hasSuffix("ch 0\n"))
        }
    }

    @Test func everyPayloadLength() throws {
        let scratch = try Scratch()
        for count in [1, 2, 7, 8, 9, 31, 32] {
            let hex = (0..<count).map { String(format: "%02x", ($0 * 37 + 200) % 256) }.joined()
            _ = try Tool.run(["encode", hex, "-o", "x.wav", "--overwrite"], in: scratch)
            let decoded = try Tool.run(["decode", "x.wav"], in: scratch)
            #expect(decoded.lines.count == 1)
            #expect(decoded.output.contains("  \(hex)  standard"))
        }
    }

    @Test func repeatsComeBackAtTheirTimes() throws {
        let scratch = try Scratch()
        _ = try Tool.run(["encode", "0123456789abcdef", "--repeat", "4", "--gap", "0.5", "-o", "x.wav"], in: scratch)
        let lines = try Tool.run(["decode", "--json", "x.wav"], in: scratch).lines
        let starts = try lines.map { line in
            let object = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
            return try #require(object?["start_s"] as? Double)
        }
        #expect(starts.count == 4)
        // Half a symbol: this checks the printed times, not the receiver's last millisecond.
        for (index, start) in starts.enumerated() {
            #expect(abs(start - (0.1 + (1.664 / 1.5 + 0.5) * Double(index))) < 0.0213 / 2)
        }
    }

    /// A frame starts 52 tones and 4 tones of silence after the previous one; a tone of `fast` has 16 samples at 1,500
    /// Hz.
    @Test func aBurstComesBackFrameByFrame() throws {
        let scratch = try Scratch()
        let encode = ["encode", "0123456789abcdef", "--profile", "fast", "--burst", "3", "--rate", "44100"]
        _ = try Tool.run(encode + ["--repeat", "2", "--gap", "0.3", "-o", "x.wav"], in: scratch)
        let starts = try Tool.run(["decode", "--json", "x.wav"], in: scratch).lines.map { line in
            let object = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
            return try #require(object?["start_s"] as? Double)
        }
        let (tone, frame) = (16 / 1_500.0, 52 * 16 / 1_500.0)
        let (spacing, behind) = (56 * tone, 2 * 56 * tone + frame + 0.3)
        let expected = [0, spacing, 2 * spacing, behind, behind + spacing, behind + 2 * spacing].map { 0.1 + $0 }
        try #require(starts.count == 6)
        for (start, expected) in zip(starts, expected) { #expect(abs(start - expected) < tone / 2) }
    }

    /// A sine's power 0.047²/2 over that of noise ±0.95 in 1,500 of 24,000 Hz, 0.95²/3/16: −12.3 dB. At that SNR a
    /// single frame hardly ever decodes, and four combined frames nearly always.
    @Test func aQuietBurstIsReadTogether() throws {
        let scratch = try Scratch()
        let token = try Payload(hex: "0123456789abcdef")
        let burst = try Transmitter(sampleRateHertz: 48_000).burst(token, frameCount: 4, amplitude: 0.047)
        var random = SeededGenerator(seed: 5)
        var samples = random.samples(48_000 + burst.count + 48_000).map { 0.95 * $0 }
        for (index, sample) in burst.enumerated() { samples[48_000 + index] += sample }
        var writer = try WAVWriter(
            path: scratch.path("x.wav"), sampleRateHertz: 48_000, channelCount: 1, format: .f32)
        try writer.write(samples)
        try writer.finish()
        let alone = try Tool.run(["decode", "x.wav"], in: scratch)
        #expect(alone.status == 1 && alone.output.isEmpty)
        let together = try Tool.run(["decode", "--combine", "4", "x.wav"], in: scratch)
        #expect(together.lines.count == 1)
        #expect(together.output.contains("\(token.hex)  standard  SNR "))
        #expect(together.output.hasSuffix("combined\n"))
        let json = try Tool.run(["decode", "--combine", "4", "--json", "--stats", "x.wav"], in: scratch)
        #expect(json.output.contains("\"combined\":"))
        #expect(json.error.contains("frames 1, of which combined 1,"))
    }

    @Test func encodeAndDecodeWorkThroughPipes() throws {
        let scratch = try Scratch()
        let wav = try Tool.run(["encode", "--text", "Grüße ☀", "-o", "-"], in: scratch).outputBytes
        let decoded = try Tool.run(["decode", "-"], input: wav, in: scratch)
        #expect(decoded.status == 0)
        #expect(decoded.output.contains("\"Grüße ☀\""))
    }

    @Test func headerlessSamples() throws {
        let scratch = try Scratch()
        let one = try Sound.frame("0123456789abcdef") + Sound.silence(0.2)
        let mono = try Tool.run(["decode", "--raw", "s16le:48000", "-"], input: Sound.s16(one), in: scratch)
        #expect(mono.output.contains("0123456789abcdef"))
        #expect(mono.status == 0)
        let two = Sound.interleaved([1: one], channelCount: 2)
        try scratch.save(Sound.s16(two), "two.raw")
        let stereo = try Tool.run(["decode", "--raw", "s16le:48000:2", "two.raw"], in: scratch)
        #expect(stereo.output.contains("0123456789abcdef"))
        #expect(stereo.output.hasSuffix("ch 1\n"))
        // Read as one channel, the same bytes contain no token.
        #expect(try Tool.run(["decode", "--raw", "s16le:48000", "two.raw"], in: scratch).status == 1)
    }
}
