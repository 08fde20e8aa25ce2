import DesktopTestSupport
import Foundation
import MessagesTestSupport
import TestSupport
import Testing

/// The first sample of docs/MESSAGES.md, as a new user runs it: it asks, and continues after the answer.
@Suite(.apart, .serialized, .timeLimit(.minutes(2))) struct GreetingSampleTests {
    private let scratch: Scratch
    /// The sample is beside the test bundle.
    private let path = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        .deletingLastPathComponent().appendingPathComponent("greeting").path

    init() throws {
        scratch = try Scratch()
    }

    /// - Parameter streams: redirections of a shell.
    private func start(_ streams: String = "", variables: [String: String] = [:]) throws -> Program {
        let environment = [
            "PATH": Desktop.searchPath, "HOME": scratch.url.path, "EARSHOT_KEY": "key",
            // The sample asks even without a sound card and a service.
            "EARSHOT_DEVICE": "absent", "EARSHOT_PLAYBACK": "absent", "EARSHOT_SERVICE": "http://127.0.0.1:9",
        ]
        return try Program(
            "setsid", ["-w", "bash", "-c", "exec \(path) \(streams)"],
            environment: environment.merging(variables) { $1 },
            in: scratch)
    }

    private var consent: String {
        let url = scratch.url.appendingPathComponent(".config/greeting/nearby.json")
        return (try? String(contentsOf: url, encoding: .utf8)) ?? ""
    }

    @Test func `the document prints the sample`() throws {
        let sample = String(decoding: try Repository.contents("Samples/Greeting/main.swift"), as: UTF8.self)
        let document = String(decoding: try Repository.contents("docs/MESSAGES.md"), as: UTF8.self)
        #expect(document.contains("```swift\n\(sample)```\n"))
    }

    @Test func `on a terminal it asks there, and then says what is wrong`() async throws {
        let terminal = try Terminal()
        let device = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(terminal.device)")
        let program = try start("<\(device) >\(device) 2>&1")
        defer { program.kill() }
        let question = try #require(await terminal.read(until: "[a]llow, [d]eny, [l]earn more? "), "\(program.account)")
        #expect(question.contains("\"greeting\" wants to find devices nearby"))
        terminal.type("a\n")
        var output = ""
        while !output.contains("problem:") { output += try #require(await terminal.read(until: "\n"), "\(output)") }
        #expect(consent.contains("granted"))
    }

    @Test(.enabled(if: Desktop.missing == nil, "\(Desktop.missing ?? "")"))
    func `on a desktop it asks by a notification`() async throws {
        let desktop = try await Desktop()
        let program = try start(variables: ["DBUS_SESSION_BUS_ADDRESS": desktop.session.address])
        defer { program.kill() }
        #expect(await eventually { (try? desktop.displayedCount()) == 1 }, "\(program.account)")
        if let path = ProcessInfo.processInfo.environment["EARSHOT_SCREENSHOT"] {
            try await Task.sleep(for: .seconds(1))
            try desktop.photograph(to: path)
        }
        try desktop.choose("Allow")
        #expect(await eventually { consent.contains("granted") }, "\(program.account)")
        #expect(program.isRunning && program.error == "")
    }

    @Test func `with neither it says why`() throws {
        let program = try start()
        defer { program.kill() }
        #expect(program.waitForError(within: 60) { $0.hasSuffix("\n") }, "\(program.account)")
        #expect(program.error.contains("not both a terminal; start it on one"))
        #expect(program.error.contains("there is no session bus"))
    }
}
