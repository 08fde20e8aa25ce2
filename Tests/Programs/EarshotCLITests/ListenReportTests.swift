import EarshotAudio
import Foundation
import TestSupport
import Testing

/// `listen --report` on devices of ALSA that need no sound card: a file that plays as a microphone, and `null`.
@Suite struct ListenReportTests {
    /// The microphone "tape" plays this sound, faster than real time, and repeats it.
    private func tape(_ samples: [Float], in scratch: Scratch) throws -> [String: String] {
        try samples.withUnsafeBytes { try Data($0).write(to: scratch.hidden.appendingPathComponent("tape.raw")) }
        let configuration = """
            </usr/share/alsa/alsa.conf>
            pcm.tape {
                type file
                slave.pcm null
                file "/dev/null"
                infile "\(scratch.hidden.path)/tape.raw"
                format raw
            }
            """
        let url = scratch.hidden.appendingPathComponent("asound.conf")
        try Data(configuration.utf8).write(to: url)
        return ["ALSA_CONFIG_PATH": url.path]
    }

    private func json(_ name: String, in scratch: Scratch) throws -> [String: Any] {
        try #require(try JSONSerialization.jsonObject(with: scratch.data(name)) as? [String: Any])
    }

    @Test func theReportHoldsTheRecordingAndTheDevice() throws {
        let scratch = try Scratch()
        let sound = try Sound.silence(0.3) + Sound.frame("0123456789abcdef") + Sound.silence(0.6)
        let environment = try tape(sound, in: scratch)
        let options = ["--device", "tape", "--rate", "48000", "--channels", "1", "--seconds", "2"]
        let result = try Tool.run(["listen", "--report", "kitchen"] + options, environment: environment, in: scratch)
        #expect(result.status == 0, "\(result.error)")
        #expect(scratch.names == ["kitchen.json", "kitchen.wav"])
        #expect(result.error.contains("wrote kitchen.wav, kitchen.json\nAttach them"))

        let report = try json("kitchen.json", in: scratch)
        #expect(
            Set(report.keys) == [
                "program", "complete", "begin", "end", "arguments", "system", "offer", "format", "recording", "level",
                "heard", "statistics", "gaps", "interruptions", "tokens",
            ])
        #expect(report["complete"] as? Bool == true)
        #expect(report["arguments"] as? [String] == ["listen", "--report", "kitchen"] + options)
        func member<Value>(_ key: String, _ name: String) throws -> Value {
            let object = try #require(report[key] as? [String: Any], "\(key)")
            return try #require(object[name] as? Value, "\(key).\(name)")
        }
        for name in ["name", "kernel", "machine", "processor", "alsa"] {
            #expect(try !(member("system", name) as String).isEmpty, "\(name)")
        }
        #expect(try member("offer", "name") == "tape")
        #expect(try member("offer", "kind") == "file")
        #expect(try member("format", "rate_hz") == 48_000)
        #expect(try member("format", "encoding") == "FLOAT_LE")
        #expect(try member("recording", "files") == ["kitchen.wav"])
        #expect(try member("recording", "format") == "f32")
        #expect(try member("recording", "failed") == false)
        #expect(try member("heard", "tokens") == 1)
        #expect(try member("statistics", "frames") == 1)
        // A sine of amplitude 0.25 has -12.0 dBFS; the quietest tenth is silence.
        let peak: Double = try member("level", "peak_dbfs")
        let loud: Double = try member("level", "band_loud_dbfs")
        let quiet: Double = try member("level", "band_quiet_dbfs")
        #expect(abs(peak + 12) < 0.2)
        #expect(abs(loud + 12) < 1.5)
        #expect(quiet < -60)
        let tokens = try #require(report["tokens"] as? [[String: Any]])
        #expect(tokens.compactMap { $0["token"] as? String } == ["0123456789abcdef"])

        // The recording decodes to the same token at the same time: the report can be reproduced.
        let decoded = try Tool.run(["decode", "--json", "kitchen.wav"], in: scratch)
        let token = try JSONSerialization.jsonObject(with: decoded.outputBytes) as? [String: Any]
        #expect(token?["token"] as? String == "0123456789abcdef")
        #expect(token?["start_s"] as? Double == tokens.first?["start_s"] as? Double)
    }

    private func size(of name: String, in scratch: Scratch) -> Int {
        let attributes = try? FileManager.default.attributesOfItem(atPath: scratch.path(name))
        return attributes?[.size] as? Int ?? 0
    }

    /// A usual report comes from a session without a token. Ctrl-C completes both files; a crash leaves both readable.
    @Test(arguments: [SIGINT, SIGKILL]) func aSignalLosesNothing(signal: Int32) throws {
        let scratch = try Scratch()
        let tool = try Running(["listen", "--device", "null", "--report", "x", "--quiet"], in: scratch)
        try tool.start()
        let deadline = Date() + 10
        // The device delivers silence as fast as it is read. So the test checks the size often, through the file
        // system.
        while size(of: "x.wav", in: scratch) < 100_000, Date() < deadline { usleep(1_000) }
        kill(tool.process.processIdentifier, signal)
        let result = try tool.wait()
        #expect(result.status == (signal == SIGINT ? 1 : -SIGKILL))
        #expect(result.error.isEmpty)

        let report = try json("x.json", in: scratch)
        #expect(report["complete"] as? Bool == (signal == SIGINT))
        #expect((report["offer"] as? [String: Any])?["kind"] as? String == "null")
        #expect((report["format"] as? [String: Any])?["rate_hz"] as? Int == 48_000)
        let reader = try SoundFileReader(path: scratch.path("x.wav"))
        let frameCount = reader.frameCount ?? 0
        #expect(frameCount > 0)
        if signal == SIGINT {
            let seconds = try #require((report["recording"] as? [String: Any])?["seconds"] as? Double)
            #expect(abs(seconds - Double(frameCount) / 48_000) < 0.001)
        }
    }

    @Test func existingFilesStay() throws {
        let scratch = try Scratch()
        let old = Data("old".utf8)
        let arguments = ["listen", "--device", "null", "--seconds", "0.1", "--quiet", "--report", "x"]
        for name in ["x.wav", "x.json"] {
            try scratch.save(old, name)
            let result = try Tool.run(arguments, in: scratch)
            #expect(result.status == 73)
            #expect(result.error.contains(name) && result.error.contains("--overwrite"))
            #expect(scratch.names == [name])
            #expect(try scratch.data(name) == old)
            try FileManager.default.removeItem(atPath: scratch.path(name))
        }
        try scratch.save(old, "x.json")
        #expect(try Tool.run(arguments + ["--overwrite"], in: scratch).status == 1)
        #expect(try json("x.json", in: scratch)["complete"] as? Bool == true)
    }

    @Test(arguments: [
        (["--report", "x", "--record", "y.wav"], Int32(64), "--record"), (["--report", ""], 64, "--report"),
        (["--report", "-"], 64, "--report"), (["--overwrite"], 64, "--overwrite"),
        (["--report", "nowhere/x"], 73, "nowhere/x.wav"),
        (["--report", "x", "--device", "no_such_pcm"], 69, "no_such_pcm"),
    ])
    func mistakesAreExplained(arguments: [String], status: Int32, word: String) throws {
        let scratch = try Scratch()
        let device = arguments.contains("--device") ? [] : ["--device", "null"]
        let result = try Tool.run(["listen", "--seconds", "0.1"] + device + arguments, in: scratch)
        #expect(result.status == status)
        #expect(result.error.contains(word), "\(result.error)")
        #expect(scratch.names.isEmpty)
    }

    /// The name may already have one of the extensions.
    @Test func anExtensionIsNotDoubled() throws {
        let scratch = try Scratch()
        let options = ["--device", "null", "--seconds", "0.1", "--quiet"]
        #expect(try Tool.run(["listen", "--report", "a.wav"] + options, in: scratch).status == 1)
        #expect(scratch.names == ["a.json", "a.wav"])
    }
}
