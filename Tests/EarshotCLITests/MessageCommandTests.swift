import Foundation
import TestSupport
import Testing

/// Errors that `publish` and `subscribe` report before they open a device.
struct MessageCommandTests {
    @Test(arguments: [
        (["publish"], "--file"), (["publish", "a", "--file", "b"], "--file"),
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
    func impossibleArgumentsAreUsageErrors(arguments: [String], word: String) throws {
        let result = try Tool.run(arguments, in: Scratch())
        #expect(result.status == 64, "\(result.error)")
        #expect(result.error.contains(word), "\(result.error)")
        #expect(result.output.isEmpty)
    }

    @Test(arguments: [["publish", "a"], ["subscribe"]])
    func anInvalidServiceOfTheEnvironmentIsRefused(arguments: [String]) throws {
        let result = try Tool.run(
            arguments + ["--key", "b", "--seconds", "1"], environment: ["EARSHOT_SERVICE": "localhost:8787"],
            in: Scratch())
        #expect(result.status == 64, "\(result.error)")
        #expect(result.error.contains("EARSHOT_SERVICE is not an http or https address"), "\(result.error)")
    }

    @Test func filesThatCannotBeReadAreNamed() throws {
        let scratch = try Scratch()
        let key = try Tool.run(["subscribe", "--key-file", "none.txt"], in: scratch)
        #expect(key.status == 66 && key.error.contains("none.txt"))
        let content = try Tool.run(["publish", "--key", "a", "--file", "none.txt"], in: scratch)
        #expect(content.status == 66 && content.error.contains("none.txt"))
        try scratch.save(Data(count: 102_401), "large.bin")
        let large = try Tool.run(["publish", "--key", "a", "--file", "large.bin"], in: scratch)
        #expect(large.status == 65 && large.error.contains("102400"))
    }

    @Test(arguments: ["publish", "subscribe"]) func helpHasExamplesAndExitCodes(command: String) throws {
        let result = try Tool.run([command, "--help"], in: Scratch())
        #expect(result.status == 0)
        for word in ["EXAMPLES", "EARSHOT_KEY", "--direct", "Exit codes"] { #expect(result.output.contains(word)) }
    }
}
