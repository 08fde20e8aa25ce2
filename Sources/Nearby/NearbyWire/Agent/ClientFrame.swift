/// A frame from a client to the agent.
package enum ClientFrame: OneKeyFrame {
    /// The first frame of a connection.
    package struct Hello: Codable, Sendable, Hashable {
        package var version: Int
        /// The app; nil for a program that only reads and administers.
        package var app: String?

        package init(version: Int = AgentProtocol.version, app: String? = nil) {
            self.version = version
            self.app = app
        }
    }

    package struct Hold: Codable, Sendable, Hashable {
        package var operation: BackgroundOperation
        /// The messages that this process has found and not lost.
        package var known: [String]

        package init(_ operation: BackgroundOperation, known: [String] = []) {
            self.operation = operation
            self.known = known
        }
    }

    package struct Name: Codable, Sendable, Hashable {
        package var id: String

        package init(_ id: String) { self.id = id }
    }

    package struct Acknowledgement: Codable, Sendable, Hashable {
        package var id: String
        /// The latest events that the app has.
        package var sequence: Int

        package init(_ id: String, sequence: Int) {
            self.id = id
            self.sequence = sequence
        }
    }

    package struct Situation: Codable, Sendable, Hashable {
        package var isForeground: Bool

        package init(isForeground: Bool) { self.isForeground = isForeground }
    }

    package struct Request: Codable, Sendable, Hashable {
        package enum Action: String, Codable, Sendable, Hashable { case overview, stop, forget, push }

        package var action: Action
        /// The app to stop or to forget.
        package var app: String?

        package init(_ action: Action, app: String? = nil) {
            self.action = action
            self.app = app
        }
    }

    case hello(Hello)
    case hold(Hold)
    case release(Name)
    case acknowledge(Acknowledgement)
    case situation(Situation)
    case request(Request)
    case pushWatch(PushFrame.Watch)
    case pushTaken(PushFrame.Taken)

    package static let parts: [String: FramePart<ClientFrame>] = [
        "hello": FramePart(ClientFrame.hello),
        "hold": FramePart(ClientFrame.hold),
        "release": FramePart(ClientFrame.release),
        "acknowledge": FramePart(ClientFrame.acknowledge),
        "situation": FramePart(ClientFrame.situation),
        "request": FramePart(ClientFrame.request),
        "pushWatch": FramePart(ClientFrame.pushWatch),
        "pushTaken": FramePart(ClientFrame.pushTaken),
    ]
}
