import Foundation
import Glibc
import Synchronization
import TestSupport

/// A real `earshot-agent` from the folder of the tests. The calls of this class block, so call them on a separate
/// thread.
///
/// Unchecked, because the scratch folder is not Sendable; it does not change.
final class AgentProcess: @unchecked Sendable {
    static let folder = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
    private static let program = folder.appendingPathComponent("earshot-agent").path

    private let home: Home
    private let scratch: Scratch
    private let process = Mutex<Program?>(nil)

    init(_ home: Home) throws {
        self.home = home
        scratch = try Scratch()
        try FileManager.default.createDirectory(atPath: "\(home.path)/run", withIntermediateDirectories: true)
    }

    deinit { kill() }

    /// The environment of the user's programs.
    var environment: [String: String] {
        [
            "PATH": ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin", "HOME": home.path,
            "XDG_CONFIG_HOME": "\(home.path)/config", "XDG_STATE_HOME": "\(home.path)/state",
            "XDG_RUNTIME_DIR": "\(home.path)/run", "EARSHOT_AGENT_SOCKET": home.socket,
            "EARSHOT_AGENT": Self.program,
            // Nothing here may reach the machine's own services.
            "DBUS_SYSTEM_BUS_ADDRESS": "unix:path=\(home.path)/none",
            "DBUS_SESSION_BUS_ADDRESS": "unix:path=\(home.path)/none",
        ]
    }

    /// The agent's output on standard error since its start.
    var log: String { process.withLock { $0?.error ?? "" } }

    func start(_ arguments: [String] = [], variables: [String: String] = [:]) throws {
        let started = try Program(
            Self.program, ["run", "--claim-time", "86400"] + arguments,
            environment: environment.merging(variables) { $1 }, in: scratch)
        process.withLock { $0 = started }
        // An app that finds no agent starts one of its own.
        for _ in 0..<600 where started.isRunning {
            if (try? RawClient(home.socket, app: nil, attempts: 1)) != nil { return }
            usleep(50_000)
        }
    }

    /// Kills the agent without warning, as a power failure would.
    func kill() { end(SIGKILL) }

    func end(_ signal: CInt) {
        process.withLock { process in
            process?.signal(signal)
            _ = process?.waitForEnd(within: 60)
            process = nil
        }
    }

    /// Starts another program of the user, by its name or by its path.
    func run(
        _ name: String, _ arguments: [String] = [], variables: [String: String] = [:]
    ) throws -> Program {
        try Program(
            name.hasPrefix("/") ? name : Self.folder.appendingPathComponent(name).path, arguments,
            environment: environment.merging(variables) { $1 },
            in: scratch)
    }

    /// Runs one of the agent's commands to the end.
    func command(_ arguments: [String]) throws -> (status: Int32?, output: String) {
        let program = try run("earshot-agent", arguments)
        _ = program.waitForEnd(within: 60)
        return (program.status, program.output + program.error)
    }

    /// Waits until the list of operations, as JSON, satisfies a condition.
    func waitForList(_ condition: (String) -> Bool) throws -> Bool {
        for _ in 0..<300 {
            let list = try command(["list", "--json"])
            if list.status == 0, condition(list.output) { return true }
            usleep(100_000)
        }
        return false
    }

    /// Ends an agent that an app has started.
    func killStranger() {
        guard let status = try? command(["status", "--json"]), status.status == 0,
            let object = try? JSONSerialization.jsonObject(with: Data(status.output.utf8)) as? [String: Any],
            let process = object["process"] as? Int
        else { return }
        _ = Glibc.kill(pid_t(process), SIGKILL)
    }
}
