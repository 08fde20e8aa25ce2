package import Foundation

/// The frames of local push between apps and the agent; docs/AGENT.md describes them.
package enum PushFrame {
    /// Increased with each change that an older program would misunderstand.
    package static let version = 1
    /// The maximum size of a call's `userInfo`, as JSON.
    package static let maximumUserInfoByteCount = 64 << 10
    /// The maximum number of events that wait for an app.
    package static let maximumWaitingCount = 32

    /// From an app: requests the states of its configurations, and the events of its providers.
    package struct Watch: Codable, Sendable, Hashable {
        /// The maximum of `taken`.
        package static let maximumTakenCount = 64

        package var version: Int
        /// The latest events that this process has received: an agent that died may not know that.
        package var taken: [String]

        package init(version: Int = PushFrame.version, taken: [String] = []) {
            self.version = version
            self.taken = taken
        }
    }

    /// From an app: its delegate has received these events.
    package struct Taken: Codable, Sendable, Hashable {
        package var ids: [String]

        package init(_ ids: [String]) { self.ids = ids }
    }

    /// The states of all configurations of the app.
    package struct States: Codable, Sendable, Hashable {
        /// The configurations whose provider has started.
        package var active: [String]

        package init(active: [String]) { self.active = active }
    }

    /// Something that a provider reports to its app.
    package struct Event: Codable, Sendable, Hashable {
        package enum Kind: String, Codable, Sendable, Hashable {
            /// An incoming call.
            case call
            /// A message of push-to-talk.
            case talk
            /// The user clicked a notification of the provider; `userInfo` has `identifier`, `title` and `body`.
            case click
        }

        package var id: String
        package var configuration: String
        package var kind: Kind
        /// A dictionary as the JSON of `PropertyList`.
        package var userInfo: Data

        package init(id: String, configuration: String, kind: Kind, userInfo: Data) {
            self.id = id
            self.configuration = configuration
            self.kind = kind
            self.userInfo = userInfo
        }
    }

    /// The agent's whole work for local push, for people. It contains no providerConfiguration and no userInfo.
    package struct Overview: Codable, Sendable, Hashable {
        package struct Configuration: Codable, Sendable, Hashable {
            package var identifier: String
            package var app: String
            package var description: String?
            package var provider: String?
            /// The networks for people.
            package var networks: [String]
            package var isEnabled: Bool
            package var supersededBy: String?
            package var isMatching: Bool
            /// `stopped`, `waiting`, `starting`, `active` or `stopping`.
            package var state: String
            package var process: Int32?
            /// The start of the provider's process, in seconds since 1970.
            package var since: Double?
            package var restartCount: Int
            package var lastError: String?
            package var lastStopReason: String?
            /// The events that wait for the app.
            package var waitingCount: Int

            package init(
                identifier: String, app: String, description: String?, provider: String?, networks: [String],
                isEnabled: Bool, supersededBy: String?, isMatching: Bool, state: String, process: Int32?,
                since: Double?, restartCount: Int, lastError: String?, lastStopReason: String?, waitingCount: Int
            ) {
                self.identifier = identifier
                self.app = app
                self.description = description
                self.provider = provider
                self.networks = networks
                self.isEnabled = isEnabled
                self.supersededBy = supersededBy
                self.isMatching = isMatching
                self.state = state
                self.process = process
                self.since = since
                self.restartCount = restartCount
                self.lastError = lastError
                self.lastStopReason = lastStopReason
                self.waitingCount = waitingCount
            }
        }

        package struct Line: Codable, Sendable, Hashable {
            /// Seconds since 1970.
            package var time: Double
            package var text: String

            package init(time: Double, text: String) {
                self.time = time
                self.text = text
            }
        }

        /// The network with the primary route, for people; nil for none, or while no configuration is enabled.
        package var network: String?
        /// The source of the network; nil while no configuration is enabled.
        package var networkSource: String?
        /// The problems of files, folders and the network.
        package var problems: [String]
        package var configurations: [Configuration]
        /// The latest last.
        package var log: [Line]

        package init(
            network: String?, networkSource: String?, problems: [String], configurations: [Configuration], log: [Line]
        ) {
            self.network = network
            self.networkSource = networkSource
            self.problems = problems
            self.configurations = configurations
            self.log = log
        }
    }
}
