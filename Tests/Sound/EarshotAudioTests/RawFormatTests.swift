import Testing

@testable import EarshotAudio

@Suite struct RawFormatTests {
    @Test func readsEncodingRateAndChannels() throws {
        #expect(try RawFormat(parsing: "s16le:48000") == RawFormat(.s16le, sampleRateHertz: 48_000))
        #expect(
            try RawFormat(parsing: "S24LE:44100:2") == RawFormat(.s24le, sampleRateHertz: 44_100, channelCount: 2))
        #expect(try RawFormat(parsing: "f32be:1536000:64").channelCount == 64)
    }

    @Test(arguments: SampleEncoding.allCases)
    func descriptionParses(encoding: SampleEncoding) throws {
        for channels in [1, 2] {
            let format = RawFormat(encoding, sampleRateHertz: 96_000, channelCount: channels)
            #expect(try RawFormat(parsing: format.description) == format)
        }
    }

    @Test(
        arguments: [
            ("", "1 of 2 or 3 fields"), ("s16le", "1 of 2 or 3 fields"), ("s16le:48000:1:1", "4 of 2 or 3 fields"),
            ("s17le:48000", "\"s17le\" is none of the encodings u8, s8, s16le"), (":48000", "\"\" is none"),
            ("s16le:", "\"\" is not a sample rate"), ("s16le:0", "from 1 to 1536000"),
            ("s16le:1536001", "\"1536001\" is not a sample rate"), ("s16le:-48000", "not a sample rate"),
            ("s16le:48k", "\"48k\" is not a sample rate"), ("s16le:48000:0", "\"0\" is not a channel count"),
            ("s16le:48000:65", "not a channel count from 1 to 64"),
            ("s16le:99999999999999999999", "is not a sample rate"),
        ])
    func errorListsValidValues(text: String, detail: String) throws {
        let error = failure { () throws(AudioError) in _ = try RawFormat(parsing: text) }
        #expect(error?.kind == .badRawFormat)
        #expect(error?.description.contains(detail) == true, "\(error?.description ?? "accepted")")
        #expect(error?.advice.contains("s16le:48000") == true)
    }

    /// The bytes of one known sample in each encoding. µ-law and A-law: G.711 tables 2a and 1a, expanded to 16 bits.
    @Test(
        arguments: [
            (.u8, [0xC0], 0.5), (.s8, [0x40], 0.5), (.s16le, [0x00, 0x40], 0.5), (.s16be, [0x40, 0x00], 0.5),
            (.s24le, [0x00, 0x00, 0xC0], -0.5), (.s24be, [0xC0, 0x00, 0x00], -0.5),
            (.s32le, [0, 0, 0, 0x80], -1), (.s32be, [0x80, 0, 0, 0], -1),
            (.f32le, [0, 0, 0x80, 0x3F], 1), (.f32be, [0x40, 0, 0, 0], 2),
            (.f64le, [0, 0, 0, 0, 0, 0, 0xF0, 0x3F], 1), (.f64be, [0xC0, 0, 0, 0, 0, 0, 0, 0], -2),
            (.ulaw, [0x80], 32124 / 32768), (.alaw, [0xAA], 32256 / 32768),
        ] as [(SampleEncoding, [UInt8], Float)])
    func everyEncodingDecodes(encoding: SampleEncoding, bytes: [UInt8], value: Float) throws {
        let scratch = Scratch()
        // A frame and a half: the half does not count.
        let path = scratch.file("x.raw", containing: bytes + bytes + bytes)
        let samples = try readAll(path, raw: RawFormat(encoding, sampleRateHertz: 8000, channelCount: 2))
        #expect(samples == [value, value])
    }
}
