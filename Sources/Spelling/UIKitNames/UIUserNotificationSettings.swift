import EarshotNotifications
public import Foundation

/// The means by which an app wants to notify its user.
public struct UIUserNotificationType: OptionSet, Sendable, Hashable {
    /// The bits: 1 for the badge, 2 for sound, 4 for alerts.
    public let rawValue: UInt

    /// Types of these bits; other bits have no effect.
    public init(rawValue: UInt) { self.rawValue = rawValue }

    /// A number on the app's icon.
    public static let badge = UIUserNotificationType(rawValue: 1)
    /// A sound with an alert.
    public static let sound = UIUserNotificationType(rawValue: 2)
    /// A text on the screen.
    public static let alert = UIUserNotificationType(rawValue: 4)

    var options: NotificationOptions { NotificationOptions(rawValue: rawValue & 7) }

    /// The means that the desktop supports and the app requested.
    init(_ settings: NotificationSettings) {
        self = []
        if settings.alert == .enabled { insert(.alert) }
        if settings.sound == .enabled { insert(.sound) }
        if settings.badge == .enabled { insert(.badge) }
    }
}

/// A group of actions of a notification. It has no effect: the documents use none.
open class UIUserNotificationCategory: NSObject {
    /// The name of the group.
    open var identifier: String?

    /// A group without a name.
    public override init() {}
}

/// The means by which an app wants to notify its user. Immutable, and therefore Sendable.
open class UIUserNotificationSettings: NSObject, @unchecked Sendable {
    /// The means.
    public let types: UIUserNotificationType
    /// The groups of actions. No effect.
    public let categories: Set<UIUserNotificationCategory>?

    /// Settings of these values.
    public init(types: UIUserNotificationType, categories: Set<UIUserNotificationCategory>?) {
        self.types = types
        self.categories = categories
    }
}
