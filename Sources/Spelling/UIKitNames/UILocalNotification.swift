import EarshotNotifications
public import Foundation

/// The name of the desktop's sound for new messages, for `UILocalNotification.soundName`.
public let UILocalNotificationDefaultSoundName = "UILocalNotificationDefaultSoundName"

/// A notification that the app itself shows.
open class UILocalNotification: NSObject, NSCopying {
    /// The key of `userInfo` for the identifier of a notification that the agent shows; for a provider's notification,
    /// the provider's identifier.
    public static let identifierKey = "identifier"

    /// The text.
    open var alertBody: String?
    /// The line above the text; nil for the app's identifier.
    open var alertTitle: String?
    /// The title of the action for a click, such as "Open".
    open var alertAction: String?
    /// Whether the notification has an action to click.
    open var hasAction = true
    /// `UILocalNotificationDefaultSoundName`, a sound of the desktop's theme, or the absolute path of a file; nil for silence.
    open var soundName: String?
    /// The number on the app's icon; 0 for no change.
    open var applicationIconBadgeNumber = 0
    /// Values for the app, which it gets back when the user clicks. They do not leave the process. A notification of
    /// the agent that started the app has its identifier under `identifierKey`.
    open var userInfo: [AnyHashable: Any]?
    /// No effect: `presentLocalNotificationNow` shows a notification at once, as in the original, and there are no
    /// scheduled notifications here.
    open var fireDate: Date?

    /// A notification without a text.
    public override init() {}

    /// Returns a new notification with the same values.
    open func copy(with zone: NSZone? = nil) -> Any {
        let copy = UILocalNotification()
        copy.alertBody = alertBody
        copy.alertTitle = alertTitle
        copy.alertAction = alertAction
        copy.hasAction = hasAction
        copy.soundName = soundName
        copy.applicationIconBadgeNumber = applicationIconBadgeNumber
        copy.userInfo = userInfo
        copy.fireDate = fireDate
        return copy
    }

    /// The notification for EarshotNotifications; nil if it has neither a text, a sound nor a number.
    func content(applicationIdentifier: String) -> NotificationContent? {
        guard alertBody?.isEmpty == false || soundName != nil || applicationIconBadgeNumber != 0 else { return nil }
        let sound = soundName.map {
            $0 == UILocalNotificationDefaultSoundName ? NotificationSound.default : .named($0)
        }
        return NotificationContent(
            title: alertTitle ?? applicationIdentifier, body: alertBody ?? "", sound: sound,
            badge: applicationIconBadgeNumber == 0 ? nil : applicationIconBadgeNumber,
            defaultActionTitle: alertAction ?? "Open")
    }
}
