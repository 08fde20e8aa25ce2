import EarshotMessages
import NearbyWire

/// Handles an app that is not running and has waiting events: a notification, or its start.
extension Supervisor {
    func considerStart(_ app: String) {
        guard let record = apps[app], record.startedProcess == nil, !starts.presence.isThere(app) else { return }
        let found = record.state.operations.flatMap(\.waiting).compactMap(\.message)
        guard !found.isEmpty else { return }
        let rest = starts.began + options.internals.resumptionSeconds - monotonicSeconds
        if rest > 0 {
            apps[app]?.tasks.starting?.cancel()
            apps[app]?.tasks.starting = later(rest, .startDue(app: app))
            return
        }
        let manifest = manifest(of: app)
        if manifest.command == nil, !record.hasComplained {
            apps[app]?.hasComplained = true
            options.log(
                "\(app): something waits for it, and \(manifest.fileName) has no EarshotCommand to start it with: an "
                    + "array of an absolute path and arguments.")
        }
        if let notification = manifest.notification, !record.isWithoutDesktop {
            return notify(found.map(\.received), notification, app)
        }
        guard let command = manifest.command else { return }
        let wait = starts.policy.waitSeconds(record.state.starts, now: wallSeconds)
        apps[app]?.tasks.starting?.cancel()
        if wait > 0 {
            if record.state.starts.failureCount > 1 {
                options.log(
                    "\(app): ended \(record.state.starts.failureCount) times without taking its events; the next start is in "
                        + "\(Int(wait.rounded(.up))) s")
            }
            apps[app]?.tasks.starting = later(wait, .startDue(app: app))
            return
        }
        start(app, command, because: .found)
    }

    private func manifest(of app: String) -> BackgroundManifest {
        BackgroundManifest.load(
            app: app, programFolder: apps[app]?.state.programFolder,
            configurationFolder: options.internals.configurationFolder)
    }

    // MARK: Notifications

    /// Shows a notification for each message that has none yet.
    private func notify(_ found: [ReceivedMessage], _ template: BackgroundManifest.Notification, _ app: String) {
        let input = input
        for received in found where apps[app]?.notified.contains(received.id) == false {
            apps[app]?.notified.insert(received.id)
            let fill = { (text: String) in BackgroundManifest.Notification.fill(text, with: received.message) }
            let notification = AgentNotification(
                app: app, identifier: received.id, title: template.title.map(fill) ?? app,
                body: template.body.map(fill) ?? "")
            options.notifier.show(notification) { input.yield(.notification(notification, $0)) }
        }
    }

    func take(_ outcome: AgentNotificationOutcome, of notification: AgentNotification) {
        if notification.isOfTheApp { return take(outcome, ofTheApp: notification) }
        let app = notification.app
        // The app may be connected by now, with all its waiting events.
        guard let record = apps[app], record.notified.contains(notification.identifier) else { return }
        switch outcome {
        case .shown, .closed: break
        case .clicked(let token):
            // The click has closed the notification. If the app does not take the message, it is shown again.
            apps[app]?.notified.remove(notification.identifier)
            guard record.startedProcess == nil, !starts.presence.isThere(app), let command = manifest(of: app).command
            else { return }
            options.log("\(app): the user clicked its notification")
            // The user wants it now, even if it was started often.
            start(
                app, command,
                because: .click(
                    AppStarter.Click(
                        identifier: notification.identifier, title: notification.title, body: notification.body,
                        activationToken: token)))
        case .notShown:
            guard !record.isWithoutDesktop else { return }
            apps[app]?.isWithoutDesktop = true
            options.log("\(app): no desktop shows its notification")
            considerStart(app)
        }
    }

    /// A process of the app is connected, and gets all events itself.
    func removeNotifications(of app: String) {
        apps[app]?.isWithoutDesktop = false
        guard apps[app]?.notified.isEmpty == false else { return }
        apps[app]?.notified = []
        options.notifier.removeAll(of: app)
    }

    // MARK: The process

    func start(_ app: String, _ command: [String], because reason: AppStarter.Reason) {
        // Local push may be starting it now.
        guard starts.presence.begin(app) else { return }
        // Counted as a failure until the app has taken its events. Written to the disk first, so that a crash does not
        // lead to a second start.
        apps[app]?.state.starts.last = wallSeconds
        apps[app]?.state.starts.failureCount += 1
        apps[app]?.tasks.starting?.cancel()
        guard saveNow(app) == nil else { return starts.presence.remove(app) }
        let input = input
        var name = store.fileName(app)
        name.removeLast(".json".count)
        starts.starter.start(command, name: name, app: app, because: reason) { outcome in
            input.yield(.childStarted(app: app, outcome, reason))
        } onEnd: { status in
            input.yield(.childEnded(app: app, status: status))
        }
    }

    func childStarted(_ app: String, _ outcome: AppStarter.Outcome, _ reason: AppStarter.Reason) {
        switch outcome {
        case .started(let process):
            // The user may have made the agent forget the app; `childEnded` still ends its presence.
            apps[app]?.startedProcess = process
            apps[app]?.startCount += 1
            options.log("\(app): started as process \(process ?? 0), because \(reason.text)")
        case .failed(let sentence):
            options.log("\(app): \(sentence); check EarshotCommand in its manifest")
            starts.presence.remove(app)
        }
    }

    func childEnded(_ app: String, _ status: CInt?) {
        let process = apps[app]?.startedProcess
        apps[app]?.startedProcess = nil
        starts.presence.remove(app)
        options.log(
            "\(app): \(process.map { "process \($0)" } ?? "its process"), which the agent started, \(AppStarter.ending(status))"
        )
    }
}
