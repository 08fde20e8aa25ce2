package import NearbyWire
import Synchronization

/// Lets the agent show an app's own notifications. A click on one reaches the app while it runs, and starts it after its end.
///
/// Only for an app whose manifest says how to start it.
package final class AgentNotifications: Sendable {
    private enum Access: Sendable { case unknown, connected, away }

    private struct State {
        var access = Access.unknown
        /// Those that wait until the agent is there or away.
        var connecting: [CheckedContinuation<Void, Never>] = []
        /// Those that wait for an answer, by the identifiers of their notifications.
        var asking: [String: CheckedContinuation<Bool, Never>] = [:]
        var onClick: [String: @Sendable () -> Void] = [:]
    }

    /// An agent that starts takes less; the app waits no longer before it shows a notification itself.
    private static let connectLimit = Duration.seconds(2)
    /// More than a desktop may take (5 s).
    private static let answerLimit = Duration.seconds(7)

    private let isStartable: @Sendable () -> Bool
    private let state = Mutex(State())
    private let client = Mutex<AgentClient?>(nil)

    /// Connects with the first notification.
    /// - Parameters:
    ///   - configurationFolder: replaces `$XDG_CONFIG_HOME`; nil for that.
    ///   - note: receives a line for people at each step.
    package init(
        _ agent: BackgroundAgent, app: String, configurationFolder: String? = nil,
        note: @escaping @Sendable (String) -> Void = { _ in }
    ) {
        isStartable = {
            BackgroundManifest.load(
                app: app, programFolder: ProgramFolder.system, configurationFolder: configurationFolder
            ).command != nil
        }
        let made = AgentClient(
            agent, app: app, isForeground: { Foreground.shared.isActive }, note: note
        ) { [weak self] in self?.take($0) }
        client.withLock { $0 = made }
    }

    /// Shows a notification by the agent.
    /// - Parameter onClick: called if the user clicks it while this process lives.
    /// - Returns: whether it is shown. If not, the app shows it itself.
    package func show(_ notification: ClientFrame.Notify, onClick: @escaping @Sendable () -> Void) async -> Bool {
        guard notification.isValid, isStartable(), let client = client.withLock({ $0 }) else { return false }
        client.want()
        guard await isConnected() else { return false }
        let id = notification.id
        state.withLock { $0.onClick[id] = onClick }
        let isShown = await withCheckedContinuation { continuation in
            state.withLock { $0.asking[id] = continuation }
            guard client.notify(notification) else { return answer(id, isShown: false) }
            later(Self.answerLimit) { self.answer(id, isShown: false) }
        }
        if !isShown {
            state.withLock { $0.onClick[id] = nil }
            client.withdraw(id)
        }
        return isShown
    }

    /// Closes a notification that was shown.
    package func remove(_ id: String) {
        guard state.withLock({ $0.onClick.removeValue(forKey: id) }) != nil else { return }
        client.withLock { $0 }?.withdraw(id)
    }

    private func isConnected() async -> Bool {
        await withCheckedContinuation { continuation in
            let isKnown = state.withLock { state in
                if state.access != .unknown { return true }
                state.connecting.append(continuation)
                return false
            }
            if isKnown { return continuation.resume() }
            later(Self.connectLimit) { self.resumeConnecting() }
        }
        return state.withLock { $0.access == .connected }
    }

    private func later(_ time: Duration, _ work: @escaping @Sendable () -> Void) {
        Task {
            try? await Task.sleep(for: time)
            work()
        }
    }

    private func resumeConnecting() {
        let waiting = state.withLock { exchange(&$0.connecting, with: []) }
        for continuation in waiting { continuation.resume() }
    }

    private func answer(_ id: String, isShown: Bool) {
        state.withLock { $0.asking.removeValue(forKey: id) }?.resume(returning: isShown)
    }

    private func take(_ news: AgentNews) {
        switch news {
        case .connected, .away:
            state.withLock { state in
                if case .connected = news { state.access = .connected } else { state.access = .away }
            }
            resumeConnecting()
        case .notified(let notified): answer(notified.id, isShown: notified.isShown)
        case .clicked(let id): state.withLock { $0.onClick.removeValue(forKey: id) }?()
        case .held, .refused, .state, .events: break
        }
    }
}
