import Foundation
import TestSupport
import Testing

/// The virtual sound card as its user meets it: without options for devices, and from a second terminal.
@Suite(
    .apart,
    .disabled(
        if: ProcessInfo.processInfo.environment["EARSHOT_SKIP_SOUND_CARD"] == "1", "EARSHOT_SKIP_SOUND_CARD=1 is set"),
    .enabled(if: SoundCard.isVirtual))
struct VirtualSoundCardTests {
    /// The outcome of a program. Its files are removed with the scratch folder.
    private struct Outcome: Sendable {
        let status: Int32?
        let output: String
        let error: String
        let account: String

        init(_ program: Program) {
            (status, output, error, account) = (program.status, program.output, program.error, program.account)
        }
    }

    /// The user's own configuration names another default.
    @Test func theCardIsTheDefault() async throws {
        let (listener, broadcaster) = try await onSoundCard {
            let scratch = try Scratch()
            let card = try SoundCard(in: scratch)
            try scratch.save(Data("pcm.!default { type null }\n".utf8), ".asoundrc")
            let home = "HOME=\(scratch.url.path)"
            let listener = try card.start("env", [home, Tool.url.path, "listen", "--count", "1"])
            #expect(listener.waitForError(within: 20) { $0.contains("listening to default") }, "\(listener.account)")
            let broadcaster = try card.start(
                "env", [home, Tool.url.path, "broadcast", "--text", "Hall 3", "--profile", "fast", "--count", "4"])
            _ = listener.waitForEnd(within: 60)
            _ = broadcaster.waitForEnd(within: 60)
            return (Outcome(listener), Outcome(broadcaster))
        }
        #expect(listener.status == 0, "\(listener.account) \(broadcaster.account)")
        #expect(listener.output.contains("48616c6c2033 \"Hall 3\""))
        #expect(broadcaster.output.contains("s  48616c6c2033 \"Hall 3\"  fast  1 of 4\n"), "\(broadcaster.output)")
        // If the machine is too busy for its sound, a further sentence says so.
        #expect(broadcaster.error.contains("\nsent 48616c6c2033 \"Hall 3\" 4 times"), "\(broadcaster.error)")
    }

    @Test func broadcastPrintsTextAsJSONAndOtherBytesAsDigits() async throws {
        let (text, digits) = try await onSoundCard {
            let scratch = try Scratch()
            let card = try SoundCard(in: scratch)
            let options = ["--profile", "fast", "--count", "1"]
            return (
                Outcome(try card.run(Tool.url.path, ["broadcast", "--text", "Hall 3", "--json"] + options)),
                Outcome(try card.run(Tool.url.path, ["broadcast", "00ff"] + options))
            )
        }
        #expect(text.output.contains("\"text\":\"Hall 3\""), "\(text.account)")
        #expect(digits.output.contains("s  00ff  fast  1 of 1\n"), "\(digits.account)")
        #expect(digits.error.hasSuffix("sent 00ff once\n"))
    }

    @Test func theCommandForAnotherTerminalWorks() async throws {
        let (first, second) = try await onSoundCard {
            let scratch = try Scratch()
            let variables = ["PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "HOME": scratch.url.path]
            let first = try Program(
                Repository.path("Tests/Support/virtual-sound-card.sh"),
                ["run", scratch.path("card"), "--", "bash", "-c", "until [ -e over ]; do sleep 0.1; done"],
                environment: variables, in: scratch)
            #expect(first.waitForError(within: 25) { $0.hasSuffix("\n") }, "\(first.account)")
            let command = first.error.trimmingCharacters(in: .newlines).components(separatedBy: "another terminal: ")
            let second = try Program(
                "bash",
                ["-c", "cd / && \(command.last ?? "") -c '\(Tool.url.path) listen --seconds 0.2; exit 7'"],
                environment: variables, in: scratch)
            _ = second.waitForEnd(within: 30)
            #expect(first.isRunning)
            try scratch.save(Data(), "over")
            _ = first.waitForEnd(within: 20)
            #expect(scratch.names.filter { !$0.hasPrefix(".") } == ["over"])
            return (Outcome(first), Outcome(second))
        }
        #expect(second.status == 7 && second.error.contains("listening to default"), "\(second.account)")
        #expect(first.status == 0, "\(first.account)")
    }
}
