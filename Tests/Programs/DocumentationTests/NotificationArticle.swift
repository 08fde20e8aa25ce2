import EarshotNotifications
import NearbyMessages

/// Compiled, not run: this code shows notifications on the user's desktop.
enum NotificationCode {
    static func show() async throws {
        let center = UserNotificationCenter()
        await center.requestAuthorization(options: [.alert, .sound])
        let content = NotificationContent(title: "Museum", body: "Ann is near.", sound: .default)
        let delivered = try await center.add(NotificationRequest(identifier: "ann", content: content))
        for await event in delivered.events {
            print(event)
        }
    }

    static func restore(_ subscribe: () -> (any GNSSubscription)?) -> (any GNSSubscription)? {
        BackgroundFlag("background").isOn = true
        return BackgroundFlag("background").restore { subscribe() }
    }
}
