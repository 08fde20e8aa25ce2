/// A frame from a client to the agent: a JSON object with one key, the frame's name. docs/AGENT.md describes all of them.
package enum ClientFrame: Codable, Sendable, Hashable {
    /// The first frame of a connection.
    package struct Hello: Codable, Sendable, Hashable {
        package var version: Int
        /// The app; nil for a program that only looks and administers.
        package var app: String?

        package init(version: Int = AgentProtocol.version, app: String? = nil) {
            self.version = version
            self.app = app
        }
    }

    package struct Hold: Codable, Sendable, Hashable {
        package var operation: BackgroundOperation
        /// The messages that this process was told of, and not told that they are lost.
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

    private enum Key: String, CodingKey {
        case hello, hold, release, acknowledge, situation, request, pushWatch, pushTaken
    }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        guard let key = container.allKeys.first, container.allKeys.count == 1 else {
            throw AgentProtocol.unknown(decoder)
        }
        switch key {
        case .hello: self = .hello(try container.decode(Hello.self, forKey: key))
        case .hold: self = .hold(try container.decode(Hold.self, forKey: key))
        case .release: self = .release(try container.decode(Name.self, forKey: key))
        case .acknowledge: self = .acknowledge(try container.decode(Acknowledgement.self, forKey: key))
        case .situation: self = .situation(try container.decode(Situation.self, forKey: key))
        case .request: self = .request(try container.decode(Request.self, forKey: key))
        case .pushWatch: self = .pushWatch(try container.decode(PushFrame.Watch.self, forKey: key))
        case .pushTaken: self = .pushTaken(try container.decode(PushFrame.Taken.self, forKey: key))
        }
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        switch self {
        case .hello(let value): try container.encode(value, forKey: .hello)
        case .hold(let value): try container.encode(value, forKey: .hold)
        case .release(let value): try container.encode(value, forKey: .release)
        case .acknowledge(let value): try container.encode(value, forKey: .acknowledge)
        case .situation(let value): try container.encode(value, forKey: .situation)
        case .request(let value): try container.encode(value, forKey: .request)
        case .pushWatch(let value): try container.encode(value, forKey: .pushWatch)
        case .pushTaken(let value): try container.encode(value, forKey: .pushTaken)
        }
    }
}

/// A frame from the agent to a client: a JSON object with one key, the frame's name.
package enum AgentFrame: Codable, Sendable, Hashable {
    package struct Welcome: Codable, Sendable, Hashable {
        package var version: Int

        package init(version: Int = AgentProtocol.version) { self.version = version }
    }

    package struct Refusal: Codable, Sendable, Hashable {
        /// The operation; nil if the refusal is about the connection, which then ends.
        package var id: String?
        /// Why, and what to do.
        package var sentence: String

        package init(id: String? = nil, _ sentence: String) {
            self.id = id
            self.sentence = sentence
        }
    }

    package struct State: Codable, Sendable, Hashable {
        package var id: String
        package var status: String
        package var problems: [AgentProblem]

        package init(id: String, status: OperationStatus, problems: [AgentProblem]) {
            self.id = id
            self.status = "\(status)"
            self.problems = problems
        }

        package var operationStatus: OperationStatus {
            OperationStatus.allCases.first { "\($0)" == status } ?? .inactive
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

    case welcome(Welcome)
    case held(ClientFrame.Name)
    case released(ClientFrame.Name)
    case refusal(Refusal)
    case state(State)
    case events(Events)
    case overview(AgentOverview)
    case pushStates(PushFrame.States)
    case pushEvent(PushFrame.Event)
    case pushOverview(PushFrame.Overview)

    private enum Key: String, CodingKey {
        case welcome, held, released, refusal, state, events, overview, pushStates, pushEvent, pushOverview
    }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        guard let key = container.allKeys.first, container.allKeys.count == 1 else {
            throw AgentProtocol.unknown(decoder)
        }
        switch key {
        case .welcome: self = .welcome(try container.decode(Welcome.self, forKey: key))
        case .held: self = .held(try container.decode(ClientFrame.Name.self, forKey: key))
        case .released: self = .released(try container.decode(ClientFrame.Name.self, forKey: key))
        case .refusal: self = .refusal(try container.decode(Refusal.self, forKey: key))
        case .state: self = .state(try container.decode(State.self, forKey: key))
        case .events: self = .events(try container.decode(Events.self, forKey: key))
        case .overview: self = .overview(try container.decode(AgentOverview.self, forKey: key))
        case .pushStates: self = .pushStates(try container.decode(PushFrame.States.self, forKey: key))
        case .pushEvent: self = .pushEvent(try container.decode(PushFrame.Event.self, forKey: key))
        case .pushOverview: self = .pushOverview(try container.decode(PushFrame.Overview.self, forKey: key))
        }
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        switch self {
        case .welcome(let value): try container.encode(value, forKey: .welcome)
        case .held(let value): try container.encode(value, forKey: .held)
        case .released(let value): try container.encode(value, forKey: .released)
        case .refusal(let value): try container.encode(value, forKey: .refusal)
        case .state(let value): try container.encode(value, forKey: .state)
        case .events(let value): try container.encode(value, forKey: .events)
        case .overview(let value): try container.encode(value, forKey: .overview)
        case .pushStates(let value): try container.encode(value, forKey: .pushStates)
        case .pushEvent(let value): try container.encode(value, forKey: .pushEvent)
        case .pushOverview(let value): try container.encode(value, forKey: .pushOverview)
        }
    }
}

/// All that the agent does, for people. It holds no key, token or content.
package struct AgentOverview: Codable, Sendable, Hashable {
    package struct App: Codable, Sendable, Hashable {
        package var app: String
        /// The processes of the app that are connected.
        package var processes: [Int32]
        package var isForeground: Bool
        package var operations: [Operation]
        /// How often the agent started the app since the agent began, and how often in a row that failed.
        package var startCount: Int
        package var failedStartCount: Int

        package init(
            app: String, processes: [Int32], isForeground: Bool, operations: [Operation], startCount: Int,
            failedStartCount: Int
        ) {
            self.app = app
            self.processes = processes
            self.isForeground = isForeground
            self.operations = operations
            self.startCount = startCount
            self.failedStartCount = failedStartCount
        }
    }

    package struct Operation: Codable, Sendable, Hashable {
        package var id: String
        package var kind: String
        package var type: String
        package var namespace: String
        package var mode: Int
        package var beacons: BackgroundOperation.Beacons?
        package var status: String
        package var media: [String]
        package var problems: [AgentProblem]
        /// Seconds since 1970.
        package var since: Double
        /// The share of time in which it needs the radio to listen; 0 ... 1.
        package var radioShare: Double
        package var nearCount: Int
        package var waitingCount: Int

        package init(
            _ operation: BackgroundOperation, status: OperationStatus, media: [String], problems: [AgentProblem],
            since: Double, radioShare: Double, nearCount: Int, waitingCount: Int
        ) {
            id = operation.id
            kind = operation.kind
            type = operation.type
            namespace = operation.namespace
            mode = operation.mode
            beacons = operation.beacons
            self.status = "\(status)"
            self.media = media
            self.problems = problems
            self.since = since
            self.radioShare = radioShare
            self.nearCount = nearCount
            self.waitingCount = waitingCount
        }
    }

    package var process: Int32
    package var uptimeSeconds: Double
    /// The processor time since the agent began, and its memory now.
    package var cpuSeconds: Double
    package var residentByteCount: Int
    package var apps: [App]

    package init(process: Int32, uptimeSeconds: Double, cpuSeconds: Double, residentByteCount: Int, apps: [App]) {
        self.process = process
        self.uptimeSeconds = uptimeSeconds
        self.cpuSeconds = cpuSeconds
        self.residentByteCount = residentByteCount
        self.apps = apps
    }
}
