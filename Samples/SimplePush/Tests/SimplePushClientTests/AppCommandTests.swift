import Foundation
import SimplePushClient
import SimplePushKit
import SimplePushServer
import SimplePushTestSupport
import Testing

/// The app itself, with a folder of its own for its settings and a server in this process. No agent runs.
@Suite struct AppCommandTests {
    private struct Outcome {
        var status: Int32
        var output: String
        var problem: String
    }

    private func run(_ arguments: [String], _ folder: String) async throws -> Outcome {
        let process = Process()
        process.executableURL = Bundle.main.executableURL?.deletingLastPathComponent()
            .appendingPathComponent("simplepush")
        process.arguments = arguments
        var environment = ProcessInfo.processInfo.environment
        for (variable, name) in [
            ("XDG_CONFIG_HOME", "config"), ("XDG_STATE_HOME", "state"), ("XDG_RUNTIME_DIR", "run"), ("HOME", "home"),
        ] {
            environment[variable] = "\(folder)/\(name)"
        }
        process.environment = environment
        let (output, problem) = (Pipe(), Pipe())
        process.standardOutput = output
        process.standardError = problem
        process.standardInput = FileHandle.nullDevice
        try process.run()
        return try await Task.detached {
            let said = String(decoding: try output.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
            let complained = String(decoding: try problem.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
            process.waitUntilExit()
            return Outcome(status: process.terminationStatus, output: said, problem: complained)
        }.value
    }

    /// Writes settings without configuring the agent.
    private func settle(_ world: World, _ user: String, port: Int? = nil, secret: String = World.secret) throws
        -> String
    {
        let folder = "\(world.folder)/\(user)"
        let file = SettingsFile(environment: ["XDG_CONFIG_HOME": folder + "/config"])
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        _ = FileManager.default.createFile(
            atPath: folder + "/secret", contents: Data(secret.utf8), attributes: [.posixPermissions: 0o600])
        try file.save(
            ClientSettings(
                host: "127.0.0.1", port: port ?? world.server.address.port, ssids: ["Ship"], usesEthernet: false,
                user: user, name: "Name of \(user)", secretFile: folder + "/secret", keyFile: file.keyPath,
                isEnabled: true))
        return folder
    }

    @Test func withoutSettingsItSaysWhatToDo() async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("app-\(UUID().uuidString)").path
        defer { try? FileManager.default.removeItem(atPath: folder) }
        for arguments in [["contacts"], ["text", "ben", "x"], ["call", "ben"], ["hangup"], ["accept"], ["settings"]] {
            let outcome = try await run(arguments, folder)
            #expect(outcome.status == 78, "\(arguments)")
            #expect(outcome.problem.contains("simplepush settings --host"), "\(outcome.problem)")
        }
        #expect(try await run(["text", "ben"], folder).status == 64)
        #expect(try await run(["settings", "--user", "a b"], folder).status == 64)
        let help = try await run(["--help"], folder)
        #expect(help.status == 0 && help.output.contains("simplepush call ben"))
    }

    @Test func twoUsersSeeEachOtherAndWrite() async throws {
        try await World.with(isSecure: true) { world in
            let ann = try settle(world, "ann")
            #expect(try await run(["contacts"], ann).output == "There is no other user yet.\n")
            let ben = try await world.client("ben", .notification)
            let contacts = try await run(["contacts"], ann)
            #expect(contacts.status == 0 && contacts.output == "ben  Name of ben  here\n")
            let line = try await run(["contacts", "--json"], ann).output
            #expect(line == #"{"event":"user","isHere":true,"name":"Name of ben","user":"ben"}"# + "\n")
            let sent = try await run(["text", "ben", "Dinner", "at", "eight?"], ann)
            #expect(sent.status == 0 && sent.output == "Sent.\n", "\(sent)")
            #expect(try await ben.text()?.text == "Dinner at eight?")
            #expect(try await run(["texts", "ben"], ann).output == "You: Dinner at eight?\n")
            #expect(try await run(["texts", "dan"], ann).output == "There is no text yet.\n")
            ben.close()
            try await Task.sleep(for: .milliseconds(200))
            #expect(try await run(["text", "ben", "later"], ann).output == "The server keeps it: ben is away.\n")
        }
    }

    @Test func failuresHaveSentencesAndNumbers() async throws {
        try await World.with(isSecure: true) { world in
            let ann = try settle(world, "ann")
            let nobody = try await run(["text", "nobody", "x"], ann)
            #expect(nobody.status == 67 && nobody.problem == "simplepush: There is no user nobody.\n")
            #expect(try await run(["hangup"], ann).status == 65)
            let wrong = try await run(["contacts"], try settle(world, "eve", secret: "another secret 0123456789"))
            #expect(wrong.status == 77 && wrong.problem.contains("has another secret"), "\(wrong)")
            let taken = try settle(world, "ann2")
            let file = SettingsFile(environment: ["XDG_CONFIG_HOME": taken + "/config"])
            var settings = try file.load()
            settings.user = "ann"
            try file.save(settings)
            let refused = try await run(["contacts"], taken)
            #expect(refused.status == 77 && refused.problem.contains("The name ann is taken"), "\(refused)")
            let away = try await run(["contacts"], try settle(world, "dan", port: 1))
            #expect(away.status == 69 && away.problem.contains("connection refused"), "\(away)")
        }
    }

    @Test func aCallIsDeclinedFromTheCommandLine() async throws {
        try await World.with(isSecure: true) { world in
            let ann = try settle(world, "ann")
            let ben = try settle(world, "ben")
            #expect(try await run(["contacts"], ben).status == 0)
            async let call = run(["call", "ben", "--json"], ann)
            var declined = try await run(["decline"], ben)
            for _ in 0..<50 where declined.status != 0 { declined = try await run(["decline"], ben) }
            #expect(declined.output == "You declined Name of ann's call.\n")
            let ended = try await call
            #expect(ended.status == 1, "The call was not answered.")
            #expect(ended.output.contains(#""end":"declined""#), "\(ended.output)")
        }
    }
}
