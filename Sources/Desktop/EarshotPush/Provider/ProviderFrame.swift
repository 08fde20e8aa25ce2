package import EarshotMessages
import Foundation

/// A frame from the agent to a provider: exactly one of the parts. docs/AGENT.md describes them.
package struct ProviderOrder: Codable, Sendable, Hashable {
    /// Raised by any change that an older provider would misunderstand.
    package static let version = 1

    /// The first frame: start.
    package struct Begin: Codable, Sendable, Hashable {
        package var version = ProviderOrder.version
        package var configuration: String
        package var app: String
        package var providerConfiguration: PropertyList
        /// The time between two timer events.
        package var timerSeconds: Double

        package init(
            configuration: String, app: String, providerConfiguration: PropertyList, timerSeconds: Double
        ) {
            self.configuration = configuration
            self.app = app
            self.providerConfiguration = providerConfiguration
            self.timerSeconds = timerSeconds
        }
    }

    /// Stop, for this reason, and end.
    package struct Stop: Codable, Sendable, Hashable {
        package var reason: Int
    }

    /// The answer to a report.
    package struct Answer: Codable, Sendable, Hashable {
        package var id: String
        /// Why the report was refused; nil if it is on the disk.
        package var refusal: String?

        package init(id: String, refusal: String? = nil) {
            self.id = id
            self.refusal = refusal
        }
    }

    package var begin: Begin?
    package var stop: Stop?
    package var answer: Answer?

    package static func begin(_ begin: Begin) -> ProviderOrder { ProviderOrder(begin: begin) }
    package static func stop(_ reason: PushStopReason) -> ProviderOrder {
        ProviderOrder(stop: Stop(reason: reason.rawValue))
    }
    package static func answer(_ answer: Answer) -> ProviderOrder { ProviderOrder(answer: answer) }

    package var isValid: Bool { [begin != nil, stop != nil, answer != nil].count(where: \.self) == 1 }
}

/// A frame from a provider to the agent: exactly one of the parts.
package struct ProviderFrame: Codable, Sendable, Hashable {
    /// `start` has called its completion handler.
    package struct Started: Codable, Sendable, Hashable {
        /// nil for success.
        package var error: String?

        package init(error: String? = nil) { self.error = error }
    }

    /// A call or a message of push-to-talk. The answer comes when it is on the disk.
    package struct Report: Codable, Sendable, Hashable {
        /// Unique within the process; 1 to 64 bytes.
        package var id: String
        package var kind: PushFrame.Event.Kind
        package var userInfo: PropertyList

        package init(id: String, kind: PushFrame.Event.Kind, userInfo: PropertyList) {
            self.id = id
            self.kind = kind
            self.userInfo = userInfo
        }
    }

    /// A notification to show. The answer comes when it is on the disk.
    package struct Notify: Codable, Sendable, Hashable {
        /// The limits of the texts.
        package static let maximumIdentifierByteCount = 128
        package static let maximumTitleByteCount = 256
        package static let maximumBodyByteCount = 4_096

        /// See `Report.id`.
        package var id: String
        /// A notification with the identifier of one that is shown replaces it.
        package var identifier: String
        package var title: String
        package var body: String

        package init(id: String, identifier: String, title: String, body: String) {
            self.id = id
            self.identifier = identifier
            self.title = title
            self.body = body
        }
    }

    /// A part without content.
    package struct Nothing: Codable, Sendable, Hashable {
        package init() {}
    }

    package var started: Started?
    package var report: Report?
    package var notify: Notify?
    /// `stop` has called its completion handler.
    package var stopped: Nothing?
    /// The Ethernet that has the primary route is not the provider's.
    package var unmatchEthernet: Nothing?

    package static func started(_ error: String?) -> ProviderFrame { ProviderFrame(started: Started(error: error)) }
    package static func report(_ report: Report) -> ProviderFrame { ProviderFrame(report: report) }
    package static func notify(_ notify: Notify) -> ProviderFrame { ProviderFrame(notify: notify) }
    package static let stopped = ProviderFrame(stopped: Nothing())
    package static let unmatchEthernet = ProviderFrame(unmatchEthernet: Nothing())

    package var isValid: Bool {
        [started != nil, report != nil, notify != nil, stopped != nil, unmatchEthernet != nil].count(where: \.self) == 1
    }
}
