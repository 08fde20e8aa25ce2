import Foundation
import TestSupport
import Testing

/// `nearby` in several processes that hear each other through a real sound server, in real time.
@Suite(
    .apart,
    .disabled(
        if: ProcessInfo.processInfo.environment["EARSHOT_SKIP_SOUND_CARD"] == "1", "EARSHOT_SKIP_SOUND_CARD=1 is set"))
struct NearbySoundCardTests {
    private struct Line: Decodable {
        let event: String
        let token: String?
        let problem: String?
        let detail: String?
        let medium: String
        let snr_db: Double?
        let level_db: Double?
        let at_s: Double
    }

    private static func start(_ card: SoundCard, _ options: [String]) throws -> Program {
        try card.start(Tool.url.path, ["nearby", "--json"] + options)
    }

    private static func start(_ card: SoundCard, token: String) throws -> Program {
        try start(card, ["--token", token, "--device", card.capturePCM, "--playback", card.playbackPCM])
    }

    private static func lines(_ program: Program) -> [Line] { (try? LiveSession.lines(program.output)) ?? [] }

    private static func tokens(_ event: String, _ program: Program) -> [String] {
        lines(program).filter { $0.event == event }.compactMap(\.token)
    }

    /// Waits for a line with this event and this token.
    private static func wait(_ program: Program, _ event: String, _ token: String, within seconds: Double) throws {
        guard program.waitForOutput(within: seconds, { _ in tokens(event, program).contains(token) }) else {
            throw SoundCard.Trouble(description: "no \(event) \(token). \(program.output) \(program.account)")
        }
    }

    /// A lost device is reported after at most four periods of 15 slots of 0.805 s, one slot for decoding, and a check
    /// every 0.25 s: 49.4 s. The rest is for a busy machine.
    private static let maximumPatienceSeconds = 60.0

    @Test(.enabled(if: SoundCard.isVirtual)) func threeFindEachOtherAndLoseAKilledOne() async throws {
        let tokens = ["aaaaaaaaaaaaaaaa", "bbbbbbbbbbbbbbbb", "cccccccccccccccc"]
        let outcomes = try await onSoundCard {
            let card = try SoundCard(in: Scratch())
            let programs = try tokens.map { try Self.start(card, token: $0) }
            for (own, program) in zip(tokens, programs) {
                for other in tokens where other != own {
                    try Self.wait(program, "found", other, within: 30)
                }
            }
            // The devices hear each other for more than a period of 12.1 s, because a device that was heard often is
            // reported lost sooner.
            for program in [programs[0], programs[2]] {
                _ = program.waitForOutput(within: 30) { _ in
                    let heard = Self.lines(program).filter { $0.token == tokens[1] }.map(\.at_s)
                    return (heard.last ?? 0) - (heard.first ?? 0) > 14
                }
            }
            programs[1].signal(SIGKILL)
            for program in [programs[0], programs[2]] {
                try Self.wait(program, "lost", tokens[1], within: Self.maximumPatienceSeconds)
            }
            return [0, 2].map { index in
                programs[index].signal(SIGINT)
                _ = programs[index].waitForEnd(within: 5)
                return (own: tokens[index], status: programs[index].status, lines: Self.lines(programs[index]))
            }
        }
        for (own, status, lines) in outcomes {
            #expect(status == 0)
            #expect(!lines.contains { $0.token == own }, "found its own token")
            #expect(lines.filter { $0.event == "found" }.compactMap(\.token).sorted() == tokens.filter { $0 != own })
            #expect(lines.filter { $0.event == "lost" }.compactMap(\.token) == [tokens[1]])
            // The peak is −12 dBFS, with half a decibel of ripple, and up to three tokens at once. A token with a hole
            // may have no level.
            let levels = lines.compactMap(\.level_db).sorted()
            #expect(!levels.isEmpty && (-12.5 ... -2).contains(levels[levels.count / 2]))
            let silence =
                (lines.last { $0.event == "lost" }?.at_s ?? 0)
                - (lines.last { $0.event == "updated" && $0.token == tokens[1] }?.at_s ?? 0)
            print(
                "found after \(lines.filter { $0.event == "found" }.map(\.at_s)) s, lost after \(silence) s of silence")
        }
    }

    @Test(.enabled(if: SoundCard.isVirtual), arguments: ["scan", "broadcast"])
    func eachModeOpensOnlyItsDevices(mode: String) async throws {
        let streams = try await onSoundCard {
            let card = try SoundCard(in: Scratch())
            let device = mode == "scan" ? ["--device", card.capturePCM] : ["--playback", card.playbackPCM]
            let program = try Self.start(card, ["--mode", mode] + device)
            // A program that does both proves that the test can see an open stream.
            let both = try Self.start(card, token: "aaaaaaaaaaaaaaaa")
            if mode == "scan" { try Self.wait(program, "found", "aaaaaaaaaaaaaaaa", within: 30) } else { sleep(5) }
            let (captures, playbacks) = try Self.streams(card)
            #expect(program.isRunning && both.isRunning)
            return [captures, playbacks]
        }
        #expect(streams == (mode == "scan" ? [2, 1] : [1, 2]))
    }

    private static func streams(_ card: SoundCard) throws -> (captures: Int, playbacks: Int) {
        func count(_ kind: String) throws -> Int {
            try card.run("pactl", ["list", "short", kind]).output.split(separator: "\n").count
        }
        return (try count("source-outputs"), try count("sink-inputs"))
    }

    @Test(.enabled(if: SoundCard.isVirtual)) func aServerThatEndsIsAProblemAndItsReturnASolution() async throws {
        let lines = try await onSoundCard {
            let card = try SoundCard(in: Scratch())
            let program = try Self.start(card, token: "aaaaaaaaaaaaaaaa")
            let other = try Self.start(card, token: "bbbbbbbbbbbbbbbb")
            try Self.wait(program, "found", "bbbbbbbbbbbbbbbb", within: 30)
            other.signal(SIGKILL)
            try card.killServer()
            _ = program.waitForOutput(within: 15) { _ in Self.lines(program).count { $0.event == "problem" } == 2 }
            try card.startServer()
            _ = program.waitForOutput(within: 15) { _ in Self.lines(program).count { $0.event == "solved" } == 2 }
            let third = try Self.start(card, token: "cccccccccccccccc")
            try Self.wait(program, "found", "cccccccccccccccc", within: 30)
            try Self.wait(third, "found", "aaaaaaaaaaaaaaaa", within: 30)
            return Self.lines(program)
        }
        for event in ["problem", "solved"] {
            let problems = lines.filter { $0.event == event }
            #expect(problems.compactMap(\.problem).sorted() == ["no loudspeaker", "no microphone"])
            #expect(problems.allSatisfy { ($0.detail?.contains("sound device") ?? false) == (event == "problem") })
        }
    }
}
