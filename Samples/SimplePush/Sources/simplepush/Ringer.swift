import EarshotNotifications
import SimplePushKit

/// Shows a call as a notification with two buttons.
actor Ringer {
    private let center = UserNotificationCenter()
    private var isAuthorized = false

    /// - Parameter act: is told which button the user pressed.
    func ring(id: String, name: String, act: @escaping @Sendable (CallAction) -> Void) async {
        if !isAuthorized {
            _ = await center.requestAuthorization(options: [.alert, .sound])
            isAuthorized = true
        }
        let content = NotificationContent(
            title: "\(name) calls", sound: .default,
            actions: [
                NotificationAction(identifier: "accept", title: "Answer"),
                NotificationAction(identifier: "decline", title: "Decline"),
            ], urgency: .critical)
        // Without a desktop the line on the terminal remains.
        guard let delivered = try? await center.add(NotificationRequest(identifier: id, content: content)) else {
            return
        }
        Task {
            for await event in delivered.events {
                switch event {
                case .action("accept"): act(.accept)
                case .action("decline"): act(.decline)
                default: break
                }
            }
        }
    }

    func stop(id: String) async { await center.removeDeliveredNotifications(withIdentifiers: [id]) }
}
