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
    var socket: Socket
    /// The configuration with which it was started.
    let configuration: PushConfiguration
    let program: ProviderLocator.Program
    /// Seconds since 1970.
    let since: Double
    var phase = Phase.starting
    /// The time when its start succeeded, in seconds of a monotonic clock.
    var startedAt: Double?
    /// Why its start failed.
    var startError: String?
    /// The next step, unless the process ends before.
    var deadline: Task<Void, Never>?
    var rates: Rates

    /// The agent's end of its socket.
    struct Socket {
        let connection: AgentConnection
        let backlog: FrameBacklog
        /// Whether the process has closed its end.
        var isClosed = false
    }

    /// How much it may still report.
    struct Rates {
        var calls: TokenBucket
        var notifications: TokenBucket
        /// Why its latest notification was refused.
        var latestRefusal: String?

        init(_ push: PushOptions) {
            calls = TokenBucket(burst: push.callsPerMinute, perSecond: push.callsPerMinute / 60)
            notifications = TokenBucket(
                burst: push.notificationsPerMinute, perSecond: push.notificationsPerMinute / 60)
        }
    }

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
