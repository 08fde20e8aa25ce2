package import Foundation

/// A message as the agent and the app exchange it.
package struct AgentMessage: Codable, Sendable, Hashable {
    package var id: String
    package var content: Data
    package var type: String
    package var namespace: String
    package var isAuthenticated: Bool

    package init(_ received: ReceivedMessage) {
        id = received.id
        content = received.message.content
        type = received.message.type
        namespace = received.message.namespace
        isAuthenticated = received.isAuthenticated
    }

    package var received: ReceivedMessage {
        ReceivedMessage(
            message: Message(content: content, type: type, namespace: namespace), isAuthenticated: isAuthenticated,
            id: id)
    }
}

/// A message found or lost, as the agent tells the app. One of the two is set.
package struct AgentEvent: Codable, Sendable, Hashable {
    package var found: AgentMessage?
    /// The identifier of the message.
    package var lost: String?

    package static func found(_ received: ReceivedMessage) -> AgentEvent {
        AgentEvent(found: AgentMessage(received), lost: nil)
    }

    package static func lost(_ id: String) -> AgentEvent { AgentEvent(found: nil, lost: id) }
}
