import Foundation
import TestSupport
import Testing

/// The help of every command.
@Suite struct HelpTests {
    private static let commands = [
        "encode", "decode", "listen", "broadcast", "loopback", "simulate", "inspect", "devices", "field", "benchmark",
        "nearby",
        "publish",
        "subscribe", "beacons", "beacon", "agent", "push",
    ]
    private static let helps =
        [["--help"], ["help"]] + commands.flatMap { [[$0, "--help"], ["help", $0]] }
        + [["field", "play", "--help"], ["field", "read", "--help"]]

    @Test func allCommandsAreHere() throws {
        let help = try Tool.run(["--help"], in: Scratch()).output
        for command in Self.commands { #expect(help.contains(command), "\(command)") }
        let listed = help.components(separatedBy: "SUBCOMMANDS:").last ?? ""
        let names = listed.split(separator: "\n").filter { $0.hasPrefix("  ") && !$0.hasPrefix("   ") }
            .compactMap { $0.split(separator: " ").first.map(String.init) }
        #expect(Set(names.filter { $0 != "help" && $0 != "See" }).isSubset(of: Self.commands), "\(names)")
    }

    /// A terminal's usual width.
    @Test(arguments: helps) func helpFitsEightyColumns(arguments: [String]) throws {
        let result = try Tool.run(arguments, environment: ["COLUMNS": "80"], in: Scratch())
        #expect(result.status == 0)
        let long = result.lines.filter { $0.count > 80 }
        #expect(!result.lines.isEmpty && long.isEmpty, "\(long.joined(separator: "\n"))")
    }

    /// The width of a phone's terminal. Only examples may have longer lines, because users type them so.
    @Test(arguments: helps) func helpFitsFortyColumns(arguments: [String]) throws {
        let narrow = try Tool.run(arguments, environment: ["COLUMNS": "40"], in: Scratch())
        let wide = try Tool.run(arguments, environment: ["COLUMNS": "1000"], in: Scratch())
        #expect(narrow.status == 0 && wide.status == 0)
        let examples = Set(wide.lines.prefix { !$0.hasPrefix("USAGE:") }.filter { $0.hasPrefix("  ") })
        let long = narrow.lines.filter { $0.count > 40 && !examples.contains($0) }
        #expect(long.isEmpty, "\(long.joined(separator: "\n"))")
        // The narrow help has the same words.
        func words(_ result: Tool.Result) -> [Substring] { result.output.split(whereSeparator: \.isWhitespace) }
        #expect(words(narrow) == words(wide))
    }

    @Test func onlyHelpIsLaidOutForANarrowTerminal() throws {
        let scripts = try ["40", "80"].map { columns in
            try Tool.run(
                ["--generate-completion-script", "bash"], environment: ["COLUMNS": columns], in: Scratch()
            ).output
        }
        #expect(scripts[0] == scripts[1] && scripts[0].count > 1_000)
    }

    @Test(arguments: [["--version"]] + commands.map { [$0, "--version"] })
    func versionHasTheName(arguments: [String]) throws {
        #expect(try Tool.run(arguments, in: Scratch()).output == "earshot 0.2.0\n")
    }

    /// A negative number is a value, not an option.
    @Test(arguments: [
        ["encode", "ab", "-o", "x.wav", "--repeat"], ["encode", "ab", "-o", "x.wav", "--rate"],
        ["encode", "0123456789abcdef", "-o", "x.wav", "--burst"],
        ["encode", "ab", "-o", "x.wav", "--gap"], ["decode", "x.wav", "--jobs"], ["decode", "x.wav", "--combine"],
        ["inspect", "x.wav", "-o", "x.svg", "--channel"], ["inspect", "x.wav", "-o", "x.svg", "--start"],
        ["inspect", "x.wav", "-o", "x.svg", "--seconds"], ["listen", "--seconds"], ["listen", "--count"],
        ["listen", "--rate"], ["listen", "--channels"], ["listen", "--broadcast", "ab", "--interval"],
        ["broadcast", "ab", "--count"],
        ["broadcast", "ab", "--interval"], ["broadcast", "ab", "--jitter"], ["broadcast", "ab", "--rate"],
        ["broadcast", "ab", "--channels"], ["loopback", "--via", "wav", "--count"],
        ["loopback", "--via", "wav", "--rate"], ["loopback", "--via", "wav", "--seed"],
        ["loopback", "--via", "wav", "--require"], ["loopback", "--via", "air", "--doppler"], ["simulate", "--trials"],
        ["simulate", "--precision"], ["simulate", "--seed"], ["simulate", "--threads"], ["simulate", "--bytes"],
        ["simulate", "--burst"], ["simulate", "--combine"], ["simulate", "--rate"], ["simulate", "--min-success"],
        ["field", "play", "--steps"], ["field", "play", "--tokens"], ["field", "play", "--seed"],
        ["field", "read", "x.wav", "-o", "r", "--distance"],
        ["field", "read", "x.wav", "-o", "r", "--distance", "1", "--channel"],
        ["benchmark", "--seconds"], ["benchmark", "--cores"], ["benchmark", "--compare", "x", "--tolerance"],
        ["nearby", "--seconds"], ["nearby", "--count"], ["nearby", "--rate"], ["nearby", "--channels"],
        ["publish", "a", "--direct", "--seconds"], ["subscribe", "--direct", "--count"],
        ["beacons", "--seconds"], ["beacons", "--count"],
        ["beacon", "--ibeacon", "f7826da64fa24e988024bc5b71e0893e:1:2", "--interval"],
        ["beacon", "--ibeacon", "f7826da64fa24e988024bc5b71e0893e:1:2", "--seconds"],
    ])
    func aNegativeNumberIsRejectedAsANumber(arguments: [String]) throws {
        let result = try Tool.run(arguments + ["-1"], in: Scratch())
        #expect(result.status == 64)
        let option = arguments.last ?? ""
        #expect(result.error.contains("\(option) -1"), "\(result.error)")
    }
}
