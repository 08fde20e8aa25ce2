package import Foundation

/// A message in the form that the agent and the app exchange.
package struct AgentMessage: Codable, Sendable, Hashable {
    package var id: String
    package var content: Data
    package var type: String
    package var namespace: String
    package var isAuthenticated: Bool

    package init(id: String, content: Data, type: String, namespace: String, isAuthenticated: Bool) {
        self.id = id
        self.content = content
        self.type = type
        self.namespace = namespace
        self.isAuthenticated = isAuthenticated
    }
}

/// A found or lost message, from the agent to the app.
package enum AgentEvent: OneKeyFrame {
    case found(AgentMessage)
    /// The identifier of the message.
    case lost(String)

    package static let parts: [String: FramePart<AgentEvent>] = [
        "found": FramePart(AgentEvent.found), "lost": FramePart(AgentEvent.lost),
    ]

    /// The message that was found; nil if one was lost.
    package var message: AgentMessage? {
        if case .found(let message) = self { message } else { nil }
    }
}
