import EarshotMessages
import EarshotSystem
import NearbyWire

/// The state on the disk.
extension Supervisor {
    /// The time in which several changes are combined into one write.
    private static let delaySeconds = 0.5

    /// Writes the state of an app before it returns.
    /// - Returns: the reason for a failure, as a sentence; nil if it is on the disk.
    @discardableResult
    func saveNow(_ app: String) -> String? {
        guard let record = apps[app] else { return nil }
        record.tasks.saving?.cancel()
        apps[app]?.tasks.saving = nil
        do throws(PrivateFolder.Failure) {
            try store.save(stateToKeep(record.state))
            return nil
        } catch {
            options.log("\(error)")
            return "\(error)"
        }
    }

    /// The state with the sent but unacknowledged events, which wait after a crash of the agent and the app.
    private func stateToKeep(_ state: AppState) -> AppState {
        var state = state
        for index in state.operations.indices {
            let id = state.operations[index].order.id
            let claims = clients.values.filter { $0.app == state.app }.compactMap { $0.claims[id] }
            let open = claims.map(\.unacknowledged).min { $0.count < $1.count } ?? []
            for (_, event) in open { state.operations[index].wait(event) }
        }
        return state
    }

    /// Writes the state of an app soon, for changes that may be lost in a crash.
    func saveSoon(_ app: String) {
        guard apps[app] != nil, apps[app]?.tasks.saving == nil else { return }
        apps[app]?.tasks.saving = later(Self.delaySeconds, .saveDue(app: app))
    }

    /// A session at the service was opened or changed.
    func remember(_ session: AppState.Session, app: String) {
        guard apps[app]?.managers[ManagerName(key: session.key, service: session.service)] != nil else { return }
        apps[app]?.state.sessions.removeAll { $0.key == session.key && $0.service == session.service }
        apps[app]?.state.sessions.append(session)
        saveNow(app)
    }
}
