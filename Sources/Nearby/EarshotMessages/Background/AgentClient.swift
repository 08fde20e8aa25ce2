import Dispatch
import Foundation
import Glibc
import NearbyWire
import Synchronization

/// The app's access to the user's agent. Configure a manager with it: operations that continue in the background then
/// run in the agent, also after the app's end.
public struct BackgroundAgent: Sendable {
    let path: String?
    let startsAgent: Bool

    /// The user's agent, started by systemd, or otherwise by the first app.
    public static let system = BackgroundAgent(path: AgentSocket.systemPath, startsAgent: true)

    /// A running agent at another socket.
    package init(path: String) {
        self.init(path: path, startsAgent: false)
    }

    private init(path: String?, startsAgent: Bool) {
        self.path = path
        self.startsAgent = startsAgent
    }
}

/// News from the agent, for one manager.
enum AgentNews: Sendable {
    /// Connected: the app must send all operations again.
    case connected
    case held(String)
    /// The sentence says why, and what to do.
    case refused(String, sentence: String)
    case state(AgentFrame.State)
    case events(AgentFrame.Events)
    case notified(AgentFrame.Notified)
    case clicked(String)
    /// The agent cannot be reached; the client tries again. The sentence says why.
    case away(sentence: String)
}

/// Maintains a connection to the agent while there is work, and makes a new one whenever it breaks.
final class AgentClient: Sendable {
    private struct State {
        var connection: AgentConnection?
        var isWelcome = false
        /// Whether the agent shows notifications of apps.
        var notifies = false
        var isWanted = false
        var isClosed = false
        var pause = AgentClient.shortestPause
        var failureCount = 0
        /// When the agent was last started, in the time of the queue's clock; nil for never.
        var lastStart: DispatchTime?
        /// Operations that have ended, and whose end the agent has not confirmed.
        var releasing: Set<String> = []
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    private static let shortestPause = 0.05
    private static let longestPause = 5.0
    /// After this many failures in a row the agent counts as away: the pauses until then take 0.75 s.
    private static let toleratedFailures = 5
    /// An agent that does not answer within this time is considered to hang.
    private static let greetingSeconds = 3.0
    /// The minimum time between two attempts to start the agent.
    private static let startSeconds = 3.0

    private let agent: BackgroundAgent
    private let app: String
    private let isForeground: @Sendable () -> Bool
    private let news: @Sendable (AgentNews) -> Void
    private let note: @Sendable (String) -> Void
    private let queue = DispatchQueue(label: "earshot.agent")
    private let state = Mutex(State())

    init(
        _ agent: BackgroundAgent, app: String, isForeground: @escaping @Sendable () -> Bool,
        note: @escaping @Sendable (String) -> Void, news: @escaping @Sendable (AgentNews) -> Void
    ) {
        self.agent = agent
        self.app = app
        self.isForeground = isForeground
        self.note = note
        self.news = news
    }

    /// Connects, unless it has. It then reports `connected` or `away`.
    func want() {
        let isFirst = state.withLock { state in
            defer { state.isWanted = true }
            return !state.isWanted && !state.isClosed
        }
        if isFirst { queue.async { self.connect() } }
    }

    func hold(_ operation: BackgroundOperation, known: [String]) {
        state.withLock { _ = $0.releasing.remove(operation.id) }
        send(.hold(ClientFrame.Hold(operation, known: known)))
    }

    /// Ends an operation. If the agent is away, the client tells it as soon as it is back.
    func release(_ id: String) {
        state.withLock { _ = $0.releasing.insert(id) }
        send(.release(ClientFrame.Name(id)))
    }

    func acknowledge(_ events: AgentFrame.Events) {
        send(.acknowledge(ClientFrame.Acknowledgement(events.id, sequence: events.sequence)))
    }

    /// - Returns: whether the agent has it, and will answer.
    func notify(_ notification: ClientFrame.Notify) -> Bool {
        state.withLock { $0.isWelcome && $0.notifies } && send(.notify(notification))
    }

    func withdraw(_ id: String) { send(.withdraw(ClientFrame.Name(id))) }

    func tell(isForeground: Bool) { send(.situation(ClientFrame.Situation(isForeground: isForeground))) }

    /// Waits until the agent has confirmed every release, at most for 2 s, and ends the connection.
    func close() async {
        if state.withLock({ !$0.releasing.isEmpty && $0.isWelcome }) {
            queue.asyncAfter(deadline: .now() + 2) { self.resumeClosers() }
            await withCheckedContinuation { continuation in
                let isOver = state.withLock { state in
                    if state.releasing.isEmpty || !state.isWelcome { return true }
                    state.waiting.append(continuation)
                    return false
                }
                if isOver { continuation.resume() }
            }
        }
        let connection = state.withLock { state in
            state.isClosed = true
            return state.connection
        }
        connection?.close()
    }

    private func resumeClosers() {
        let waiting = state.withLock { state in
            defer { state.waiting = [] }
            return state.waiting
        }
        for continuation in waiting { continuation.resume() }
    }

    @discardableResult
    private func send(_ frame: ClientFrame) -> Bool {
        let connection = state.withLock { $0.isWelcome ? $0.connection : nil }
        return connection?.send(frame) ?? false
    }

    // MARK: On the queue

    private func connect() {
        guard !state.withLock(\.isClosed) else { return }
        guard let path = agent.path else {
            return news(.away(sentence: "There is no XDG_RUNTIME_DIR, where the socket of earshot-agent would be."))
        }
        let descriptor = AgentSocket.connect(path: path)
        guard descriptor >= 0 else { return failed(errno, path) }
        let connection = AgentConnection(
            descriptor, queue: queue, onFrame: { [weak self] in self?.take($1, from: $0) },
            onEnd: { [weak self] in self?.ended($0) })
        state.withLock { $0.connection = connection }
        connection.start()
        connection.send(ClientFrame.hello(ClientFrame.Hello(app: app)))
        queue.asyncAfter(deadline: .now() + Self.greetingSeconds) { [weak self, weak connection] in
            guard let self, let connection,
                state.withLock({ $0.connection === connection && !$0.isWelcome && !$0.isClosed })
            else { return }
            state.withLock { $0.failureCount = max($0.failureCount, Self.toleratedFailures - 1) }
            connection.close()
        }
    }

    private func failed(_ code: CInt, _ path: String) {
        startAgent(code)
        let count = state.withLock { state in
            state.failureCount += 1
            return state.failureCount
        }
        if count == Self.toleratedFailures {
            let reason = String(cString: strerror(code)).lowercased()
            news(
                .away(
                    sentence:
                        "earshot-agent does not answer at \(path): \(reason). Install it (the package earshot-nearby, or "
                        + "'make install-agent'), or start it; until then the operation ends with the program."))
        }
        retry()
    }

    private func startAgent(_ code: CInt) {
        guard agent.startsAgent, code == ENOENT || code == ECONNREFUSED else { return }
        let isDue = state.withLock { state in
            let now = DispatchTime.now()
            if let last = state.lastStart, now < last + Self.startSeconds { return false }
            state.lastStart = now
            return true
        }
        guard isDue, let program = AgentStart.program else { return }
        note(AgentStart.run(program) ? "started \(program)" : "cannot start \(program)")
    }

    private func retry() {
        let pause = state.withLock { state in
            defer { state.pause = min(state.pause * 2, Self.longestPause) }
            return state.pause
        }
        queue.asyncAfter(deadline: .now() + pause) { [weak self] in self?.connect() }
    }

    private func ended(_ connection: AgentConnection) {
        let isRetrying = state.withLock { state in
            guard state.connection === connection else { return false }
            (state.connection, state.isWelcome) = (nil, false)
            state.failureCount += 1
            return !state.isClosed
        }
        resumeClosers()
        guard isRetrying else { return }
        note("the connection to earshot-agent ended")
        if state.withLock({ $0.failureCount == Self.toleratedFailures }) {
            news(.away(sentence: "earshot-agent ends every connection; its log says why."))
        }
        retry()
    }

    private func take(_ body: Data, from connection: AgentConnection) {
        guard let frame = AgentProtocol.decode(body, as: AgentFrame.self) else { return connection.close() }
        switch frame {
        case .welcome(let welcome):
            state.withLock { state in
                state.isWelcome = true
                state.notifies = welcome.notifies == true
                state.pause = Self.shortestPause
                state.failureCount = 0
            }
            for id in state.withLock(\.releasing) { connection.send(ClientFrame.release(ClientFrame.Name(id))) }
            connection.send(ClientFrame.situation(ClientFrame.Situation(isForeground: isForeground())))
            news(.connected)
        case .held(let name): news(.held(name.id))
        case .released(let name):
            let isLast = state.withLock { state in
                state.releasing.remove(name.id)
                return state.releasing.isEmpty
            }
            if isLast { resumeClosers() }
        case .refusal(let refusal):
            if let id = refusal.id {
                news(.refused(id, sentence: refusal.sentence))
            } else {
                news(.away(sentence: refusal.sentence))
            }
        case .state(let state): news(.state(state))
        case .events(let events): news(.events(events))
        case .notified(let notified): news(.notified(notified))
        case .clicked(let name): news(.clicked(name.id))
        case .overview, .pushStates, .pushEvent, .pushOverview: break
        }
    }
}
