import Testing

@testable import EarshotAudio

@Suite struct RoundTripTests {
    static let rates = [44_100, 48_000, 88_200, 96_000, 192_000]

    @Test(arguments: SampleFormat.allCases, rates)
    func samplesComeBack(format: SampleFormat, rate: Int) throws {
        // Half a step of rounding: 2^-16 for 16 bits, 2^-24 for 24; floats come back exactly. The peak of 0.999
        // stays a step below full scale, where clamping would cost a whole step.
        let tolerance: Float =
            switch format {
            case .s16: 0x1p-16
            case .s24: 0x1p-24
            case .f32: 0
            }
        for channels in [1, 2] {
            let scratch = Scratch()
            let path = scratch.file("x.wav")
            // More than the blocks of reader and writer, and not a multiple of either.
            let sent = noise(channels * 20_011, seed: UInt64(rate + channels), peak: 0.999)
            try writeWAV(sent, to: path, rate: rate, channels: channels, format: format)

            var reader = try SoundFileReader(path: path)
            #expect(reader.sampleRateHertz == rate)
            #expect(reader.channelCount == channels)
            #expect(reader.frameCount == 20_011)
            let received = try readAll(&reader)
            try #require(received.count == sent.count)
            let worst = zip(sent, received).map { abs($0 - $1) }.max() ?? .infinity
            #expect(worst <= tolerance, "\(format) at \(rate) Hz, \(channels) channels")
            #expect(reader.isTruncated == false)
        }
    }

    @Test func formatNamesDescribeTheFile() throws {
        let scratch = Scratch()
        let names: [SampleFormat: String] = [
            .s16: "WAV, signed 16 bit", .s24: "WAV, signed 24 bit", .f32: "WAV, float 32 bit",
        ]
        for format in SampleFormat.allCases {
            try writeWAV([0], to: scratch.file("x.wav"), format: format)
            let name = try SoundFileReader(path: scratch.file("x.wav")).formatName
            #expect(name == names[format])
        }
    }

    @Test(arguments: SampleFormat.allCases)
    func sameSamplesGiveSameBytes(format: SampleFormat) throws {
        let samples = noise(3000, seed: 5)
        let whole = try wavBytes(samples, format: format)
        // libsndfile's PEAK chunk holds the time of day and must be absent.
        #expect(!String(decoding: whole.prefix(100), as: UTF8.self).contains("PEAK"))

        let scratch = Scratch()
        var writer = try WAVWriter(
            path: scratch.file("x.wav"), sampleRateHertz: 48_000, channelCount: 1, format: format)
        for start in stride(from: 0, to: samples.count, by: 7) {
            try writer.write(Array(samples[start..<min(start + 7, samples.count)]))
        }
        try writer.finish()
        #expect(load(scratch.file("x.wav")) == whole)
    }

    @Test func sixteenBitHeaderIsCanonical() throws {
        let bytes = try wavBytes([0.5, -0.5], rate: 44_100, channels: 2)
        #expect(
            bytes == Array("RIFF".utf8) + [40, 0, 0, 0] + Array("WAVEfmt ".utf8) + [16, 0, 0, 0, 1, 0, 2, 0]
                + [0x44, 0xAC, 0, 0, 0x10, 0xB1, 2, 0, 4, 0, 16, 0] + Array("data".utf8) + [4, 0, 0, 0]
                + [0x00, 0x40, 0x00, 0xC0])
    }

    @Test func anyBlockSizeGivesTheSameSamples() throws {
        let scratch = Scratch()
        for (format, channels) in [(SampleFormat.s16, 1), (.s16, 3), (.s24, 2), (.f32, 5)] {
            let path = scratch.file("x.wav")
            try writeWAV(noise(channels * 9001, seed: 3), to: path, channels: channels, format: format)
            let whole = try readAll(path)
            #expect(whole.count == channels * 9001)
            for maxFrames in [1, 7, 1024, 20_000] {
                var reader = try SoundFileReader(path: path)
                let received = try readAll(&reader, maxFrames: maxFrames)
                #expect(received == whole, "\(format), \(channels) channels in blocks of \(maxFrames)")
            }
        }
    }

    @Test func floatsPassUnchanged() throws {
        let scratch = Scratch()
        let sent: [Float] = [.nan, .infinity, -.infinity, 3, -1e30, .leastNonzeroMagnitude, -0.0, 1]
        try writeWAV(sent, to: scratch.file("x.wav"), format: .f32)
        let received = try readAll(scratch.file("x.wav"))
        #expect(received.map(\.bitPattern) == sent.map(\.bitPattern))
    }

    @Test func integersAreClampedToFullScale() throws {
        let scratch = Scratch()
        for (format, step) in [(SampleFormat.s16, Float(0x1p-15)), (.s24, 0x1p-23)] {
            try writeWAV([2, -2, .nan, .infinity, -.infinity], to: scratch.file("x.wav"), format: format)
            let received = try readAll(scratch.file("x.wav"))
            #expect(received == [1 - step, -1, 0, 1 - step, -1])
        }
    }

    @Test func readingLeavesTheRestOfTheBufferAlone() throws {
        let scratch = Scratch()
        try writeWAV([0.5, 0.25], to: scratch.file("x.wav"))
        var reader = try SoundFileReader(path: scratch.file("x.wav"))
        var buffer = [Float](repeating: 9, count: 6)
        let frames = try reader.read(into: &buffer, maxFrames: 4)
        #expect(frames == 2)
        #expect(buffer == [0.5, 0.25, 9, 9, 9, 9])
        let more = try reader.read(into: &buffer, maxFrames: 4)
        #expect(more == 0)
    }
}
