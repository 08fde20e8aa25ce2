package import NearbyWire

extension AgentFrame.State {
    package init(id: String, status: OperationStatus, problems: [AgentProblem]) {
        self.init(id: id, status: "\(status)", problems: problems)
    }

    /// The status in the app; `inactive` if this version does not know it.
    package var operationStatus: OperationStatus {
        OperationStatus.allCases.first { "\($0)" == status } ?? .inactive
    }
}

extension AgentMessage {
    package init(_ received: ReceivedMessage) {
        self.init(
            id: received.id, content: received.message.content, type: received.message.type,
            namespace: received.message.namespace, isAuthenticated: received.isAuthenticated)
    }

    package var received: ReceivedMessage {
        ReceivedMessage(
            message: Message(content: content, type: type, namespace: namespace), isAuthenticated: isAuthenticated,
            id: id)
    }
}
