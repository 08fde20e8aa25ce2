/// A frame from the agent to a provider.
package enum ProviderOrder: OneKeyFrame {
    /// Increased with each change that an older provider would misunderstand.
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

        package init(_ reason: PushStopReason) { self.reason = reason.rawValue }
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

    case begin(Begin)
    case stop(Stop)
    case answer(Answer)

    package static let parts: [String: FramePart<ProviderOrder>] = [
        "begin": FramePart(ProviderOrder.begin), "stop": FramePart(ProviderOrder.stop),
        "answer": FramePart(ProviderOrder.answer),
    ]
}
