import Dispatch
import EarshotBasics
import EarshotMessages
import EarshotPush
import Foundation
import Glibc
import NearbyWire

/// A provider's process, from its start to its end.
struct ProviderRun {
    enum Phase: Hashable {
        /// `start` has not called its handler yet.
        case starting
        case active
        case stopping
    }

    /// Distinguishes the processes of one configuration: events of an earlier one are ignored.
    let number: Int
    /// The identity of the process on the disk.
    let name: String
    let process: pid_t
    let connection: AgentConnection
    let backlog: FrameBacklog
    /// The configuration with which it was started.
    let configuration: PushConfiguration
    let program: ProviderLocator.Program
    /// Seconds since 1970.
    let since: Double
    var phase = Phase.starting
    /// The time when its start succeeded, in seconds of a monotonic clock.
    var startedAt: Double?
    /// Whether it has closed its end of the socket.
    var isDisconnected = false
    /// Why its start failed.
    var startError: String?
    /// The next step, unless the process ends before.
    var deadline: Task<Void, Never>?
    var calls: TokenBucket
    var notifications: TokenBucket
    /// Why its latest notification was refused.
    var latestRefusal: String?

    /// Sends a signal to the process and to those that it has started.
    func signal(_ number: CInt) { kill(-process, number) }

    /// Whether the process must be replaced by one with other values.
    func differs(from other: PushConfiguration) -> Bool {
        configuration.provider != other.provider || configuration.app != other.app
            || configuration.providerConfiguration != other.providerConfiguration
    }
}

/// The state of a configuration in local push.
struct PushRecord {
    var configuration: PushConfiguration
    /// Whether its file is gone.
    var isRemoved = false
    var run: ProviderRun?
    var policy: RestartPolicy
    /// The pause before the next start.
    var retry: Task<Void, Never>?
    var restartCount = 0
    var lastError: String?
    var lastStopReason: PushStopReason?
    /// The provider reported that this Ethernet network is not its own.
    var isEthernetUnmatched = false
    /// The time since which the process of an earlier agent is in the way, in seconds of a monotonic clock.
    var leftoverSince: Double?
}

/// A connected process of an app that wants its events.
struct PushWatcher {
    let app: String
    let connection: AgentConnection
    let process: Int32
    /// The events that were sent to it.
    var sent: Set<String> = []
}
