import Foundation
import TestSupport
import Testing

/// The shells themselves use the installed completions here.
@Suite struct CompletionTests {
    /// The typed words, and one of the offered words.
    static let offers = [
        (["earshot", "enc"], "encode"), (["earshot", "encode", "--prof"], "--profile"),
        (["earshot", "pub"], "publish"), (["earshot", "publish", "--dir"], "--direct"),
        (["earshot", "publish", "--mode", ""], "scan"), (["earshot", "encode", "--profile", "st"], "standard"),
        (["earshot", "simulate", "--channel", "room"], "room-b"), (["earshot", "decode", "--raw", "s16"], "s16le"),
        (["earshot", "inspect", "--raw", "f32"], "f32be"), (["earshot", "inspect", "--theme", ""], "light"),
        (["earshot", "help", "enc"], "encode"), (["earshot", "help", "pub"], "publish"),
        (["earshot", "field", "pl"], "play"),
    ]

    /// The same for names of devices, which the program itself lists: each machine has `default`. Fish asks for them only in a
    /// terminal.
    static let devices =
        ["listen", "broadcast", "loopback"].map { (["earshot", $0, "--device", "def"], "default") }
        + [(["earshot", "field", "play", "--device", ""], "default")]

    private func completions() throws -> Scratch {
        let folder = try Scratch()
        let script = Repository.path("scripts/completions.sh")
        let bash = try #require(Program(installed: "bash"))
        let output = try bash.output([script, folder.url.path, Program.earshot.path, Program.messages.path])
        #expect(output.isEmpty, "\(output)")
        return folder
    }

    @Test func bashOffers() throws {
        let folder = try completions()
        let file = folder.url.appendingPathComponent("bash-completion/completions/earshot").path
        let code = """
            PATH="$1:$PATH"; source "$2"; shift 2; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); COMP_LINE="$*"; COMP_POINT=${#COMP_LINE}
            _earshot earshot "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}"; printf '%s\\n' "${COMPREPLY[@]}"
            """
        let bash = try #require(Program(installed: "bash"))
        let programs = URL(fileURLWithPath: Program.earshot.path).deletingLastPathComponent().path
        for (words, offer) in Self.offers + Self.devices {
            let answer = try bash.output(["-c", code, "bash", programs, file] + words)
            #expect(answer.split(separator: "\n").contains(Substring(offer)), "\(words): \(answer)")
        }
    }

    @Test func fishOffers() throws {
        let fish = try #require(Program(installed: "fish"))
        let folder = try completions()
        let file = folder.url.appendingPathComponent("fish/vendor_completions.d/earshot.fish").path
        for (words, offer) in Self.offers {
            let code = "source '\(file)'; complete -C '\(words.joined(separator: " "))'"
            let answer = try fish.output(["--no-config", "-c", code]).split(separator: "\n")
            #expect(answer.contains { $0.split(separator: "\t").first == Substring(offer) }, "\(words): \(answer)")
        }
    }

    /// Each program's script sees the words of the others.
    @Test(arguments: [("field ", ["play", "read"]), ("nearby --mo", ["--mode"]), ("field --ver", ["--version"])])
    func fishOffersNothingOfOtherCommands(words: String, all: [String]) throws {
        let fish = try #require(Program(installed: "fish"))
        let folder = try completions()
        let file = folder.url.appendingPathComponent("fish/vendor_completions.d/earshot.fish").path
        let answer = try fish.output(["--no-config", "-c", "source '\(file)'; complete -C 'earshot \(words)'"])
        #expect(
            answer.split(separator: "\n").compactMap { $0.split(separator: "\t").first.map(String.init) }.sorted()
                == all)
    }

    @Test func zshAcceptsItsFile() throws {
        let zsh = try #require(Program(installed: "zsh"))
        let folder = try completions()
        let file = folder.url.appendingPathComponent("zsh/site-functions/_earshot").path
        #expect(try zsh.output(["-f", "-n", file]).isEmpty)
        #expect(try String(contentsOfFile: file, encoding: .utf8).hasPrefix("#compdef earshot\n"))
    }
}
