import EarshotMessages

/// The start of an app that does not run and has something waiting.
extension Supervisor {
    func considerStart(_ app: String) {
        guard let record = apps[app], record.startedProcess == nil,
            !clients.values.contains(where: { $0.app == app })
        else { return }
        let found = record.state.operations.flatMap(\.waiting).compactMap(\.found)
        guard let last = found.last else { return }
        let manifest = BackgroundManifest.load(
            app: app, programFolder: record.state.programFolder, configurationFolder: options.configurationFolder)
        guard let command = manifest.command else {
            if !record.hasComplained {
                apps[app]?.hasComplained = true
                options.log(
                    "\(app): something waits for it, and \(manifest.fileName) has no EarshotCommand to start it with: an "
                        + "array of an absolute path and arguments.")
            }
            return options.notifier.found(last.received, for: app)
        }
        let wait = policy.waitSeconds(record.state.starts, now: wallSeconds)
        apps[app]?.starting?.cancel()
        if wait > 0 {
            if record.state.starts.failureCount > 1 {
                options.log(
                    "\(app): ended \(record.state.starts.failureCount) times without taking its events; the next start is in "
                        + "\(Int(wait.rounded(.up))) s")
            }
            apps[app]?.starting = later(wait, .startDue(app: app))
            return
        }
        start(app, command)
    }

    private func start(_ app: String, _ command: [String]) {
        // Counted as a failure until the app has taken its events. On the disk first: a crash must not start it again.
        apps[app]?.state.starts.last = wallSeconds
        apps[app]?.state.starts.failureCount += 1
        guard saveNow(app) == nil else { return }
        let input = input
        var name = store.fileName(app)
        name.removeLast(".json".count)
        let process = starter.start(command, name: name, app: app) { status in
            input.yield(.childEnded(app: app, status: status))
        }
        guard let process else {
            options.log("\(app): cannot start \(command[0]); check EarshotCommand in its manifest")
            apps[app]?.starting = later(
                policy.waitSeconds(apps[app]?.state.starts ?? AppState.Starts(), now: wallSeconds), .startDue(app: app))
            return
        }
        apps[app]?.startedProcess = process
        apps[app]?.startCount += 1
        options.log("\(app): started as process \(process), because something was found")
    }

    func childEnded(_ app: String, _ status: CInt) {
        guard let process = apps[app]?.startedProcess else { return }
        apps[app]?.startedProcess = nil
        options.log("\(app): process \(process), which the agent started, ended with status \(status >> 8 & 0xFF)")
        considerStart(app)
    }
}
