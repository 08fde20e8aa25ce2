import EarshotMessages
import NearbyWire

/// A notification that a process of an app has let the agent show.
struct AppNotice {
    /// As the process names it.
    var id: String
    /// The connection of the process.
    var client: Int
    /// Where the manifest is looked for after the end of the process.
    var programFolder: String?
    var notification: AgentNotification
}

/// The notifications of apps themselves. A desktop tells clicks only to the program that has shown a notification, and the agent
/// outlives the app: a click reaches the process while it lives, and starts the app afterwards.
extension Supervisor {
    /// As many as one app can have on the desktop.
    private static let maximumNoticeCount = 64

    func show(_ notify: ClientFrame.Notify, _ app: String, _ number: Int) {
        guard let client = clients[number] else { return }
        let folder = Self.programFolder(of: client.process)
        let manifest = BackgroundManifest.load(
            app: app, programFolder: folder, configurationFolder: options.internals.configurationFolder)
        // Without a command a click could start nothing, so the app need not depend on the agent.
        guard notify.isValid, manifest.command != nil, notices.count < Self.maximumNoticeCount else {
            return answer(notify.id, isShown: false, to: number)
        }
        let notification = AgentNotification(
            app: app, identifier: "\(number) \(notify.id)", title: notify.title, body: notify.body, sound: notify.sound,
            badge: notify.badge, action: notify.action ?? "Open", isOfTheApp: true)
        notices[notification.identifier] = AppNotice(
            id: notify.id, client: number, programFolder: folder, notification: notification)
        let input = input
        options.notifier.show(notification) { input.yield(.notification(notification, $0)) }
    }

    func withdraw(_ id: String, of number: Int) {
        guard let notice = notices.removeValue(forKey: "\(number) \(id)") else { return }
        options.notifier.remove(notice.notification)
    }

    func removeNotices(of app: String) {
        for (name, notice) in notices where notice.notification.app == app {
            notices[name] = nil
            options.notifier.remove(notice.notification)
        }
    }

    func take(_ outcome: AgentNotificationOutcome, ofTheApp notification: AgentNotification) {
        guard let notice = notices[notification.identifier] else { return }
        switch outcome {
        case .shown: return answer(notice.id, isShown: true, to: notice.client)
        case .notShown: answer(notice.id, isShown: false, to: notice.client)
        case .clicked(let token): clicked(notice, token)
        case .closed: break
        }
        notices[notification.identifier] = nil
    }

    private func answer(_ id: String, isShown: Bool, to number: Int) {
        clients[number]?.connection.send(AgentFrame.notified(AgentFrame.Notified(id, isShown: isShown)))
    }

    private func clicked(_ notice: AppNotice, _ token: String?) {
        let (app, notification) = (notice.notification.app, notice.notification)
        options.log("\(app): the user clicked a notification of its own")
        if let client = clients[notice.client] {
            client.connection.send(AgentFrame.clicked(ClientFrame.Name(notice.id)))
            return
        }
        // A process that runs now has not shown it, and cannot know it.
        guard !starts.presence.isThere(app) else { return }
        let manifest = BackgroundManifest.load(
            app: app, programFolder: notice.programFolder, configurationFolder: options.internals.configurationFolder)
        guard let command = manifest.command else {
            return options.log("\(app): \(manifest.fileName) has no EarshotCommand any more to start it with")
        }
        start(
            app, command,
            because: .click(
                AppStarter.Click(
                    identifier: notice.id, title: notification.title, body: notification.body, activationToken: token)))
    }
}
