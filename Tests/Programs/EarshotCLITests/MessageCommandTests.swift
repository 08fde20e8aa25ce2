import Foundation
import TestSupport
import Testing

/// Errors that `publish` and `subscribe` report before they open a device.
///
/// These tests run one program at a time, and not on Swift's few threads, because other tests wait for answers within a
/// second.
@Suite(.apart, .serialized) struct MessageCommandTests {
    private func run(
        _ arguments: [String], environment: [String: String] = [:], in scratch: Scratch
    ) async throws -> Tool.Result {
        try await onThread { try Tool.run(arguments, environment: environment, in: scratch) }
    }

    @Test(arguments: [
        (["publish"], "--file"), (["publish", ""], "The message is empty and has no --type"),
        (["publish", "--direct", ""], "The message is empty. Give a text of 1 to 32 bytes."),
        (["subscribe", "--service", "http://127.0.0.1:99999"], "give an address such as"),
        (["publish", "a", "--file", "b"], "--file"),
        (["publish", "--direct", "a", "--type", "b"], "--direct"),
        (["publish", "--direct", "a", "--key", "b"], "--direct"),
        (["publish", "--direct", "a", "--mode", "scan"], "--direct"),
        (["publish", "--direct", String(repeating: "a", count: 33)], "33 bytes"),
        (["publish", "a", "--key", "b", "--type", String(repeating: "c", count: 33)], "33 characters"),
        (["publish", "a", "--key", "b", "--service", "ftp://c"], "--service"),
        (["subscribe", "--direct", "--mode", "broadcast"], "--direct"),
        (["subscribe", "--key", "a", "--count", "0"], "--count"),
        (["subscribe", "--key", "a", "--key-file", "b"], "--key-file"),
    ])
    func impossibleArgumentsAreUsageErrors(arguments: [String], word: String) async throws {
        let result = try await run(arguments, in: try Scratch())
        #expect(result.status == 64, "\(result.error)")
        #expect(result.error.contains(word), "\(result.error)")
        #expect(result.output.isEmpty)
    }

    @Test(arguments: [["publish", "a"], ["subscribe"]])
    func anInvalidServiceOfTheEnvironmentIsRefused(arguments: [String]) async throws {
        let result = try await run(
            arguments + ["--key", "b", "--seconds", "1"], environment: ["EARSHOT_SERVICE": "localhost:8787"],
            in: try Scratch())
        #expect(result.status == 64, "\(result.error)")
        #expect(result.error.contains("EARSHOT_SERVICE is not an http or https address"), "\(result.error)")
    }

    @Test func filesThatCannotBeReadAreNamed() async throws {
        let scratch = try Scratch()
        let key = try await run(["subscribe", "--key-file", "none.txt"], in: scratch)
        #expect(key.status == 66 && key.error.contains("none.txt"))
        let content = try await run(["publish", "--key", "a", "--file", "none.txt"], in: scratch)
        #expect(content.status == 66 && content.error.contains("none.txt"))
        try scratch.save(Data(count: 102_401), "large.bin")
        let large = try await run(["publish", "--key", "a", "--file", "large.bin"], in: scratch)
        #expect(large.status == 65 && large.error.contains("102400"))
    }

    private static let missingDevices = ["--device", "nosuch", "--playback", "nosuch", "--seconds", "2"]

    /// Both devices fail for the same reason, and only the line's start tells them apart.
    @Test(arguments: [
        (["publish", "--direct", "hello"], "loudspeaker"), (["subscribe", "--direct", "--mode", "scan"], "microphone"),
    ])
    func problemsSayWhichDeviceFailed(command: [String], device: String) async throws {
        let result = try await run(command + Self.missingDevices, in: try Scratch())
        let start = "problem: no \(device) (audio): Cannot open the sound device 'nosuch'"
        #expect(result.error.split(separator: "\n").count { $0.hasPrefix(start) } == 1, "\(result.error)")
    }

    /// The commands name their devices by options, so they need neither file.
    @Test func invalidFilesOfDevicesAreNoMatter() async throws {
        let scratch = try Scratch()
        try FileManager.default.createDirectory(atPath: scratch.path("earshot"), withIntermediateDirectories: false)
        try scratch.save(Data("{".utf8), "earshot/sound.json")
        try scratch.save(Data("{".utf8), "earshot/bluetooth.json")
        let result = try await run(
            ["subscribe", "--direct", "--mode", "scan"] + Self.missingDevices,
            environment: ["XDG_CONFIG_HOME": scratch.path("")], in: scratch)
        #expect(result.error.contains("no microphone") && !result.error.contains(".json"), "\(result.error)")
    }

    /// The address comes from an option, a file or the environment. It may hold a password.
    @Test(arguments: [["publish", "hello"], ["subscribe"]])
    func problemsSayWhichAddressDidNotAnswer(command: [String]) async throws {
        let arguments = command + ["--key", "a"] + Self.missingDevices
        let environment = ["EARSHOT_SERVICE": "http://user:secret@127.0.0.1:9"]
        let result = try await run(arguments, environment: environment, in: try Scratch())
        #expect(result.error.contains("problem: http://127.0.0.1:9: Cannot reach the service"), "\(result.error)")
        let json = try await run(arguments + ["--json"], environment: environment, in: try Scratch())
        #expect(json.output.contains("\"service\":\"http://127.0.0.1:9\""), "\(json.output)")
        #expect(!(result.error + json.output).contains("secret"))
    }

    @Test(arguments: ["publish", "subscribe", "nearby"]) func devicesHaveTheOptionsOfListen(command: String)
        async throws
    {
        let help = try await run([command, "--help"], in: try Scratch()).output
        for option in ["--device <pcm>", "--playback <pcm>", "--rate <hertz>", "--channels <count>", "--level <dbfs>"] {
            #expect(help.contains(option))
        }
        let arguments = command == "nearby" ? [] : ["--direct"] + (command == "publish" ? ["a"] : [])
        for (option, value) in [("--rate", "8000"), ("--channels", "9"), ("--playback", "")] {
            let result = try await run([command, option, value] + arguments, in: try Scratch())
            #expect(result.status == 64 && result.error.contains(option == "--playback" ? "PCM" : option))
        }
    }

    @Test(arguments: ["publish", "subscribe"]) func helpHasExamplesAndExitCodes(command: String) async throws {
        let result = try await run([command, "--help"], in: try Scratch())
        #expect(result.status == 0)
        for word in ["EXAMPLES", "EARSHOT_KEY", "--direct", "Exit codes"] { #expect(result.output.contains(word)) }
    }
}
