import EarshotMessages
import Foundation
import MessagesTestSupport
import Testing

/// The program, and a real app beside it.
@Suite(.serialized) struct AgentProgramTests {
    private let home: Home
    private let agent: AgentProcess

    init() throws {
        home = try Home()
        agent = AgentProcess(home)
        try home.install("app")
    }

    private func app(_ arguments: [String] = []) throws -> Process {
        let process = Process()
        process.executableURL = AgentProcess.folder.appendingPathComponent("background-app")
        process.arguments = ["\(home.path)/app.txt"] + arguments
        process.environment = agent.environment.merging([
            "EARSHOT_APP_ID": "app", "EARSHOT_SERVICE": "http://127.0.0.1:9",
        ]) { $1 }
        process.standardError = FileHandle.nullDevice
        try process.run()
        return process
    }

    private var lines: [String] {
        ((try? String(contentsOfFile: "\(home.path)/app.txt", encoding: .utf8)) ?? "").split(separator: "\n").map(
            String.init)
    }

    private var listed: String? { try? agent.command(["list", "--json"]).output }

    @Test func whatAnAppWantedGoesOnAfterItsEndAndTheAgents() async throws {
        try agent.start()
        let process = try app()
        #expect(await eventually { listed?.contains(#""running":[\#(process.processIdentifier)]"#) == true })
        kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
        #expect(await eventually { listed?.contains(#""running":[],"#) == true })
        #expect(listed?.contains(#""kind":"subscription""#) == true)
        agent.kill()
        try agent.start()
        #expect(await eventually { listed?.contains(#""kind":"subscription""#) == true })
        agent.end(SIGTERM)
        try agent.start()
        let text = try agent.command(["list"]).output
        #expect(text.hasPrefix("app  subscription"), "\(text)")
        #expect(try agent.command(["status"]).output.contains("1 operation of 1 app"))
        #expect(try agent.command(["stop", "app"]).status == 0)
        #expect(try agent.command(["list"]).output == "Nothing runs in the background.\n")
        #expect(try agent.command(["forget", "nobody"]).status == 1)
    }

    /// Without systemd the first app starts the agent, and another agent is refused.
    @Test func theFirstAppStartsTheAgent() async throws {
        let process = try app()
        #expect(await eventually { listed?.contains(#""running":[\#(process.processIdentifier)]"#) == true })
        let second = try agent.command(["run"])
        #expect(second.status == 69 && second.output.contains("Another earshot-agent"), "\(second.output)")
        kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
        #expect(await eventually { listed?.contains(#""running":[],"#) == true })
        // It holds nothing any more, and ends.
        #expect(try agent.command(["stop", "app"]).status == 0)
        #expect(await eventually { (try? agent.command(["status"]).status) == 69 })
    }

    @Test func anAppWithoutDeclaredModesIsTold() async throws {
        try home.install("app", modes: [])
        try agent.start()
        let process = try app()
        #expect(
            await eventually {
                lines.contains {
                    $0.contains("app.nearby.json does not declare bluetooth-central in UIBackgroundModes")
                }
            })
        kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
    }
}
