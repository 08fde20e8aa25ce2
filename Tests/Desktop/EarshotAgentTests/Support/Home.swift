import EarshotBasics
import EarshotDiscovery
import EarshotMessages
import EarshotSystem
import Foundation
import MessagesTestSupport
import NearbyWire
import Synchronization
import TestSupport

@testable import EarshotAgent

/// A user's folders, and agents that use them.
final class Home: Sendable {
    static let allModes = ["bluetooth-central", "bluetooth-peripheral", "location"]

    let scratch: ScratchFolder
    let log = Lines()
    /// The agents of this process, which end with the test: each uses some of the user's inotify instances.
    private let agents = Mutex<[Agent]>([])

    init() throws { scratch = try ScratchFolder() }

    deinit {
        let agents = agents.withLock(\.self)
        Task { for agent in agents { await agent.close() } }
    }

    var path: String { scratch.path }
    var socket: String { "\(path)/run/agent.sock" }
    var state: String { "\(path)/state" }

    /// Writes an app's manifest, and the user's consent.
    func install(
        _ app: String, modes: [String] = allModes, command: [String]? = nil, notification: String? = nil,
        permission: String = "granted",
        location: String = "granted"
    ) throws {
        let commandText = command.map { ",\"EarshotCommand\":\($0)" } ?? ""
        let notificationText = notification.map { ",\"EarshotNotification\":\($0)" } ?? ""
        try scratch.write(
            "{\"UIBackgroundModes\":\(modes)\(commandText)\(notificationText)}", to: "config/\(app)/\(app).nearby.json")
        try scratch.write(
            "{\"permission\":\"\(permission)\",\"backgroundLocation\":\"\(location)\"}", to: "config/\(app)/nearby.json"
        )
    }

    /// An agent in this process, with simulated Bluetooth and a simulated service.
    func agent(
        _ air: Air, _ service: FakeService, number: Int = 1, _ change: (inout AgentOptions) -> Void = { _ in }
    ) throws -> Agent {
        try FileManager.default.createDirectory(atPath: "\(path)/run", withIntermediateDirectories: true)
        var options = AgentOptions(stateFolder: "\(state)\(number)", media: { [air.medium(.bluetooth)] }) { [log] in
            log.add($0)
        }
        options.internals.takesOverSocket = true
        options.internals.configurationFolder = "\(path)/config"
        options.internals.service = { service.client(key: $0) }
        options.internals.configure = { configuration in
            configuration.backOff.shortest = .milliseconds(20)
            configuration.backOff.longest = .milliseconds(100)
            configuration.internals.pace.reportDelay = .milliseconds(10)
            configuration.internals.pace.tokenTurn = .milliseconds(100)
            configuration.internals.pace.doubt = .seconds(6)
        }
        options.startIntervalSeconds = 0.2
        options.internals.resumptionSeconds = 0.1
        change(&options)
        let agent = try Agent(options, socketPath: socket)
        agent.start()
        agents.withLock { $0.append(agent) }
        return agent
    }

    /// Copies the files that a new agent would find if the present one ended now. The copy is needed because an agent in this process
    /// holds its lock until the process ends. Unfinished files are left out, because the running agent renames them meanwhile.
    func copyState(to number: Int) throws {
        let copy = "\(state)\(number)"
        try FileManager.default.createDirectory(atPath: copy, withIntermediateDirectories: true)
        chmod(copy, 0o700)
        for name in try PrivateFolder("\(state)1").names {
            try FileManager.default.copyItem(atPath: "\(state)1/\(name)", toPath: "\(copy)/\(name)")
        }
    }

    /// A device of another user in the same air.
    static func neighbour(in air: Air, _ service: FakeService, key: String = "key") -> MessageManager {
        let medium = air.medium(.bluetooth)
        return Device(in: air, service, key: key) { $0.media = { [medium] } }.manager
    }

    static let service = "http://nowhere.invalid"

    static func subscription(_ type: String = "") -> BackgroundOperation {
        BackgroundOperation(key: "key", service: service, type: type)
    }

    static func publication(_ text: String) -> BackgroundOperation {
        BackgroundOperation(key: "key", service: service, content: Data(text.utf8))
    }
}
