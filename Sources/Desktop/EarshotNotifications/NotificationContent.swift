/// The content of a notification.
///
/// Texts are cut at the limits of `NotificationLimits`, and control characters are removed, because texts may come from
/// strangers.
public struct NotificationContent: Sendable, Hashable {
    /// The first line.
    public var title: String
    /// The text below; it may have several lines. It is plain text: markup is shown literally.
    public var body: String
    /// The sound to play; nil for silence.
    public var sound: NotificationSound?
    /// The number on the application's icon; nil for no change, 0 for none.
    public var badge: Int?
    /// The buttons. A click on the notification itself needs no action here.
    public var actions: [NotificationAction]
    /// The title of the action for a click on the notification itself, such as "Open", for desktops that show it. nil
    /// if such a click has no action: the desktop may then close the notification, or ask which action is meant.
    public var defaultActionTitle: String?
    /// The importance of the notification.
    public var urgency: NotificationUrgency
    /// How long the notification stays.
    public var duration: NotificationDuration

    /// The content of these values; see the properties of the same names.
    public init(
        title: String, body: String = "", sound: NotificationSound? = nil, badge: Int? = nil,
        actions: [NotificationAction] = [], defaultActionTitle: String? = "Open",
        urgency: NotificationUrgency = .normal, duration: NotificationDuration = .systemDefault
    ) {
        self.title = title
        self.body = body
        self.sound = sound
        self.badge = badge
        self.actions = actions
        self.defaultActionTitle = defaultActionTitle
        self.urgency = urgency
        self.duration = duration
    }
}

/// A button of a notification.
public struct NotificationAction: Sendable, Hashable {
    /// The identifier in the event of a click. "default" is reserved.
    public var identifier: String
    /// The text on the button.
    public var title: String

    /// The action of a click on the notification itself.
    public static let defaultIdentifier = "default"

    /// An action of these values.
    public init(identifier: String, title: String) {
        self.identifier = identifier
        self.title = title
    }
}

/// The sound of a notification, played by the desktop if it can.
public enum NotificationSound: Sendable, Hashable {
    /// The desktop's sound for new messages.
    case `default`
    /// A sound of the desktop's theme, such as `phone-incoming-call`, or the absolute path of a file.
    case named(String)
}

/// The importance of a notification. The values are those of the Desktop Notifications Specification.
public enum NotificationUrgency: UInt8, Sendable, Hashable {
    case low = 0
    case normal = 1
    /// It is shown until the user closes it.
    case critical = 2
}

/// How long a notification stays on the screen.
public enum NotificationDuration: Sendable, Hashable {
    /// As long as the desktop decides.
    case systemDefault
    /// For a time of at least 1 ms.
    case limited(Duration)
    /// Until the user closes it.
    case unlimited
}
