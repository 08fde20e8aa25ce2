import Foundation
import TestSupport
import Testing

/// `earshot field` through a real sound server in real time: one process plays, another one records.
@Suite(
    .apart,
    .disabled(
        if: ProcessInfo.processInfo.environment["EARSHOT_SKIP_SOUND_CARD"] == "1", "EARSHOT_SKIP_SOUND_CARD=1 is set"))
struct FieldSoundCardTests {
    private static let schedule = ["--tokens", "1", "--steps", "2"]

    @Test func whatOneDevicePlaysTheOtherReads() async throws {
        let session = try await onSoundCard {
            let session = try LiveSession()
            try session.listen(["--record", "field.wav"])
            let player = try session.card.start(
                Tool.url.path, ["field", "play", "--device", session.card.playbackPCM] + Self.schedule)
            // Half a minute of sound, and a margin for a busy machine.
            try player.finish(within: 90)
            #expect(player.error.contains("played: 6 tokens in "), "\(player.account)")
            // The last token is still on its way.
            guard session.listener.waitForOutput(within: 15, { $0.split(separator: "\n").count >= 6 }) else {
                throw SoundCard.Loss(
                    description: "\(session.heard.count) of 6 tokens heard. \(session.listener.account)")
            }
            session.listener.interrupt()
            guard session.listener.waitForEnd(within: 20) else {
                throw SoundCard.Trouble(description: "the listener did not end. \(session.listener.account)")
            }
            return session
        }
        let result = try Tool.run(
            ["field", "read", "field.wav", "--distance", "0", "-o", "results", "--json"] + Self.schedule,
            in: session.scratch)
        #expect(result.status == 0, "\(result.error)")
        let json = try #require(try JSONSerialization.jsonObject(with: result.outputBytes) as? [String: Any])
        let decoded = try #require(json["levels"] as? [[String: Any]]).compactMap { $0["decoded"] as? Int }
        #expect(decoded == [1, 1, 1, 1, 1, 1] && json["wrong"] as? Int == 0, "\(result.output)")
        // Both ends use the server's clock, and the server adds no echo. A machine that is too busy leaves a hole in the sound.
        if json["problems"] as? [String] == ["hole"] {
            #expect(json["clock_ppm"] is NSNull, "\(result.output)")
        } else {
            #expect(abs(try #require(json["clock_ppm"] as? Double)) < 5, "\(result.output)")
        }
        #expect(json["rt60_s"] is NSNull)
    }
}
