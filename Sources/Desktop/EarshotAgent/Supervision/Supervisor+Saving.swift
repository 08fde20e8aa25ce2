import EarshotMessages

/// The state on the disk.
extension Supervisor {
    /// The time in which several changes become one write.
    private static let delaySeconds = 0.5

    /// Writes the state of an app before it returns.
    /// - Returns: why that failed, as a sentence; nil if it is on the disk.
    @discardableResult
    func saveNow(_ app: String) -> String? {
        guard let record = apps[app] else { return nil }
        record.saving?.cancel()
        apps[app]?.saving = nil
        do throws(StateStore.Failure) {
            try store.save(record.state)
            return nil
        } catch {
            options.log("\(error)")
            return "\(error)"
        }
    }

    /// Writes the state of an app soon, for changes whose loss a crash may cost.
    func saveSoon(_ app: String) {
        guard apps[app] != nil, apps[app]?.saving == nil else { return }
        apps[app]?.saving = later(Self.delaySeconds, .saveDue(app: app))
    }

    /// A session at the service began or changed.
    func remember(_ session: AppState.Session, app: String) {
        guard apps[app]?.managers[ManagerName(key: session.key, service: session.service)] != nil else { return }
        apps[app]?.state.sessions.removeAll { $0.key == session.key && $0.service == session.service }
        apps[app]?.state.sessions.append(session)
        saveNow(app)
    }
}
