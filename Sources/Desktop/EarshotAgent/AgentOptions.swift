package import Dispatch
public import EarshotDiscovery
package import EarshotMessages
public import EarshotNetworks
import Foundation
public import NearbyWire

/// The surroundings of an agent, and its limits.
public struct AgentOptions: Sendable {
    /// The folder of the states, `$XDG_STATE_HOME/earshot/agent`.
    public var stateFolder: String
    /// Creates the media of discovery, once for each app and service. Only those that work in the background are used.
    public var media: @Sendable () -> [any DiscoveryMedium]
    /// Creates the source of beacons; nil, or a result of nil, if the agent cannot hear any.
    public var beacons: (@Sendable () -> (any BeaconSource<DiscoveryProblem>)?)?
    /// How much of the time the radio listens. The overview shows it.
    public var scanShares = ScanShares()
    /// Notifies the user of an event for an app that is not running, if its manifest requests that.
    public var notifier: any AgentNotifier = NoNotifier()
    /// Starts apps in the user's session; nil if the agent starts them itself.
    public var launcher: (any AppLaunching)?
    /// The minimum time between two starts of one app.
    public var startIntervalSeconds = 10.0
    /// A process of an app must request the operations of an earlier process again within this time; the others then
    /// end.
    public var claimSeconds = 30.0
    /// Whether `onIdle` is called when there is neither a client nor an operation.
    public var endsWhenIdle = false
    /// Receives a line for people at each step; lines contain no key, session or content.
    public var log: @Sendable (String) -> Void
    /// Local push; nil for an agent without it.
    public var push: PushOptions?
    /// The values that only programs and tests of this package set.
    package var internals = Internals()

    /// Options with these values; see the properties of the same names.
    public init(
        stateFolder: String, media: @escaping @Sendable () -> [any DiscoveryMedium],
        beacons: (@Sendable () -> (any BeaconSource<DiscoveryProblem>)?)? = nil,
        log: @escaping @Sendable (String) -> Void
    ) {
        self.stateFolder = stateFolder
        self.media = media
        self.beacons = beacons
        self.log = log
    }

    /// The share of time in which an operation needs the radio to listen; 0 ... 1. All operations share one scan.
    func radioShare(of order: BackgroundOperation) -> Double {
        let forTokens = order.discoveryMode.contains(.scan) ? scanShares.tokens : 0
        let forBeacons = order.beacons.map { $0.scan.usesLowPower ? scanShares.lowPower : 1 } ?? 0
        return max(forTokens, forBeacons)
    }

    /// `$XDG_STATE_HOME/earshot/agent`, below `~/.local/state` by default; nil without a home.
    public static var systemStateFolder: String? {
        let environment = ProcessInfo.processInfo.environment
        if let base = environment["XDG_STATE_HOME"], base.hasPrefix("/") { return "\(base)/earshot/agent" }
        return environment["HOME"].flatMap { $0.hasPrefix("/") ? "\($0)/.local/state/earshot/agent" : nil }
    }
}

/// The shares of time in which the radio listens, 0 ... 1.
public struct ScanShares: Sendable, Hashable {
    /// For devices.
    public var tokens = 1.0
    /// For beacons in low power.
    public var lowPower = 1.0

    /// It listens all the time.
    public init() {}
}

/// What local push runs on, and its limits.
public struct PushOptions: Sendable {
    /// Reports the network.
    public var networks: any NetworkWatching
    /// Reports when the machine sleeps, so that providers stop before; nil for no reports.
    public var sleeps: (any SleepWatching)?
    /// Replaces the user's folder of configurations.
    package var folder: String?
    /// Replaces the folders of providers.
    package var providerFolders: [String]?
    /// Watches a folder; nil if the system cannot watch more.
    package var watch:
        @Sendable (_ folder: String, DispatchQueue, _ onChange: @escaping @Sendable () -> Void) -> FolderWatch? = {
            FolderWatch(folder: $0, queue: $1, onChange: $2)
        }
    package var times = PushTimes()
    /// The numbers of calls and of notifications that a provider may report in a minute.
    package var callsPerMinute = 30.0
    package var notificationsPerMinute = 60.0

    /// Local push on these networks.
    public init(networks: any NetworkWatching, sleeps: (any SleepWatching)? = nil) {
        self.networks = networks
        self.sleeps = sleeps
    }
}

extension AgentOptions {
    /// The part of the options that other programs do not see.
    package struct Internals: Sendable {
        /// Replaces `$XDG_CONFIG_HOME`.
        package var configurationFolder: String?
        /// Replaces HTTP in tests.
        package var service: (@Sendable (_ key: String) -> any MessageService)?
        package var clock = AgentClock()
        /// Whether it may remove the socket of an agent that runs. Tests start the next agent while the last one still exists.
        package var takesOverSocket = false
        /// Changes the configuration of managers in tests.
        package var configure: (@Sendable (inout MessageManager.Configuration) -> Void)?
        /// The time after its own start in which the agent starts no app for messages. A process that the last agent
        /// knew reconnects in that time: `AgentClient` pauses for at most 5 s.
        package var resumptionSeconds = 6.0
        /// How long a message that was near before a restart may take to be found again.
        package var doubtSeconds = 60.0
    }
}
