import EarshotMessages
import Foundation
import Glibc
import MessagesTestSupport
import TestSupport
import Testing

/// The agent's program with a real app.
@Suite(.apart, .serialized) struct AgentProgramTests {
    private let home: Home
    private let agent: AgentProcess

    init() throws {
        home = try Home()
        agent = try AgentProcess(home)
        try home.install("app")
    }

    private func app(_ arguments: [String] = []) throws -> Program {
        try agent.run(
            "background-app", ["\(home.path)/app.txt"] + arguments,
            variables: ["EARSHOT_APP_ID": "app", "EARSHOT_SERVICE": "http://127.0.0.1:9"])
    }

    private var lines: [String] {
        ((try? String(contentsOfFile: "\(home.path)/app.txt", encoding: .utf8)) ?? "").split(separator: "\n").map(
            String.init)
    }

    @Test func whatAnAppWantedGoesOnAfterItsEndAndTheAgents() async throws {
        try await onThread {
            try agent.start()
            let process = try app()
            #expect(try agent.waitForList { $0.contains(#""running":[\#(process.processIdentifier)]"#) })
            process.kill()
            #expect(
                try agent.waitForList { $0.contains(#""running":[],"#) && $0.contains(#""kind":"subscription""#) })
            agent.kill()
            try agent.start()
            #expect(try agent.waitForList { $0.contains(#""kind":"subscription""#) })
            agent.end(SIGTERM)
            try agent.start()
            #expect(try agent.waitForList { !$0.isEmpty })
            let text = try agent.command(["list"]).output
            // Without Bluetooth the radio listens at no time.
            #expect(
                text.hasPrefix("app  subscription") && text.contains(" on ble with problems  ")
                    && text.contains("radio 0 %"), "\(text)"
            )
            let status = try agent.command(["status"]).output
            #expect(status.contains("1 operation of 1 app") && status.contains("listens 0 % of the time"), "\(status)")
            #expect(try agent.command(["stop", "app"]).status == 0)
            let rest = try agent.command(["list"])
            #expect(rest.output == "Nothing runs in the background.\n", "\(rest) \(agent.log)")
            #expect(try agent.command(["forget", "nobody"]).status == 1)
            agent.end(SIGTERM)
            #expect(try agent.command(["status"]).status == 69)
        }
    }

    @Test func aMistypedCommandHasASuggestion() async throws {
        try await onThread {
            let refused = try agent.command(["lst"])
            #expect(refused.status == 64)
            #expect(
                refused.output.contains(
                    "earshot agent has no command 'lst'. Did you mean 'list'? 'earshot agent --help'"),
                "\(refused)")
        }
    }

    /// Without systemd the first app starts the agent, and another agent is refused.
    @Test func theFirstAppStartsTheAgent() async throws {
        try await onThread {
            defer { agent.killStranger() }
            let process = try app()
            #expect(try agent.waitForList { $0.contains(#""running":[\#(process.processIdentifier)]"#) })
            let second = try agent.command(["run"])
            #expect(second.status == 69 && second.output.contains("Another earshot-agent"), "\(second.output)")
            // With a state of its own too: it must not take the socket.
            let third = try agent.command(["run", "--state", "\(home.path)/another-state"])
            #expect(third.status == 69 && third.output.contains("listens at"), "\(third.output)")
            #expect(try agent.command(["status"]).status == 0)
            // Nor a file's place.
            let file = "\(home.path)/precious"
            try home.scratch.write("key", to: "precious")
            let fourth = try agent.command(["run", "--state", "\(home.path)/another-state", "--socket", file])
            #expect(
                fourth.status == 69 && fourth.output.contains("Cannot listen at \(file): file exists."),
                "\(fourth.output)")
            #expect(try String(contentsOfFile: file, encoding: .utf8) == "key")
            process.kill()
            #expect(try agent.waitForList { $0.contains(#""running":[],"#) })
            // The agent holds no operation any more, and ends.
            #expect(try agent.command(["stop", "app"]).status == 0)
            var status = try agent.command(["status"]).status
            for _ in 0..<300 where status != 69 {
                usleep(100_000)
                status = try agent.command(["status"]).status
            }
            #expect(status == 69)
        }
    }

    /// The folder is a link to itself, because root may list every real folder.
    @Test(arguments: ["disable", "remove"])
    func aConfigurationThatCannotBeSeenIsNotCalledMissing(command: String) async throws {
        try await onThread {
            let files = FileManager.default
            try files.createDirectory(atPath: "\(home.path)/config/earshot", withIntermediateDirectories: true)
            try files.createSymbolicLink(atPath: "\(home.path)/config/earshot/push", withDestinationPath: "push")
            let push = "\(home.path)/earshot-push"
            try files.createSymbolicLink(
                atPath: push, withDestinationPath: AgentProcess.folder.appendingPathComponent("earshot-agent").path)
            let program = try agent.run(push, [command, "ship"])
            _ = program.waitForEnd(within: 60)
            #expect(program.status == 74)
            #expect(
                program.error.contains("Cannot list \(home.path)/config/earshot/push: too many"), "\(program.error)")
            #expect(program.error.contains("'ship' may be one") && !program.error.contains("There is no configuration"))
        }
    }

    @Test func anAppWithoutDeclaredModesIsTold() async throws {
        try home.install("app", modes: [])
        try await onThread {
            try agent.start()
            let process = try app()
            defer { process.kill() }
            let sentence = "app.nearby.json does not declare bluetooth-central in UIBackgroundModes"
            for _ in 0..<300 where !lines.contains(where: { $0.contains(sentence) }) { usleep(100_000) }
            #expect(lines.contains { $0.contains(sentence) }, "\(lines)")
        }
    }

    /// The socket's mode already refuses other users. Here the mode allows all, and the agent refuses the user that the
    /// kernel names.
    @Test func anotherUsersProcessIsRefused() async throws {
        try await onThread {
            try agent.start()
            #expect(try agent.waitForList { _ in true })
            // Every folder above the socket must let the other user through.
            var folder = ""
            for component in home.socket.split(separator: "/").dropLast() {
                folder += "/\(component)"
                if folder.hasPrefix(home.path) { chmod(folder, 0o755) }
            }
            chmod(home.socket, 0o666)
            let own = try agent.command(["status", "--socket", home.socket])
            #expect(own.status == 0)
            let code = """
                import socket, struct
                s = socket.socket(socket.AF_UNIX); s.connect("\(home.socket)"); s.settimeout(30)
                body = b'{"hello":{"version":1}}'
                try:
                    s.sendall(struct.pack(">I", len(body)) + body)
                    print("answer:", s.recv(100))
                except (BrokenPipeError, ConnectionResetError):
                    print("answer: b''")
                """
            let scratch = try Scratch()
            let stranger = try Program(
                "setpriv", ["--reuid", "65534", "--regid", "65534", "--clear-groups", "python3", "-c", code],
                // Another user may not run a Python in this user's home.
                environment: agent.environment.merging(["PATH": "/usr/bin:/bin"]) { $1 }, in: scratch)
            #expect(
                stranger.waitForEnd(within: 60) && stranger.output == "answer: b''\n",
                "\(stranger.output)\(stranger.account)")
            withExtendedLifetime(scratch) {}
            for _ in 0..<100 where !agent.log.contains("65534") { usleep(50_000) }
            #expect(agent.log.contains("refused a connection of another user (65534)"), "\(agent.log)")
        }
    }
}
