import Foundation
import TestSupport
import Testing

/// `earshot NAME` runs the program `earshot-NAME`, found beside it or in PATH.
struct ExternalCommandTests {
    @Test func aProgramInPathIsACommand() throws {
        let scratch = try Scratch()
        let script = try program("earshot-hello", "echo \"hello $*\"; exit 3", in: scratch)
        let path = ["PATH": "\(script.deletingLastPathComponent().path):/usr/bin:/bin"]
        let result = try Tool.run(["hello", "a b", "--json"], environment: path, in: scratch)
        #expect(result.output == "hello a b --json\n" && result.status == 3, "\(result.error)")
        #expect(try Tool.run(["help", "hello"], environment: path, in: scratch).output == "hello --help\n")
        #expect(try Tool.run(["--help"], environment: path, in: scratch).output.contains("hello"))
    }

    @Test func aFolderThatIsNotAbsoluteDoesNotCount() throws {
        let scratch = try Scratch()
        _ = try program("earshot-hello", "echo hello", in: scratch)
        let result = try Tool.run(["hello"], environment: ["PATH": ".:/usr/bin"], in: scratch)
        #expect(result.status == 64 && result.output.isEmpty)
    }

    @Test(arguments: ["no-such-command", "../earshot", "\u{1B}[2J"]) func anUnknownCommandIsAUsageError(name: String)
        throws
    {
        let result = try Tool.run([name], in: Scratch())
        #expect(result.status == 64 && result.error.contains("earshot --help"), "\(result.error)")
        #expect(!result.error.contains("\u{1B}"))
    }

    @Test(arguments: [("decod", "decode"), ("ecnode", "encode"), ("lisen", "listen"), ("hllo", "hello")])
    func aNameLikeACommandGetsASuggestion(typed: String, meant: String) throws {
        let scratch = try Scratch()
        let script = try program("earshot-hello", "echo hello", in: scratch)
        let path = ["PATH": "\(script.deletingLastPathComponent().path):/usr/bin:/bin"]
        for arguments in [[typed], ["help", typed]] {
            let result = try Tool.run(arguments, environment: path, in: scratch)
            #expect(result.status == 64 && result.output.isEmpty)
            #expect(result.error.contains("no command '\(typed)'"), "\(result.error)")
            #expect(result.error.contains("Did you mean '\(meant)'? "), "\(result.error)")
        }
    }

    @Test(arguments: ["no-such-command", "x", ""]) func anotherNameGetsNoSuggestion(name: String) throws {
        let result = try Tool.run([name], in: Scratch())
        #expect(result.status == 64 && result.error.contains("no command '\(name)'"), "\(result.error)")
        #expect(!result.error.contains("Did you mean"), "\(result.error)")
    }

    /// The parser alone would suggest '--mix' for '--sec'.
    @Test(arguments: [("--sec", nil), ("--secs", nil), ("--secnds", "--seconds"), ("--jsn", "--json")])
    func anOptionsSuggestionIsSimilarToIt(typed: String, meant: String?) throws {
        let result = try Tool.run(["listen", typed], in: Scratch())
        let sentence = "Error: Unknown option '\(typed)'." + (meant.map { " Did you mean '\($0)'?" } ?? "")
        #expect(
            result.status == 64 && result.error.split(separator: "\n").first.map(String.init) == sentence,
            "\(result.error)")
        #expect(result.error.contains("earshot listen --help"))
    }

    /// The parser alone would find the `-h` of help in it.
    @Test(arguments: [("publish", "-hello"), ("decode", "-hall"), ("agent", "-history")])
    func aTextLikeAnOptionIsNotHelp(command: String, word: String) throws {
        let result = try Tool.run([command, word], in: Scratch())
        #expect(result.status == 64 && result.output.isEmpty, "\(result.output)")
        #expect(result.error == "Error: Unknown option '\(word)'. Put '--' before a text that begins with '-'.\n")
        #expect(try Tool.run([command, "-h"], in: Scratch()).status == 0)
    }

    @Test(arguments: [["nearby"], ["publish", "hello"]]) func mediaNeedAComma(command: [String]) throws {
        let result = try Tool.run(command + ["--medium", "audio", "ble"], in: Scratch())
        #expect(result.status == 64)
        #expect(
            result.error.hasPrefix(
                "Error: Unexpected argument 'ble'. Write both media with a comma: --medium audio,ble.\nUsage: "),
            "\(result.error)")
    }

    @Test func aTextWithoutQuotationMarksIsExplained() throws {
        for (words, list) in [(["b"], "Unexpected argument 'b'"), (["b", "c"], "2 unexpected arguments: 'b', 'c'")] {
            let result = try Tool.run(["publish", "a"] + words, in: Scratch())
            #expect(result.status == 64)
            #expect(
                result.error.hasPrefix("Error: \(list). Put a text of several words in quotation marks.\nUsage: "),
                "\(result.error)")
        }
        let other = try Tool.run(["encode", "ab", "cd", "-o", "x.wav"], in: Scratch())
        #expect(other.error.hasPrefix("Error: Unexpected argument 'cd'\n"), "\(other.error)")
    }

    @Test(arguments: Tool.linkedCommands) func eachLinkChoosesItsCommand(command: String) throws {
        for arguments in [[command, "--help"], ["help", command]] {
            let result = try Tool.run(arguments, in: Scratch())
            #expect(result.status == 0 && result.output.contains("USAGE: earshot \(command)"), "\(result.error)")
        }
    }

    @Test func theMakefileLaysALinkForEachCommand() throws {
        let makefile = String(decoding: try Repository.contents("Makefile"), as: UTF8.self)
        #expect(makefile.contains("LINKED_COMMANDS := \(Tool.linkedCommands.joined(separator: " "))\n"))
        let help = try Tool.run(["messages", "--help"], in: Scratch()).output
        let listed = help.components(separatedBy: "SUBCOMMANDS:").last?.split(separator: "\n")
            .filter { $0.hasPrefix("  ") && !$0.hasPrefix("   ") && !$0.contains("See 'earshot") }
            .compactMap { $0.split(separator: " ").first.map(String.init) }
        #expect(listed == Tool.linkedCommands)
    }

    /// An executable script.
    private func program(_ name: String, _ body: String, in scratch: Scratch) throws -> URL {
        let url = scratch.url.appendingPathComponent(name)
        try Data("#!/bin/sh\n\(body)\n".utf8).write(to: url)
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: url.path)
        return url
    }
}
