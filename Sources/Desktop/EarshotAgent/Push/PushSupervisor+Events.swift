import EarshotBasics
import EarshotMessages
import EarshotPush
import EarshotSystem
import Foundation
import NearbyWire

/// An app of local push: its waiting events, and its start.
struct PushAppRecord {
    var state: PushAppState
    var starting: Task<Void, Never>?
    /// The process that the agent started, until it ends.
    var startedProcess: Int32?
    var hasComplained = false
    /// The notifications that the desktop was asked to show, by their names there.
    var asked: Set<String> = []
    var showing: Task<Void, Never>?
    /// The number of refusals by the desktop in a row.
    var refusalCount = 0
}

/// The reports of providers, and their delivery.
extension PushSupervisor {
    // MARK: Reports

    /// Stores a report for the app.
    /// - Returns: the reason for a refusal, as a sentence; nil if it is on the disk.
    func accept(_ report: ProviderFrame.Report, _ id: String, _ run: ProviderRun) -> String? {
        let json = report.userInfo.json
        guard report.kind != .click else { return "A provider cannot report a click." }
        guard case .dictionary = report.userInfo else { return "Its userInfo is no dictionary." }
        guard json.count <= PushFrame.maximumUserInfoByteCount else {
            return
                "Its userInfo has \(json.count) bytes as JSON; at most \(PushFrame.maximumUserInfoByteCount) are possible."
        }
        guard (1...64).contains(report.id.utf8.count) else { return "Its id does not have 1 to 64 bytes." }
        guard records[id]?.run?.rates.calls.take(nowSeconds: now) == true else {
            return "A provider may report \(push.callsPerMinute.formatted()) calls in a minute."
        }
        let app = run.configuration.app
        let event = PushFrame.Event(
            id: UUID().uuidString, configuration: id, kind: report.kind, userInfo: json)
        var state = apps[app]?.state ?? PushAppState(app: app)
        state.programFolder = run.configuration.programFolder
        let digest = PushDigest.of([id, report.kind.rawValue].map { Data($0.utf8) } + [json])
        if state.isRepeated(digest, run: run.name, now: wallSeconds, within: push.times.sameReport) {
            log("\(app): an earlier process has reported the same already")
            return nil
        }
        for number in watchers.keys.sorted() {
            if let watcher = watchers[number], watcher.app == app { state.note(watcher.process) }
        }
        let droppedCount = state.wait(event)
        if droppedCount > 0 { log("\(app): drops the oldest of \(PushFrame.maximumWaitingCount) events that wait") }
        if let failure = set(state) { return failure }
        log("\(app): the provider reports a \(report.kind.rawValue)")
        deliver(app)
        return nil
    }

    /// Saves the state of an app before a confirmation.
    /// - Returns: the reason for a failure, as a sentence.
    @discardableResult
    private func set(_ state: PushAppState) -> String? {
        do throws(PrivateFolder.Failure) {
            try files.states.save(state, name: files.name(state.app) + ".json")
        } catch {
            log("\(error)")
            return "\(error)"
        }
        if apps[state.app] == nil { apps[state.app] = PushAppRecord(state: state) }
        apps[state.app]?.state = state
        return nil
    }

    private func change(_ app: String, _ body: (inout PushAppState) -> Void) {
        guard var state = apps[app]?.state else { return }
        let before = state
        body(&state)
        if state != before { set(state) }
    }

    /// The configuration is gone: drops the events for its delegate.
    func dropEvents(of id: String) {
        for app in apps.keys {
            change(app) { state in
                state.waiting.removeAll { $0.configuration == id }
                state.notifications.removeAll { $0.configuration == id }
            }
        }
    }

    // MARK: Apps that are connected

    func watch(
        _ number: Int, _ app: String, _ taken: [String], _ connection: AgentConnection, _ process: Int32
    ) {
        watchers[number] = PushWatcher(app: app, connection: connection, process: process)
        change(app) { $0.note(process) }
        take(taken, app, number)
        tellStates(app)
        deliver(app)
    }

    func closeWatcher(_ number: Int) {
        guard let watcher = watchers.removeValue(forKey: number) else { return }
        if !watcher.sent.isEmpty { deliver(watcher.app) }
    }

    /// Sends an app the list of its active providers.
    func tellStates(_ app: String) {
        let active = records.filter { $0.value.configuration.app == app && $0.value.run?.phase == .active }.map(\.key)
        for watcher in watchers.values where watcher.app == app {
            watcher.connection.send(AgentFrame.pushStates(PushFrame.States(active: active.sorted())))
        }
    }

    /// Sends the waiting events to the app's latest process, or starts the app. While a process is connected, no other
    /// one gets the events that were sent to it.
    func deliver(_ app: String) {
        let present = watchers.filter { $0.value.app == app }
        guard let number = present.keys.max(), let watcher = present[number] else { return considerStart(app) }
        guard let record = apps[app], !record.state.waiting.isEmpty else { return }
        // A process that got events from the last agent is about to acknowledge them.
        let rest = starts.began + push.times.resumption - now
        let processes = Set(present.values.map(\.process))
        if rest > 0, !processes.isSuperset(of: record.state.livingProcesses) {
            record.starting?.cancel()
            apps[app]?.starting = later(rest, .startDue(app))
            return
        }
        let sent = present.values.reduce(into: Set()) { $0.formUnion($1.sent) }
        for event in record.state.waiting where !sent.contains(event.id) {
            watchers[number]?.sent.insert(event.id)
            watcher.connection.send(AgentFrame.pushEvent(event))
        }
    }

    func take(_ ids: [String], _ app: String, _ number: Int) {
        guard watchers[number]?.app == app else { return }
        watchers[number]?.sent.subtract(ids)
        change(app) { state in
            let count = state.waiting.count
            state.waiting.removeAll { ids.contains($0.id) }
            // The app works: it may be started again soon.
            if state.waiting.count < count { state.starts.failureCount = 0 }
        }
    }

    // MARK: Apps that do not run

    /// Resumes the events that waited when the last agent ended.
    func resume(_ app: String) {
        // The last agent may have ended after it started the app and before it recorded that.
        for process in StartedProcesses.of(app) { change(app) { $0.note(process) } }
        for notification in apps[app]?.state.notifications ?? [] { show(notification, app) }
        considerStart(app)
    }

    func considerStart(_ app: String) {
        guard let record = apps[app], record.startedProcess == nil, !starts.presence.isThere(app),
            record.state.waiting.contains(where: { $0.kind != .click })
        else { return }
        let manifest = manifest(of: app)
        guard manifest.modes.contains("voip"), let command = manifest.command else {
            guard !record.hasComplained else { return }
            apps[app]?.hasComplained = true
            return log(
                "\(app): a call waits for it, and \(manifest.fileName) "
                    + (manifest.command == nil
                        ? "has no EarshotCommand to start it with: an array of an absolute path and arguments."
                        : "does not declare voip in UIBackgroundModes."))
        }
        let wait = max(
            starts.policy.waitSeconds(record.state.starts, now: wallSeconds),
            record.state.livingProcesses.isEmpty ? 0 : starts.began + push.times.resumption - now)
        record.starting?.cancel()
        if wait > 0 {
            apps[app]?.starting = later(wait, .startDue(app))
            return
        }
        start(app, command, because: .call)
    }

    private func manifest(of app: String) -> BackgroundManifest {
        BackgroundManifest.load(
            app: app, programFolder: apps[app]?.state.programFolder,
            configurationFolder: options.internals.configurationFolder)
    }

    private func start(_ app: String, _ command: [String], because reason: AppStarter.Reason) {
        // The app may be about to be started for a message.
        guard starts.presence.begin(app) else { return }
        // Counted as a failure until the app has taken its events. Written to the disk first, so that a crash does not
        // lead to a second start.
        change(app) { state in
            state.starts.last = wallSeconds
            state.starts.failureCount += 1
        }
        let input = input
        starts.starter.start(command, name: files.name(app), app: app, because: reason) { outcome in
            input.yield(.appStarted(app, outcome, reason))
        } onEnd: { status in
            input.yield(.appEnded(app, status: status))
        }
    }

    func appStarted(_ app: String, _ outcome: AppStarter.Outcome, _ reason: AppStarter.Reason) {
        switch outcome {
        case .started(let process):
            apps[app]?.startedProcess = process
            if let process { change(app) { $0.note(process) } }
            log("\(app): started as process \(process ?? 0), because \(reason.text)")
        case .failed(let sentence):
            log("\(app): \(sentence); check EarshotCommand in its manifest")
            starts.presence.remove(app)
        }
    }

    func appEnded(_ app: String, _ status: CInt?) {
        let process = apps[app]?.startedProcess
        apps[app]?.startedProcess = nil
        starts.presence.remove(app)
        log(
            "\(app): \(process.map { "process \($0)" } ?? "its process"), which the agent started, \(AppStarter.ending(status))"
        )
    }

    // MARK: Notifications

    /// Stores a notification until the desktop shows it.
    /// - Returns: the reason for a refusal, as a sentence; nil if it is on the disk.
    func accept(_ notify: ProviderFrame.Notify, _ id: String, _ run: ProviderRun) -> String? {
        typealias Limits = ProviderFrame.Notify
        guard (1...Limits.maximumIdentifierByteCount).contains(notify.identifier.utf8.count),
            notify.title.utf8.count <= Limits.maximumTitleByteCount,
            notify.body.utf8.count <= Limits.maximumBodyByteCount, (1...64).contains(notify.id.utf8.count),
            notify.sound?.utf8.count ?? 0 <= Limits.maximumSoundByteCount,
            (0...Limits.maximumBadge).contains(notify.badge ?? 0)
        else {
            return
                "A notification has an identifier of up to \(Limits.maximumIdentifierByteCount) bytes, a title of up to "
                + "\(Limits.maximumTitleByteCount), a body of up to \(Limits.maximumBodyByteCount), the name of a sound of up to "
                + "\(Limits.maximumSoundByteCount), and a badge of 0 to \(Limits.maximumBadge)."
        }
        guard records[id]?.run?.rates.notifications.take(nowSeconds: now) == true else {
            return "A provider may show \(push.notificationsPerMinute.formatted()) notifications in a minute."
        }
        let app = run.configuration.app
        let notification = PushAppState.Notification(
            configuration: id, identifier: notify.identifier, title: notify.title, body: notify.body,
            sound: notify.sound, badge: notify.badge)
        var state = apps[app]?.state ?? PushAppState(app: app)
        state.programFolder = run.configuration.programFolder
        let digest = PushDigest.of(
            [
                id, "notify", notify.identifier, notify.title, notify.body, notify.badge.map { "\($0)" } ?? "",
            ].map { Data($0.utf8) })
        if state.isRepeated(digest, run: run.name, now: wallSeconds, within: push.times.sameReport) {
            log("\(app): an earlier process has asked for the same already")
            return nil
        }
        state.notifications.removeAll { $0.configuration == id && $0.identifier == notify.identifier }
        state.notifications.append(notification)
        guard state.notifications.count <= PushAppState.maximumNotificationCount else {
            return "\(PushAppState.maximumNotificationCount) notifications wait for a desktop already."
        }
        if let failure = set(state) { return failure }
        show(notification, app)
        return nil
    }

    private func show(_ notification: PushAppState.Notification, _ app: String) {
        apps[app]?.asked.insert(notification.name)
        let input = input
        options.notifier.show(
            AgentNotification(
                app: app, identifier: notification.name, title: notification.title, body: notification.body,
                sound: notification.sound == "" ? nil : notification.sound ?? "default", badge: notification.badge)
        ) { input.yield(.notification(app, notification, $0)) }
    }

    func take(_ outcome: AgentNotificationOutcome, of notification: PushAppState.Notification, _ app: String) {
        guard let record = apps[app] else { return }
        apps[app]?.asked.remove(notification.name)
        switch outcome {
        case .shown:
            change(app) { $0.notifications.removeAll { $0 == notification } }
            apps[app]?.refusalCount = 0
            showNext(app)
        case .notShown:
            // A notification that disappeared with its desktop is not shown again: the user may have read it.
            guard record.state.notifications.contains(notification), record.showing == nil else { return }
            // A desktop that has shown many at once temporarily refuses some.
            if record.refusalCount == 3 { log("\(app): no desktop shows the provider's notifications: they wait") }
            showNext(app)
            apps[app]?.refusalCount += 1
        case .clicked(let token): clicked(notification, token, app)
        case .closed: break
        }
    }

    /// Tries the oldest waiting notification again after a pause. If it is shown, the others follow.
    private func showNext(_ app: String) {
        guard let record = apps[app], record.showing == nil, !record.state.notifications.isEmpty else { return }
        let pause = min(push.times.show * exp2(Double(min(record.refusalCount, 30))), push.times.longestShow)
        apps[app]?.showing = later(pause, .showDue(app))
    }

    func showDue(_ app: String) {
        apps[app]?.showing = nil
        guard let record = apps[app],
            let next = record.state.notifications.first(where: { !record.asked.contains($0.name) })
        else { return }
        show(next, app)
    }

    private func clicked(_ notification: PushAppState.Notification, _ token: String?, _ app: String) {
        log("\(app): the user clicked a notification of the provider")
        if starts.presence.isThere(app) {
            let userInfo = PropertyList.dictionary([
                "identifier": .string(notification.identifier), "title": .string(notification.title),
                "body": .string(notification.body),
            ])
            let event = PushFrame.Event(
                id: UUID().uuidString, configuration: notification.configuration, kind: .click, userInfo: userInfo.json)
            change(app) { _ = $0.wait(event) }
            return deliver(app)
        }
        guard let command = manifest(of: app).command else {
            return log("\(app): its manifest has no EarshotCommand to start it with")
        }
        // The user wants it now, even if it was started often.
        start(
            app, command,
            because: .click(
                AppStarter.Click(
                    identifier: notification.identifier, title: notification.title, body: notification.body,
                    activationToken: token)))
    }
}
