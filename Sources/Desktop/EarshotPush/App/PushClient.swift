import Dispatch
import Foundation
import Glibc
package import NearbyWire
import Synchronization

/// An app's connection to the agent for local push: the states of its configurations, and the events of its providers.
///
/// It connects at the first request, and again whenever the connection breaks. While it is connected it uses no timer.
package final class PushClient: Sendable {
    private struct State {
        var connection: AgentConnection?
        var isWanted = false
        var isStartingAgent = false
        var lastStart: DispatchTime?
        var pause = PushClient.shortestPause
        /// When the last connection ended, or the first attempt failed.
        var lonelySince: DispatchTime?
        /// nil before the agent has sent them.
        var active: Set<String>?
        var hasFailed = false
        var watchers = Watchers()
        var waiting: [@Sendable () -> Void] = []
        /// The events of this process, so that a new connection repeats none.
        var known: Set<String> = []
        var taken: [String] = []
    }

    private struct Watchers {
        var told: [Int: @Sendable (Set<String>) -> Void] = [:]
        /// Those that have not received the first states yet.
        var new: Set<Int> = []
        /// The number of the latest.
        var count = 0
    }

    private static let shortestPause = 0.05
    /// The longest pause while an agent that has just ended may be restarting. It must be far shorter than a second, or
    /// the app would never reach an agent that is killed every second.
    private static let longestEarlyPause = 0.25
    private static let earlySeconds = 30.0
    /// The longest pause later. A new agent waits slightly longer before it starts an app.
    private static let longestPause = 2.0
    /// The minimum time between two attempts to start the agent.
    private static let startSeconds = 3.0
    /// `settled` waits no longer than this for an agent.
    private static let patienceSeconds = 1.0
    /// The maximum number of remembered events that were taken.
    private static let maximumTakenCount = 1_024

    /// The client of this process.
    package static let shared = PushClient(app: ApplicationIdentifier.system, path: AgentSocket.systemPath)

    package let app: String
    private let path: String?
    private let queue = DispatchQueue(label: "earshot.push")
    private let state = Mutex(State())
    private let handler = Mutex<(@Sendable (PushFrame.Event) -> Void)?>(nil)

    package init(app: String, path: String?) {
        self.app = app
        self.path = path
    }

    /// Connects, and keeps trying.
    /// - Parameter startsAgent: whether to start the agent if systemd does not.
    package func want(startsAgent: Bool) {
        let isFirst = state.withLock { state in
            defer { state.isWanted = true }
            if startsAgent { state.isStartingAgent = true }
            return !state.isWanted
        }
        if isFirst { queue.async { self.connect() } }
    }

    /// Receives each event once, on a queue of the client's own. Call `take` when the app has it.
    package func receive(_ handler: @escaping @Sendable (PushFrame.Event) -> Void) {
        self.handler.withLock { $0 = handler }
    }

    /// The app has the event: the agent need not store it any longer.
    package func take(_ id: String) {
        let connection = state.withLock { state in
            state.taken.append(id)
            if state.taken.count > Self.maximumTakenCount { state.known.remove(state.taken.removeFirst()) }
            return state.connection
        }
        _ = connection?.send(ClientFrame.pushTaken(PushFrame.Taken([id])))
    }

    package func isActive(_ configuration: String) -> Bool {
        state.withLock { $0.active?.contains(configuration) ?? false }
    }

    /// Calls a closure with the active configurations now and at each change, in their order, on a queue of the client's own.
    /// - Returns: a number for `unwatch`.
    package func watch(_ change: @escaping @Sendable (Set<String>) -> Void) -> Int {
        let number = state.withLock { state in
            state.watchers.count += 1
            state.watchers.new.insert(state.watchers.count)
            return state.watchers.count
        }
        // The active ones are read on the queue that reports changes: read earlier, they could be reported after a
        // newer state.
        queue.async { [self] in
            let active = state.withLock { state -> Set<String>? in
                guard state.watchers.new.remove(number) != nil else { return nil }
                state.watchers.told[number] = change
                return state.active ?? []
            }
            if let active { change(active) }
        }
        return number
    }

    package func unwatch(_ number: Int) {
        state.withLock { state in
            state.watchers.new.remove(number)
            state.watchers.told[number] = nil
        }
    }

    /// Calls a closure once, as soon as the states are known or there is no agent, at the latest after a second.
    package func settled(_ work: @escaping @Sendable () -> Void) {
        let isSettled = state.withLock { state in
            if state.active != nil || state.hasFailed { return true }
            state.waiting.append(work)
            return false
        }
        if isSettled { return work() }
        queue.asyncAfter(deadline: .now() + Self.patienceSeconds) { self.settle() }
    }

    private func settle() {
        let waiting = state.withLock { state in
            defer { state.waiting = [] }
            return state.waiting
        }
        for work in waiting { work() }
    }

    // MARK: On the queue

    private func connect() {
        guard let path else {
            state.withLock { $0.hasFailed = true }
            return settle()
        }
        let descriptor = AgentSocket.connect(path: path)
        guard descriptor >= 0 else { return failed(errno) }
        let connection = AgentConnection(
            descriptor, queue: queue, onFrame: { [weak self] in self?.take($1, from: $0) },
            onEnd: { [weak self] in self?.ended($0) })
        connection.start()
        connection.send(ClientFrame.hello(ClientFrame.Hello(app: app)))
        let taken = state.withLock { Array($0.taken.suffix(PushFrame.Watch.maximumTakenCount)) }
        connection.send(ClientFrame.pushWatch(PushFrame.Watch(taken: taken)))
        state.withLock { $0.connection = connection }
    }

    private func failed(_ code: CInt) {
        if code == ENOENT || code == ECONNREFUSED { startAgent() }
        state.withLock { $0.hasFailed = true }
        change([])
        settle()
        retry()
    }

    private func startAgent() {
        let isDue = state.withLock { state in
            let now = DispatchTime.now()
            guard state.isStartingAgent, state.lastStart.map({ now >= $0 + Self.startSeconds }) ?? true else {
                return false
            }
            state.lastStart = now
            return true
        }
        if isDue, let program = AgentStart.program { _ = AgentStart.run(program) }
    }

    private func retry() {
        let pause = state.withLock { state in
            let since = state.lonelySince ?? .now()
            state.lonelySince = since
            let longest = DispatchTime.now() < since + Self.earlySeconds ? Self.longestEarlyPause : Self.longestPause
            defer { state.pause = min(state.pause * 2, longest) }
            return state.pause
        }
        queue.asyncAfter(deadline: .now() + pause) { [weak self] in self?.connect() }
    }

    private func ended(_ connection: AgentConnection) {
        let isCurrent = state.withLock { state in
            guard state.connection === connection else { return false }
            state.connection = nil
            return true
        }
        guard isCurrent else { return }
        change([])
        retry()
    }

    private func change(_ active: Set<String>) {
        let watchers = state.withLock { state in
            let isNew = state.active != active
            if state.connection != nil || state.active != nil { state.active = active }
            return isNew ? Array(state.watchers.told.values) : []
        }
        for watcher in watchers { watcher(active) }
    }

    private func take(_ body: Data, from connection: AgentConnection) {
        guard let frame = AgentProtocol.decode(body, as: AgentFrame.self) else { return connection.close() }
        switch frame {
        case .welcome: state.withLock { ($0.pause, $0.lonelySince, $0.hasFailed) = (Self.shortestPause, nil, false) }
        case .pushStates(let states):
            change(Set(states.active))
            settle()
        case .pushEvent(let event):
            let (isNew, isTaken) = state.withLock { state in
                (state.known.insert(event.id).inserted, state.taken.contains(event.id))
            }
            if isNew {
                handler.withLock(\.self)?(event)
            } else if isTaken {
                // The agent was not informed before the last connection ended.
                connection.send(ClientFrame.pushTaken(PushFrame.Taken([event.id])))
            }
        case .refusal(let refusal) where refusal.id == nil: StandardError.warn(refusal.sentence)
        default: break
        }
    }
}
