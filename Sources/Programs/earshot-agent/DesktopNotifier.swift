import EarshotAgent
import EarshotNotifications
import Synchronization

/// Shows the notifications of apps that are not running, each in the name of its app.
final class DesktopNotifier: AgentNotifier {
    /// The notifications that are removed together.
    private struct Group: Hashable {
        var app: String
        var isOfTheApp: Bool
    }

    /// The notification centers of each app that has a notification on the desktop.
    private let centers = Mutex<[Group: UserNotificationCenter]>([:])
    private let makeCenter: @Sendable (_ app: String) -> UserNotificationCenter
    private let log: @Sendable (String) -> Void

    /// - Parameter makeCenter: makes the center that shows an app's notifications.
    init(
        makeCenter: @escaping @Sendable (_ app: String) -> UserNotificationCenter = {
            UserNotificationCenter(applicationIdentifier: $0)
        }, log: @escaping @Sendable (String) -> Void
    ) {
        self.makeCenter = makeCenter
        self.log = log
    }

    func show(
        _ notification: AgentNotification, onOutcome: @escaping @Sendable (AgentNotificationOutcome) -> Void
    ) {
        let group = Group(app: notification.app, isOfTheApp: notification.isOfTheApp)
        let center = centers.withLock { centers in
            if let center = centers[group] { return center }
            let center = makeCenter(notification.app)
            centers[group] = center
            return center
        }
        let log = log
        Task {
            await center.requestAuthorization(options: [.alert, .sound, .badge])
            let sound: NotificationSound? = notification.sound.map { $0 == "default" ? .default : .named($0) }
            let content = NotificationContent(
                title: notification.title, body: notification.body, sound: sound, badge: notification.badge,
                defaultActionTitle: notification.action)
            do throws(NotificationError) {
                let delivered = try await center.add(
                    NotificationRequest(identifier: notification.identifier, content: content))
                guard delivered.place == .desktop else { return onOutcome(.notShown) }
                onOutcome(.shown)
                var token: String?
                for await event in delivered.events {
                    switch event {
                    case .activationToken(let text): token = text
                    case .action: return onOutcome(.clicked(activationToken: token))
                    // The desktop's service ended, and the notification with it.
                    case .closed(.serviceLeft): return onOutcome(.notShown)
                    case .closed: return onOutcome(.closed)
                    }
                }
            } catch {
                log("\(notification.app): \(error)")
                onOutcome(.notShown)
            }
        }
    }

    func removeAll(of app: String) {
        let group = Group(app: app, isOfTheApp: false)
        guard let center = centers.withLock({ $0.removeValue(forKey: group) }) else { return }
        Task { await center.removeAllDeliveredNotifications() }
    }

    func remove(_ notification: AgentNotification) {
        let group = Group(app: notification.app, isOfTheApp: notification.isOfTheApp)
        guard let center = centers.withLock({ $0[group] }) else { return }
        Task { await center.removeDeliveredNotifications(withIdentifiers: [notification.identifier]) }
    }
}
