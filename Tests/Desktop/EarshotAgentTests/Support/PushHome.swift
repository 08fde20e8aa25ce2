import EarshotMessages
import EarshotNetworks
import EarshotPush
import Foundation
import Glibc
import MessagesTestSupport
import NearbyWire
import Synchronization
import TestSupport
import Testing

@testable import EarshotAgent

/// A user's folders with a provider installed, and agents that use them with a network of the test.
final class PushHome: Sendable {
    let home: Home
    let networks = FakeNetworks()
    let sleeps = FakeSleeps()
    let store: PushConfigurationStore
    /// The path of the provider's output.
    let file: String
    /// The path of the app's output.
    let appFile: String

    init() throws {
        home = try Home()
        store = PushConfigurationStore(folder: "\(home.path)/config/earshot/push")
        file = "\(home.path)/provider.txt"
        appFile = "\(home.path)/app.txt"
        for folder in ["bin", "providers", "calls", "run"] { mkdir("\(home.path)/\(folder)", 0o755) }
        try copy()
        try installProvider()
    }

    /// Copies the program, because other users may be able to write to the folder of the build.
    ///
    /// Another process writes the copy: a program that a test starts meanwhile would inherit this process's descriptor, and a file that
    /// is open for writing cannot be run.
    func copy(to folder: String = "bin") throws {
        let program = AgentProcess.folder.appendingPathComponent("push-provider")
        let (target, new) = ("\(home.path)/\(folder)/push-provider", "\(home.path)/\(folder)/.new")
        let copying = try Program("/bin/cp", ["--", program.path, new], environment: [:], in: Scratch())
        _ = copying.waitForEnd(within: 60)
        try #require(copying.status == 0)
        chmod(new, 0o755)
        rename(new, target)
    }

    func installProvider(_ id: String = "org.example.Provider") throws {
        try home.scratch.write(
            #"{"EarshotCommand":["\#(home.path)/bin/push-provider"]}"#, to: "providers/\(id).json")
        chmod("\(home.path)/providers/\(id).json", 0o644)
    }

    /// The app's manifest.
    func installApp(_ app: String = "app", modes: [String] = ["voip"], arguments: [String] = []) throws {
        let program = AgentProcess.folder.appendingPathComponent("push-app").path
        try home.install(app, modes: modes, command: [program, appFile] + arguments)
    }

    /// A configuration for a Wi-Fi network.
    func configuration(_ ssid: String = "Ship", app: String = "app", mode: String = "") -> PushConfiguration {
        var configuration = PushConfiguration(app: app)
        configuration.ssids = [Array(ssid.utf8)]
        configuration.provider = "org.example.Provider"
        configuration.providerConfiguration = ["file": .string(file), "mode": .string(mode)]
        configuration.isEnabled = true
        return configuration
    }

    func agent(_ change: (inout AgentOptions) -> Void = { _ in }) throws -> Agent {
        try home.agent(Air(), FakeService()) { options in
            options.push = PushOptions(networks: networks, sleeps: sleeps)
            options.push?.folder = store.path
            options.push?.providerFolders = ["\(home.path)/providers"]
            options.push?.times.resumption = 0.1
            options.push?.callsPerMinute = 60_000
            change(&options)
        }
    }

    /// The provider's lines, without the numbers of processes.
    var lines: [String] {
        Self.lines(file).map { $0.split(separator: " ").prefix(while: { Int($0) == nil }).joined(separator: " ") }
    }
    var processes: [pid_t] {
        Self.lines(file).filter { $0.hasPrefix("active") }.compactMap {
            $0.split(separator: " ").last.flatMap { pid_t($0) }
        }
    }
    var appLines: [String] { Self.lines(appFile) }

    private static func lines(_ path: String) -> [String] {
        ((try? String(contentsOfFile: path, encoding: .utf8)) ?? "").split(separator: "\n").map(String.init)
    }

    func overview() async throws -> PushFrame.Overview {
        let socket = home.socket
        return try await onThread {
            let client = try RawClient(socket, app: nil)
            try client.send(.request(ClientFrame.Request(.push)))
            return try client.wait { frame in if case .pushOverview(let overview) = frame { overview } else { nil } }
        }
    }

    func state(_ identifier: String) async -> PushFrame.Overview.Configuration? {
        (try? await overview())?.configurations.first { $0.identifier == identifier }
    }

    /// A call of the server.
    func call(_ name: String) throws { try home.scratch.write("", to: "calls/\(name)") }

    var openCalls: [String] { (try? FileManager.default.contentsOfDirectory(atPath: "\(home.path)/calls")) ?? [] }
}

/// A network that the test sets.
final class FakeNetworks: NetworkWatching {
    private let state = Mutex<(last: NetworkSituation, readers: [AsyncStream<NetworkSituation>.Continuation])>(
        (NetworkSituation(primary: nil, source: .kernel), []))

    func set(_ network: Network?, problem: String? = nil) {
        state.withLock { state in
            state.last = NetworkSituation(primary: network, source: .kernel, problem: problem)
            for reader in state.readers { reader.yield(state.last) }
        }
    }

    func join(_ ssid: String) { set(.wifi(ssid: Array(ssid.utf8))) }

    func situations() -> AsyncStream<NetworkSituation> {
        let (stream, continuation) = AsyncStream.makeStream(of: NetworkSituation.self)
        state.withLock { state in
            state.readers.append(continuation)
            continuation.yield(state.last)
        }
        return stream
    }
}

final class FakeSleeps: SleepWatching {
    private let readers = Mutex<[AsyncStream<Bool>.Continuation]>([])

    func set(_ isAsleep: Bool) { for reader in readers.withLock(\.self) { reader.yield(isAsleep) } }

    func sleeps() -> AsyncStream<Bool> {
        let (stream, continuation) = AsyncStream.makeStream(of: Bool.self)
        readers.withLock { $0.append(continuation) }
        return stream
    }
}
