import EarshotAgent
import EarshotNotifications
import Synchronization

/// Shows the notifications of apps that are not running, each in the name of its app.
final class DesktopNotifier: AgentNotifier {
    /// The notification center of each app that has a notification on the desktop.
    private let centers = Mutex<[String: UserNotificationCenter]>([:])
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
        let center = centers.withLock { centers in
            if let center = centers[notification.app] { return center }
            let center = makeCenter(notification.app)
            centers[notification.app] = center
            return center
        }
        let log = log
        Task {
            await center.requestAuthorization(options: [.alert, .sound, .badge])
            let sound: NotificationSound? = notification.sound.map { $0 == "default" ? .default : .named($0) }
            let content = NotificationContent(
                title: notification.title, body: notification.body, sound: sound, badge: notification.badge)
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
                    case .closed: return
                    }
                }
            } catch {
                log("\(notification.app): \(error)")
                onOutcome(.notShown)
            }
        }
    }

    func removeAll(of app: String) {
        guard let center = centers.withLock({ $0.removeValue(forKey: app) }) else { return }
        Task { await center.removeAllDeliveredNotifications() }
    }
}
