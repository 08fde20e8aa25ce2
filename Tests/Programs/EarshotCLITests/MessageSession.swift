import Foundation
import TestSupport

/// A virtual sound card, a token service beside it, and programs that publish and subscribe.
final class MessageSession: @unchecked Sendable {
    struct Line: Decodable {
        let event: String
        let text: String?
        let base64: String?
        let type: String?
        let authenticated: Bool?
        let status: String?
        let problem: String?
        let at_s: Double
    }

    let scratch: Scratch
    let card: SoundCard
    private var service: Program?
    private var address = ""

    init() throws {
        scratch = try Scratch()
        card = try SoundCard(in: scratch)
    }

    /// The path of the service's program. The program belongs to the package in Server/, so the caller names it.
    static let service = ProcessInfo.processInfo.environment["EARSHOTD"] ?? ""
    private var database: String { scratch.url.appendingPathComponent("earshotd.sqlite").path }

    /// Makes a project and a key for it.
    func key(project: String) throws -> String {
        _ = try card.run(Self.service, ["project", "create", project, "--database", database])
        let made = try card.run(Self.service, ["key", "create", project, "--database", database])
        guard made.status == 0 else { throw SoundCard.Trouble(description: made.account) }
        return made.output.trimmingCharacters(in: .newlines)
    }

    /// Starts the service, and restarts it at the same address, so that clients find it again.
    func serve() throws {
        let port = address.split(separator: ":").last.map(String.init) ?? "0"
        let started = try card.start(
            Self.service, ["serve", "--port", port, "--no-operations", "--database", database])
        guard started.waitForOutput(within: 20, { $0.hasSuffix("\n") }),
            let words = started.output.split(whereSeparator: \.isWhitespace).last
        else { throw SoundCard.Trouble(description: "the service did not start. \(started.account)") }
        address = String(words)
        service = started
    }

    func killService() {
        service?.signal(SIGKILL)
        _ = service?.waitForEnd(within: 5)
    }

    func publish(_ arguments: [String], key: String? = nil) throws -> Program { try start("publish", arguments, key) }

    func subscribe(_ arguments: [String] = [], key: String? = nil) throws -> Program {
        try start("subscribe", arguments, key)
    }

    private func start(_ command: String, _ arguments: [String], _ key: String?) throws -> Program {
        let access = key.map { ["--key", $0, "--service", address] } ?? ["--direct"]
        return try card.start(
            Tool.url.path,
            [command, "--json", "--device", card.capturePCM, "--playback", card.playbackPCM] + access + arguments)
    }

    static func lines(_ program: Program) -> [Line] { (try? LiveSession.lines(program.output)) ?? [] }

    static func events(_ event: String, _ program: Program) -> [Line] { lines(program).filter { $0.event == event } }

    /// Waits for a line that satisfies the condition.
    static func wait(_ program: Program, within seconds: Double, _ isWanted: (Line) -> Bool) throws {
        guard program.waitForOutput(within: seconds, { _ in lines(program).contains(where: isWanted) }) else {
            throw SoundCard.Trouble(description: "\(program.output) \(program.account)")
        }
    }
}
