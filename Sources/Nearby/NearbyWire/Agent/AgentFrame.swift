/// A frame from the agent to a client.
package enum AgentFrame: OneKeyFrame {
    package struct Welcome: Codable, Sendable, Hashable {
        package var version: Int
        /// Whether the agent takes `notify`; nil for one that does not know it.
        package var notifies: Bool?

        package init(version: Int = AgentProtocol.version, notifies: Bool? = nil) {
            self.version = version
            self.notifies = notifies
        }
    }

    package struct Refusal: Codable, Sendable, Hashable {
        /// The operation; nil if the refusal is about the connection, which then ends.
        package var id: String?
        /// The reason and the remedy.
        package var sentence: String

        package init(id: String? = nil, _ sentence: String) {
            self.id = id
            self.sentence = sentence
        }
    }

    package struct State: Codable, Sendable, Hashable {
        package var id: String
        /// `inactive`, `starting` or `active`.
        package var status: String
        package var problems: [AgentProblem]

        package init(id: String, status: String, problems: [AgentProblem]) {
            self.id = id
            self.status = status
            self.problems = problems
        }
    }

    package struct Events: Codable, Sendable, Hashable {
        package var id: String
        /// Counts up from 1 in each connection; the app acknowledges it.
        package var sequence: Int
        package var events: [AgentEvent]

        package init(id: String, sequence: Int, events: [AgentEvent]) {
            self.id = id
            self.sequence = sequence
            self.events = events
        }
    }

    /// What became of a notification of the app.
    package struct Notified: Codable, Sendable, Hashable {
        package var id: String
        /// If not, the app tells its user itself.
        package var isShown: Bool

        package init(_ id: String, isShown: Bool) {
            self.id = id
            self.isShown = isShown
        }
    }

    case welcome(Welcome)
    case held(ClientFrame.Name)
    case released(ClientFrame.Name)
    case refusal(Refusal)
    case state(State)
    case events(Events)
    case overview(AgentOverview)
    case notified(Notified)
    /// The user clicked a notification that this process has let the agent show.
    case clicked(ClientFrame.Name)
    case pushStates(PushFrame.States)
    case pushEvent(PushFrame.Event)
    case pushOverview(PushFrame.Overview)

    package static let parts: [String: FramePart<AgentFrame>] = [
        "welcome": FramePart(AgentFrame.welcome),
        "held": FramePart(AgentFrame.held),
        "released": FramePart(AgentFrame.released),
        "refusal": FramePart(AgentFrame.refusal),
        "state": FramePart(AgentFrame.state),
        "events": FramePart(AgentFrame.events),
        "overview": FramePart(AgentFrame.overview),
        "notified": FramePart(AgentFrame.notified),
        "clicked": FramePart(AgentFrame.clicked),
        "pushStates": FramePart(AgentFrame.pushStates),
        "pushEvent": FramePart(AgentFrame.pushEvent),
        "pushOverview": FramePart(AgentFrame.pushOverview),
    ]
}
