import ArgumentParser
import Dispatch
import EarshotAgent
import EarshotBluetooth
import EarshotConsole
import EarshotDiscovery
import EarshotMessages
import EarshotNetworks
import Foundation
import NearbyWire

/// Runs the agent.
struct RunCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "run",
        abstract: "Run the agent.",
        discussion: """
            Operations survive a crash of this program, a logout and a restart of the machine.

            systemd starts it when the first app connects, once its socket is enabled: 'systemctl --user enable --now \
            earshot-agent.socket'. Without systemd the first app starts it, or you: it runs in the foreground and writes its log to standard error.

            FILES:
              $XDG_RUNTIME_DIR/earshot/agent.sock    where it listens, unless
                                                     EARSHOT_AGENT_SOCKET or
                                                     --socket names another
              $XDG_STATE_HOME/earshot/agent/         a file for each app
              APP.nearby.json                        what an app may do

            Exit codes: 69 another agent runs, or the socket or the state cannot be used.
            """)

    @Option(
        help: ArgumentHelp(
            "Listen here. (default: $EARSHOT_AGENT_SOCKET, or $XDG_RUNTIME_DIR/earshot/agent.sock)", valueName: "path"))
    var socket: String?

    @Option(help: ArgumentHelp("Keep the state here. (default: $XDG_STATE_HOME/earshot/agent)", valueName: "folder"))
    var state: String?

    @Option(
        help: ArgumentHelp(
            "The Bluetooth adapter. (default: EARSHOT_ADAPTER, or \"adapter\" in ~/.config/earshot/bluetooth.json, or the "
                + "first that is on)", valueName: "hci0"))
    var adapter: String?

    @Option(help: ArgumentHelp("How much of the time the radio listens for devices: low (37 %) or continuous."))
    var power = RadioPower.low

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("Start an app at most once in this time.", valueName: "seconds"))
    var startInterval = 10.0

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "End operations that an app's new process does not request again within this time.", valueName: "seconds"))
    var claimTime = 30.0

    @Flag(help: "After the first app: end when no app is connected and no operation is left.")
    var endWhenIdle = false

    func validate() throws {
        if let adapter { try AdapterName.check(adapter) }
        for (name, path) in [("--socket", socket), ("--state", state)] {
            if let path, !path.hasPrefix("/") { throw ValidationError("\(name) \(path): give an absolute path.") }
        }
        for (name, seconds) in [("--start-interval", startInterval), ("--claim-time", claimTime)] {
            if !(seconds >= 0.1 && seconds <= 86_400) {
                throw ValidationError("\(name) \(seconds): give 0.1 to 86400 seconds.")
            }
        }
    }

    func run() throws {
        let ending = Ending()
        Interruption.request { ending.request() }
        guard let folder = state ?? AgentOptions.systemStateFolder else {
            throw Failure(.unavailable, "There is no home folder for the state. Set HOME, or give --state.")
        }
        let system = MessageManager.Configuration.system(media: { _ in [] })
        // Warns of settings that are ignored.
        _ = system.media()
        let radio = AgentMedia(
            adapter: adapter ?? system.devices.adapter,
            power: power.scanPower
        ) { Self.log($0) }
        var options = AgentOptions(stateFolder: folder, media: { radio.media }, beacons: { radio.beacons }) {
            Self.log($0)
        }
        options.scanShares.tokens = power.scanPower.share
        options.scanShares.lowPower = ScanPower.low.share
        options.notifier = DesktopNotifier { Self.log($0) }
        options.push = PushOptions(networks: SystemNetworks(), sleeps: LogindSleep())
        options.launcher = SystemdLauncher()
        options.startIntervalSeconds = startInterval
        options.claimSeconds = claimTime
        options.endsWhenIdle = endWhenIdle
        let running: Agent
        do throws(Agent.Failure) {
            running = try Agent(options, socketPath: socket ?? AgentSocket.systemPath) { ending.request() }
        } catch {
            throw EarshotConsole.Failure(.unavailable, error.description)
        }
        running.start()
        Self.log("ready")
        let over = DispatchSemaphore(value: 0)
        ending.onRequest {
            Task {
                await running.settle()
                over.signal()
            }
        }
        over.wait()
        Self.log("ends; the operations continue when it is started again")
        // Not `exit`: the managers are still running, and their sessions must stay open for the next agent.
        _exit(0)
    }

    /// The journal adds the time itself.
    private static let isInJournal = ProcessInfo.processInfo.environment["JOURNAL_STREAM"] != nil

    private static func log(_ line: String) {
        let text = line.escapedForTerminal
        StandardStream.error.print(isInJournal ? text : "\(ClockText.utc(nanosecondsAgo: 0))  \(text)")
    }
}

/// How much of the time the radio listens for devices.
enum RadioPower: String, ExpressibleByArgument, CaseIterable {
    case low, continuous

    var scanPower: ScanPower {
        switch self {
        case .low: .low
        case .continuous: .continuous
        }
    }
}
