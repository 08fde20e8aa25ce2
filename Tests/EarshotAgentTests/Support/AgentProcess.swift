import Foundation
import Glibc
import Synchronization

/// A real `earshot-agent`, beside the tests.
final class AgentProcess: Sendable {
    static let folder = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()

    private let home: Home
    private let process = Mutex<Process?>(nil)

    init(_ home: Home) { self.home = home }

    deinit { kill() }

    var environment: [String: String] {
        var environment = ProcessInfo.processInfo.environment
        environment["HOME"] = home.path
        environment["XDG_CONFIG_HOME"] = "\(home.path)/config"
        environment["XDG_STATE_HOME"] = "\(home.path)/state"
        environment["XDG_RUNTIME_DIR"] = "\(home.path)/run"
        environment["EARSHOT_AGENT_SOCKET"] = home.socket
        environment["EARSHOT_AGENT"] = Self.folder.appendingPathComponent("earshot-agent").path
        return environment
    }

    func start(_ arguments: [String] = []) throws {
        try FileManager.default.createDirectory(atPath: "\(home.path)/run", withIntermediateDirectories: true)
        let started = Process()
        started.executableURL = Self.folder.appendingPathComponent("earshot-agent")
        started.arguments = ["run", "--claim-time", "86400"] + arguments
        started.environment = environment
        started.standardError = FileHandle.nullDevice
        try started.run()
        process.withLock { $0 = started }
    }

    /// Ends it without warning, as a power failure would.
    func kill() { end(SIGKILL) }

    func end(_ signal: CInt) {
        guard let running = process.withLock({ $0 }) else { return }
        _ = Glibc.kill(running.processIdentifier, signal)
        running.waitUntilExit()
        process.withLock { $0 = nil }
    }

    /// Runs one of its commands to the end.
    func command(_ arguments: [String]) throws -> (status: Int32, output: String) {
        let process = Process()
        let pipe = Pipe()
        process.executableURL = Self.folder.appendingPathComponent("earshot-agent")
        process.arguments = arguments
        process.environment = environment
        process.standardOutput = pipe
        process.standardError = pipe
        try process.run()
        let output = pipe.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return (process.terminationStatus, String(decoding: output, as: UTF8.self))
    }
}
