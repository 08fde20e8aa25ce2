import EarshotMessages
import EarshotNotifications
import NearbyWire
import UIKitNames

/// Lets the agent show the app's local notifications.
struct AgentRelay: NotificationRelay {
    private let notifications: AgentNotifications

    /// - Parameter notifications: of the app.
    init(_ notifications: AgentNotifications) {
        self.notifications = notifications
    }

    /// Shows a notification, cut as a desktop would cut it.
    func show(_ request: NotificationRequest, onClick: @escaping @Sendable () -> Void) async -> Bool {
        typealias Limits = ProviderFrame.Notify
        let content = request.content
        let sound: String? =
            switch content.sound {
            case .default: "default"
            case .named(let name): name
            case nil: nil
            }
        let notification = ClientFrame.Notify(
            id: request.identifier, title: content.title.cut(to: Limits.maximumTitleByteCount),
            body: content.body.cut(to: Limits.maximumBodyByteCount),
            action: content.defaultActionTitle?.cut(to: Limits.maximumTitleByteCount), sound: sound,
            badge: content.badge)
        return await notifications.show(notification, onClick: onClick)
    }

    /// Closes a notification that was shown.
    func remove(_ identifier: String) { notifications.remove(identifier) }
}

extension String {
    /// The text with at most a number of bytes.
    fileprivate func cut(to maximumByteCount: Int) -> String {
        guard utf8.count > maximumByteCount else { return self }
        var (text, count) = ("", 0)
        for character in self {
            count += character.utf8.count
            // Three bytes are the ellipsis.
            if count > maximumByteCount - 3 { break }
            text.append(character)
        }
        return text + "…"
    }
}
