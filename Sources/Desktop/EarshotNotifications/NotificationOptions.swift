/// The means by which an application wants to notify its user.
public struct NotificationOptions: OptionSet, Sendable, Hashable {
    /// The bits: 1 for the badge, 2 for sound, 4 for alerts.
    public let rawValue: UInt

    /// Options of these bits; other bits have no effect.
    public init(rawValue: UInt) { self.rawValue = rawValue }

    /// A number on the application's icon.
    public static let badge = NotificationOptions(rawValue: 1)
    /// A sound with an alert.
    public static let sound = NotificationOptions(rawValue: 2)
    /// A text on the screen.
    public static let alert = NotificationOptions(rawValue: 4)
}

/// The means that the application requested and the desktop supports.
public struct NotificationSettings: Sendable, Hashable {
    /// The setting of one means.
    public enum Setting: Sendable, Hashable {
        /// The application requested it, and the desktop supports it.
        case enabled
        /// The desktop supports it, but the application did not request it.
        case disabled
        /// The desktop does not support it, or does not report its support.
        case notSupported
    }

    /// Texts: needs a notification service on the session bus.
    public var alert: Setting
    /// Sounds: the service must name the capability `sound`. Some services play sounds without naming it.
    public var sound: Setting
    /// Badges: needs a launcher that understands Unity's LauncherEntry.
    public var badge: Setting
    /// The capabilities that the service names, such as `actions` and `body-markup`; empty without a service.
    public var capabilities: Set<String>
    /// Why texts cannot be shown; nil if they can.
    public var problem: NotificationProblem?
}
