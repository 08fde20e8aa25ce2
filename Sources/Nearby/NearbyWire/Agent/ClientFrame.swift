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

    /// A notification of the app itself, which the agent shows: a click on it then works after the app's end.
    package struct Notify: Codable, Sendable, Hashable {
        /// Unique within the process.
        package var id: String
        package var title: String
        package var body: String
        /// What a click does, in words.
        package var action: String?
        /// A sound of the desktop's theme or the absolute path of a file, `default` for the desktop's sound for new messages; nil for silence.
        package var sound: String?
        /// The number on the app's icon, 0 for none; nil to leave it as it is.
        package var badge: Int?

        package init(
            id: String, title: String, body: String, action: String? = nil, sound: String? = nil, badge: Int? = nil
        ) {
            self.id = id
            self.title = title
            self.body = body
            self.action = action
            self.sound = sound
            self.badge = badge
        }

        /// Whether it is within the limits, which are those of a provider's notification.
        package var isValid: Bool {
            typealias Limits = ProviderFrame.Notify
            return (1...Limits.maximumIdentifierByteCount).contains(id.utf8.count)
                && title.utf8.count <= Limits.maximumTitleByteCount && body.utf8.count <= Limits.maximumBodyByteCount
                && action?.utf8.count ?? 0 <= Limits.maximumTitleByteCount
                && sound?.utf8.count ?? 0 <= Limits.maximumSoundByteCount
                && (0...Limits.maximumBadge).contains(badge ?? 0)
        }
    }

    case hello(Hello)
    case hold(Hold)
    case release(Name)
    case acknowledge(Acknowledgement)
    case situation(Situation)
    case request(Request)
    case notify(Notify)
    /// Closes a notification.
    case withdraw(Name)
    case pushWatch(PushFrame.Watch)
    case pushTaken(PushFrame.Taken)

    package static let parts: [String: FramePart<ClientFrame>] = [
        "hello": FramePart(ClientFrame.hello),
        "hold": FramePart(ClientFrame.hold),
        "release": FramePart(ClientFrame.release),
        "acknowledge": FramePart(ClientFrame.acknowledge),
        "situation": FramePart(ClientFrame.situation),
        "request": FramePart(ClientFrame.request),
        "notify": FramePart(ClientFrame.notify),
        "withdraw": FramePart(ClientFrame.withdraw),
        "pushWatch": FramePart(ClientFrame.pushWatch),
        "pushTaken": FramePart(ClientFrame.pushTaken),
    ]
}
