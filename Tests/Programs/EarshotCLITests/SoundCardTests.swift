import Foundation
import TestSupport
import Testing

/// The command line with almost real air: ALSA plays into a sound server, the server mixes in other sound, and ALSA
/// records in real time. If a program that they need is missing, the tests fail, because a test that skips itself would
/// be skipped for ever.
@Suite(
    .apart,
    .disabled(
        if: ProcessInfo.processInfo.environment["EARSHOT_SKIP_SOUND_CARD"] == "1", "EARSHOT_SKIP_SOUND_CARD=1 is set"))
struct SoundCardTests {
    @Test(arguments: ["fast", "standard", "far"], SoundCardNoise.allCases)
    func everyTokenIsHeardOnce(profile: String, noise: SoundCardNoise) async throws {
        try await expectTokens(profile, noise: noise, recordedAt: 48_000)
    }

    @Test(arguments: ["fast", "standard", "far"])
    func at44100HertzToo(profile: String) async throws {
        try await expectTokens(profile, noise: .speech, recordedAt: 44_100)
    }

    @Test(arguments: SoundCardNoise.allCases)
    func otherSoundHoldsNoToken(noise: SoundCardNoise) async throws {
        let result = try await onSoundCard { try Self.decodeRecording(of: nil, noise: noise, rate: 48_000) }
        #expect(result.output.isEmpty)
        #expect(result.status == 1)
    }

    /// Expects one token once and another one twice, a third of a second apart, while speech or music plays.
    func expectTokens(_ profile: String, noise: SoundCardNoise, recordedAt rate: Int) async throws {
        let result = try await onSoundCard { try Self.decodeRecording(of: profile, noise: noise, rate: rate) }
        let found = try result.lines.map { try JSONDecoder().decode(Line.self, from: Data($0.utf8)) }
        #expect(found.map(\.token) == ["0123456789abcdef", "fedcba9876543210", "fedcba9876543210"])
        #expect(found.allSatisfy { $0.profile == profile })
        #expect(result.status == 0)
        #expect(result.error.isEmpty)
        if found.count == 3 {
            // No sample is lost on the way. A frame of eight bytes has 52 symbols, and the receiver may misplace the
            // start by half a symbol.
            let symbol = (found[1].end_s - found[1].start_s) / 52
            #expect(abs(found[2].start_s - found[1].end_s - 0.333) < 0.75 * symbol)
        }
    }

    private struct Line: Decodable {
        let token: String
        let profile: String
        let start_s: Double
        let end_s: Double
    }

    /// Records tokens of a profile, or no token for some seconds, while other sound plays, and decodes the recording.
    private static func decodeRecording(of profile: String?, noise: SoundCardNoise, rate: Int) throws -> Tool.Result {
        let scratch = try Scratch()
        let card = try SoundCard(in: scratch)
        // At this level, other sound of the same loudness fits beside the frames without clipping.
        let level = -15.0
        try noise.write("noise.wav", amplitude: Float(pow(10, level / 20)), using: card, in: scratch)
        if let profile {
            let encode = ["encode", "--profile", profile, "--level", "\(level)"]
            let once = ["0123456789abcdef", "-o", "once.wav"]
            let twice = ["fedcba9876543210", "--repeat", "2", "--gap", "0.333", "-o", "twice.wav"]
            for payload in [once, twice] { try card.run(Tool.url.path, encode + payload).finish(within: 0) }
        }

        let recording = try card.record("recording.wav", rate: rate)
        try recording.grow(by: 0.1)
        let others = try card.play(["noise.wav"])
        try recording.grow(by: 0.3)
        if profile == nil {
            try recording.grow(by: 6)
        } else {
            try card.play(["once.wav", "twice.wav"]).finish(within: 60)
            // The recording must include the last symbol, which the buffers on the way still hold.
            try recording.grow(by: 1)
        }
        guard others.isRunning else {
            throw SoundCard.Trouble(description: "The other sound ended too early. \(others.account)")
        }
        try recording.stop()

        let decoder = try card.run(Tool.url.path, ["decode", "--json", "--quiet", "recording.wav"])
        return Tool.Result(
            status: decoder.status ?? 0, outputBytes: Data(decoder.output.utf8), error: decoder.error)
    }
}
