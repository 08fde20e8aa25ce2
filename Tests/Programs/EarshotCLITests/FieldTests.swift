import EarshotAudio
import EarshotChannel
import Foundation
import TestSupport
import Testing

/// `earshot field`, as a user types it, with a file instead of the air.
@Suite(.optimized) struct FieldTests {
    private static let schedule = ["--tokens", "1", "--steps", "2"]

    /// The folder with the schedule, schedule.wav.
    private func played() throws -> Scratch {
        let scratch = try Scratch()
        let result = try Tool.run(["field", "play", "-o", "schedule.wav"] + Self.schedule, in: scratch)
        #expect(result.status == 0)
        #expect(
            result.error.hasPrefix("wrote schedule.wav: 6 tokens in ") && result.error.contains("from -12 dBFS down"))
        return scratch
    }

    private func read(
        _ file: String, _ arguments: [String] = [], in scratch: Scratch
    ) throws -> Tool.Result {
        try Tool.run(
            ["field", "read", file, "--distance", "3", "-o", "results"] + Self.schedule + arguments, in: scratch)
    }

    private func object(_ text: some DataProtocol) throws -> [String: Any] {
        try #require(try JSONSerialization.jsonObject(with: Data(text)) as? [String: Any])
    }

    @Test func aRecordingOfTheScheduleFillsTheFolder() throws {
        let scratch = try played()
        let result = try read(
            "schedule.wav", ["--player", "a | phone", "--recorder", "a laptop", "--note", "an office"], in: scratch)
        #expect(result.status == 0, "\(result.error)")
        #expect(result.error == "wrote results; attach the folder to an issue\n")
        #expect(result.output.contains("decoded"))
        // The user's text must not break the table.
        #expect(result.output.contains("| 3 m | a / phone | a laptop | an office | −12 dBFS, of 1 | 1 1 | 1 1 | 1 1 |"))
        let json = try object(scratch.data("results/field.json"))
        #expect(json["distance_m"] as? Double == 3 && json["player"] as? String == "a | phone")
        let levels = try #require(json["levels"] as? [[String: Any]])
        #expect(levels.count == 6 && levels.allSatisfy { $0["decoded"] as? Int == 1 })
        #expect(levels.compactMap { $0["level_dbfs"] as? Double } == [-12, -12, -12, -18, -18, -18])
        #expect(abs(try #require(json["clock_ppm"] as? Double)) < 0.1)
        // The file has no echo.
        #expect(json["rt60_s"] is NSNull && json["wrong"] as? Int == 0)
        // The sound is received as it was sent.
        #expect(abs(try #require(json["response_db"] as? Double)) < 0.1)
        for picture in ["decoded", "response"] {
            let svg = String(decoding: try scratch.data("results/\(picture).svg"), as: UTF8.self)
            #expect(svg.hasPrefix("<svg") || svg.hasPrefix("<?xml"), "\(picture)")
            #expect(svg.contains("3 m"))
        }
    }

    /// The recorder ended too early: what it does not have does not count as lost.
    @Test func anIncompleteRecordingIsNamed() throws {
        let scratch = try played()
        let sent = try scratch.data("schedule.wav")
        try scratch.save(sent.prefix(sent.count / 2), "schedule.wav")
        let result = try read("schedule.wav", ["--json"], in: scratch)
        #expect(result.status == 0 && result.lines.count == 1, "\(result)")
        let json = try object(Data(result.output.utf8))
        #expect(json["problems"] as? [String] == ["incomplete"])
        let levels = try #require(json["levels"] as? [[String: Any]])
        let counts = levels.compactMap { $0["sent"] as? Int }
        #expect(counts.count == 6 && counts.contains(0) && counts.contains(1))
        try FileManager.default.removeItem(atPath: scratch.path("results"))
        let text = try read("schedule.wav", in: scratch)
        let note =
            "note: the recording has \(counts.reduce(0, +)) of the 6 tokens. Start the recorder before the player"
        #expect(text.output.contains(note), "\(text)")
        #expect(
            text.output.contains("dBFS, of 1 |") && text.lines.contains { $0.hasPrefix("| 3 m") && $0.contains("–") })
    }

    /// 55 ms are missing in the middle: that is no clock.
    @Test func aHoleIsNoClock() throws {
        let scratch = try played()
        let sent = try scratch.samples("schedule.wav")
        var writer = try WAVWriter(
            path: scratch.path("schedule.wav"), sampleRateHertz: 48_000, channelCount: 1, format: .s16)
        try writer.write(Array(sent[..<(sent.count / 2)] + sent[(sent.count / 2 + 2_640)...]))
        try writer.finish()
        let result = try read("schedule.wav", in: scratch)
        #expect(result.output.contains("clock     not measured"), "\(result)")
        #expect(result.output.contains("note: samples were lost or inserted between the sweeps"), "\(result)")
        let json = try object(scratch.data("results/field.json"))
        #expect(json["clock_ppm"] is NSNull && json["problems"] as? [String] == ["hole"])
    }

    @Test func aRecordingAt44100HertzIsConverted() throws {
        let scratch = try played()
        let sent = try scratch.samples("schedule.wav")
        var sound = Warped(StoredSound(sent), .conversion(from: 48_000, to: 44_100))
        var writer = try WAVWriter(
            path: scratch.path("recording.wav"), sampleRateHertz: 44_100, channelCount: 2, format: .s16)
        // The second channel has the sound.
        try writer.write(sound.readAll().flatMap { [0, $0] })
        try writer.finish()
        let silent = try read("recording.wav", ["--json"], in: scratch)
        #expect(silent.status == 65 && silent.error.contains("no sweep of the schedule is in the recording"))
        let result = try read("recording.wav", ["--channel", "1", "--json"], in: scratch)
        #expect(result.status == 0, "\(result.error)")
        let json = try object(result.outputBytes)
        #expect(json["recording_hz"] as? Int == 44_100)
        let decoded = try #require(json["levels"] as? [[String: Any]]).compactMap { $0["decoded"] as? Int }
        #expect(decoded.reduce(0, +) == 6)
        #expect(abs(try #require(json["clock_ppm"] as? Double)) < 1)
        let absent = try read("recording.wav", ["--channel", "2", "--overwrite"], in: scratch)
        #expect(absent.status == 64 && absent.error.contains("has no channel 2"))
    }

    @Test func anotherScheduleIsRefused() throws {
        let scratch = try played()
        let result = try read("schedule.wav", ["--seed", "2"], in: scratch)
        #expect(
            result.status == 65 && result.error.contains("it has tokens, but none of this schedule. Give the --seed"),
            "\(result.error)")
        #expect(!FileManager.default.fileExists(atPath: scratch.url.appendingPathComponent("results").path))
    }

    @Test func nothingIsReplacedUnasked() throws {
        let scratch = try played()
        let again = try Tool.run(["field", "play", "-o", "schedule.wav"] + Self.schedule, in: scratch)
        #expect(again.status == 73 && again.error.contains("schedule.wav"))
        try FileManager.default.createDirectory(
            at: scratch.url.appendingPathComponent("results"), withIntermediateDirectories: false)
        let refused = try read("schedule.wav", in: scratch)
        #expect(refused.status == 73)
        #expect(
            refused.error == "Error: results exists; name another folder, or add --overwrite to replace its files.\n")
        #expect(try read("schedule.wav", ["--overwrite"], in: scratch).status == 0)
    }

    @Test func optionsAreChecked() throws {
        let scratch = try Scratch()
        for (arguments, reason) in [
            (["play", "-o", "x.mp3"], "name a .wav file"),
            (["play", "-o", "x.wav", "--device", "null"], "leave one out"),
            (["play", "--steps", "11"], "1 to 10 levels"), (["play", "--tokens", "0"], "1 to 100 tokens"),
            (["play", "--overwrite"], "--overwrite without --output"),
            (["read", "x.wav", "--distance", "-1", "-o", "r"], "0 to 1000 metres"),
            (["read", "x.wav", "--distance", "1", "-o", "-"], "name a folder"),
            (["read", "x.wav", "-o", "r"], "--distance"),
        ] {
            let result = try Tool.run(["field"] + arguments, in: scratch)
            #expect(result.status == 64 && result.error.contains(reason), "\(arguments): \(result.error)")
        }
        let missing = try read("absent.wav", in: scratch)
        #expect(missing.status == 66 && missing.error.contains("absent.wav"))
    }
}
